"""docs/keys.md and docs/state-machine.md say what the code does, or these tests say that they do not."""

from __future__ import annotations

import re

import pytest

import emq
from emq.scripts import folder
from tests.emq.core.test_scripts import COROUTINES, VERBS, header

DOCS = folder().parent / "docs"
KEYS = (DOCS / "keys.md").read_text()
MACHINE = (DOCS / "state-machine.md").read_text()

FIRST_COLUMN = {
    word
    for line in KEYS.splitlines()
    if line.startswith("| `")
    for word in re.findall(r"`([^`]+)`", line.split("|")[1])
}


def test_every_key_the_host_can_name_is_on_the_page() -> None:
    keys = emq.Keyspace("q")
    suffixes = {getattr(keys, name).removeprefix(keys.base) for name in keys.__slots__ if name != "queue"}

    assert suffixes - {"", "job:", "g:"} <= FIRST_COLUMN
    assert {"job:<id>", "g:<group>:pending", "{emq}:version", "{emq}:node:<n>"} <= FIRST_COLUMN


@pytest.mark.parametrize("verb", VERBS)
def test_every_key_a_script_names_is_on_the_page(verb: str) -> None:
    head = header(verb)

    named_otherwise = {"row", "base", "node", "lane", "logs", "source", "g:<source>:pending"}
    assert (head.built | set(head.keys.values())) - named_otherwise <= FIRST_COLUMN


def test_every_field_of_a_fresh_row_is_on_the_page() -> None:
    assert {"state", "attempts", "payload", "group", "last_error", "stalled"} <= FIRST_COLUMN


@pytest.mark.parametrize("verb", VERBS)
def test_every_answer_of_a_script_is_in_the_table(verb: str) -> None:
    (row,) = (line for line in MACHINE.splitlines() if re.search(rf"\| `{verb}` \|", line))
    answers = row.split("|")[3]

    simple = {reply for reply in header(verb).replies if not reply.startswith("{")}
    assert simple == set(re.findall(r"`(-?\w+)`", answers))


def test_every_coroutine_is_in_the_table_beside_its_script() -> None:
    for verb, name, _, _ in COROUTINES:
        (row,) = (line for line in MACHINE.splitlines() if re.search(rf"\| `{verb}` \|", line))
        owner, method = name.split(".")
        assert f"`{owner}." in row
        assert re.search(rf"\b{method}`", row)


def test_the_pages_name_only_scripts_that_exist() -> None:
    named = set(re.findall(r"\| `(\w+)` \|", MACHINE))

    assert named == set(VERBS)


def test_the_slice_sizes_on_the_page_are_those_of_the_code() -> None:
    from emq import batches, claiming, extending, jobs, steering

    text = " ".join(MACHINE.split())
    assert f"Claims take up to {jobs.CLAIM_SLICE} jobs" in text
    assert f"from lanes up to {claiming.LANE_SLICE}" in text
    assert f"from both up to {claiming.MIXED_SLICE}" in text
    assert f"up to {batches.CHUNK} items in one script call" in text
    assert f"drains remove up to {steering.DRAIN_SLICE}" in text
    assert f"move up to {jobs.MOVE_SLICE}" in text
    assert f"carry up to {extending.EXTEND_SLICE:,} pairs" in text
