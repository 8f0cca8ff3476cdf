"""Key names: what they are, and what never becomes one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import emq

VECTORS = json.loads((Path(__file__).parent / "branded_ids.json").read_text())


@pytest.mark.parametrize("name", ["cm", "cm.notify", "A-Z_0.9", "x" * 128])
def test_a_queue_name_of_the_allowed_characters_is_taken(name: str) -> None:
    assert emq.Keyspace(name).pending == f"emq:{{{name}}}:pending"


@pytest.mark.parametrize("name", ["", "emq", "a b", "a:b", "a{b}", "ä", "x" * 129, "cm\n", None, b"cm"])
def test_any_other_queue_name_is_refused(name: str) -> None:
    with pytest.raises(emq.MalformedQueue, match="cannot name a queue"):
        emq.Keyspace(name)


@given(st.text(max_size=20))
def test_only_a_branded_id_becomes_part_of_a_key(text: str) -> None:
    keys = emq.Keyspace("cm")
    if emq.is_valid(text):
        assert keys.job(text) == f"emq:{{cm}}:job:{text}"
        assert keys.lane(text) == f"emq:{{cm}}:g:{text}:pending"
        return
    for build in (keys.job, keys.lane):
        with pytest.raises(emq.MalformedId):
            build(text)


@pytest.mark.parametrize(
    ("key", "slot"), [*VECTORS["slots"].items(), ("emq:{a}b}:x", 15495), ("emq:{}:x", 1432)]
)
def test_the_slot_of_a_key_is_the_clusters(key: str, slot: int) -> None:
    assert emq.slot(key) == slot
    assert emq.slot(key.encode()) == slot


def test_all_keys_of_a_queue_live_in_one_slot() -> None:
    keys = emq.Keyspace("cm")
    id = emq.mint("JOB")
    names = [getattr(keys, name) for name in keys.__slots__ if name != "queue"]

    slots = {emq.slot(key) for key in [*names, keys.job(id), keys.lane(id), keys.metric("completed")]}

    assert len(slots) == 1
