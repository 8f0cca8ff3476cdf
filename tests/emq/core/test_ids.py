"""Branded ids: their form, their parts, their order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import emq

VECTORS = json.loads((Path(__file__).parent / "branded_ids.json").read_text())

namespaces = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=3, max_size=3)
snowflakes = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda vector: vector["id"])
def test_a_known_id_reads_as_its_parts(vector: dict[str, object]) -> None:
    parts = emq.parse(str(vector["id"]))

    assert parts.namespace == vector["namespace"]
    assert parts.snowflake == vector["snowflake"]
    assert parts.unix_ms == vector["unix_ms"]
    assert parts.node == vector["node"]
    assert parts.seq == vector["seq"]
    assert str(parts) == vector["id"]


@pytest.mark.parametrize("text", [*VECTORS["invalid"], None, b"JOB0KHTOWnGLuA", 7])
def test_anything_else_is_not_an_id(text: object) -> None:
    assert not emq.is_valid(text)


@pytest.mark.parametrize("text", VECTORS["invalid"])
def test_parsing_what_is_no_id_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(emq.MalformedId, match="branded id"):
        emq.parse(text)


def test_an_id_of_another_namespace_is_valid_but_not_of_this_one() -> None:
    assert emq.is_valid("USR0KHTOWnGLuC")
    assert not emq.is_valid("USR0KHTOWnGLuC", "JOB")


@given(namespaces, snowflakes)
def test_encoding_and_parsing_round_trip(namespace: str, snowflake: int) -> None:
    id = emq.encode(namespace, snowflake)
    parts = emq.parse(id)

    assert len(id) == 14
    assert emq.is_valid(id, namespace)
    assert (parts.namespace, parts.snowflake) == (namespace, snowflake)
    assert (parts.unix_ms - 1_704_067_200_000) << 22 | parts.node << 12 | parts.seq == snowflake


@given(namespaces, snowflakes, snowflakes)
def test_byte_order_is_number_order(namespace: str, one: int, other: int) -> None:
    ids = emq.encode(namespace, one).encode(), emq.encode(namespace, other).encode()

    assert (ids[0] < ids[1]) == (one < other)


@given(st.text(max_size=20))
def test_what_is_valid_can_be_parsed_and_nothing_else_can(text: str) -> None:
    if emq.is_valid(text):
        assert str(emq.parse(text)) == text
    else:
        with pytest.raises(emq.MalformedId):
            emq.parse(text)


@pytest.mark.parametrize(
    ("namespace", "snowflake"), [("JO1", 0), ("job", 0), ("JOBS", 0), ("", 0), ("JOB", -1), ("JOB", 2**63)]
)
def test_encoding_out_of_range_is_refused(namespace: str, snowflake: int) -> None:
    with pytest.raises(emq.MalformedId):
        emq.encode(namespace, snowflake)
