"""Minting: never the same id twice, never backwards, whatever threads, clocks and forks do."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import emq
from emq.ids import EPOCH_MS
from emq.lease import now


class Clock:
    """A wall clock that says what it is told, then stands still."""

    def __init__(self, *readings: int) -> None:
        self.readings = list(readings)

    def __call__(self) -> int:
        return EPOCH_MS + (self.readings.pop(0) if len(self.readings) > 1 else self.readings[0])


@given(st.lists(st.integers(-5, 2**41 - 2), min_size=1, max_size=60), st.integers(0, 1023))
def test_ids_increase_strictly_whatever_the_clock_says(readings: list[int], node: int) -> None:
    minter = emq.Minter(node, Clock(*readings))

    minted = [minter.mint("JOB") for _ in range(len(readings) + 10)]

    assert minted == sorted(set(minted))
    assert {emq.parse(id).node for id in minted} == {node}


@settings(deadline=None, max_examples=40)  # thousands of ids each
@given(
    st.lists(st.tuples(st.integers(-5, 2**41 - 9), st.integers(1, 9_000)), min_size=1, max_size=3),
    st.integers(0, 1023),
)
def test_ids_minted_at_once_are_those_that_a_clock_standing_still_gives_one_by_one(
    steps: list[tuple[int, int]], node: int
) -> None:
    one_by_one = emq.Minter(node, Clock(*(reading for reading, count in steps for _ in range(count))))
    at_once = emq.Minter(node, Clock(*(reading for reading, _ in steps)))

    for _, count in steps:
        assert at_once.mint_many("JOB", count) == [one_by_one.mint("JOB") for _ in range(count)]


def test_no_ids_are_an_empty_list_and_use_nothing_up() -> None:
    minter = emq.Minter(3, Clock(1_000))
    first = emq.parse(minter.mint("JOB"))

    assert minter.mint_many("JOB", 0) == []
    assert emq.parse(minter.mint("JOB")).snowflake == first.snowflake + 1


@pytest.mark.parametrize("count", [-1, 100_001, 2.0, True, "3"])
def test_a_count_out_of_range_is_refused(count: object) -> None:
    with pytest.raises(emq.MalformedArgument, match="0 to 100,000"):
        emq.mint_many("JOB", count)  # type: ignore[arg-type]


def test_many_ids_of_no_namespace_are_refused() -> None:
    with pytest.raises(emq.MalformedId, match="three capital letters"):
        emq.mint_many("Job", 3)


def test_an_id_carries_the_time_of_its_mint() -> None:
    before = time.time_ns() // 1_000_000
    id = emq.mint("JOB")
    after = time.time_ns() // 1_000_000

    assert before <= emq.parse(id).unix_ms <= after + 1


def test_the_4097th_id_of_a_millisecond_borrows_from_the_next() -> None:
    # given a clock that stands still
    minter = emq.Minter(3, Clock(1_000))

    # when more ids are minted than a millisecond has
    minted = [emq.parse(minter.mint("JOB")) for _ in range(4098)]

    # then they run into the next one without a gap and without waiting
    assert [(id.unix_ms - EPOCH_MS, id.seq) for id in minted[:2]] == [(1_000, 0), (1_000, 1)]
    assert [(id.unix_ms - EPOCH_MS, id.seq) for id in minted[4095:]] == [
        (1_000, 4095),
        (1_001, 0),
        (1_001, 1),
    ]


def test_a_clock_that_steps_back_does_not_take_the_ids_with_it() -> None:
    minter = emq.Minter(3, Clock(5_000, 4_000, 4_000, 5_001))

    minted = [emq.parse(minter.mint("JOB")) for _ in range(4)]

    assert [(id.unix_ms - EPOCH_MS, id.seq) for id in minted] == [
        (5_000, 0), (5_000, 1), (5_000, 2), (5_001, 0)
    ]  # fmt: skip


def test_threads_never_mint_the_same_id() -> None:
    # given eight threads that start together
    minted: list[list[str]] = [[] for _ in range(8)]
    start = threading.Barrier(8)

    def run(mine: list[str]) -> None:
        start.wait()
        for _ in range(20):
            mine.extend(emq.mint("JOB") for _ in range(50))
            mine += emq.mint_many("JOB", 50)

    threads = [threading.Thread(target=run, args=(mine,)) for mine in minted]

    # when all mint at once
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # then each thread saw increasing ids and no two are the same
    assert all(mine == sorted(mine) for mine in minted)
    assert len({id for mine in minted for id in mine}) == 16_000


def test_moving_to_another_node_never_goes_back() -> None:
    minter = emq.Minter(900, Clock(1_000))
    first = minter.mint("JOB")

    minter.set_node(3)
    second = minter.mint("JOB")

    assert second > first
    assert emq.parse(second).node == 3


def test_a_lent_node_that_lapsed_mints_nothing_until_it_is_lent_again() -> None:
    minter = emq.Minter(5)
    minter.set_node(6, until=now() - 1)

    for mint in (minter.mint, lambda namespace: minter.mint_many(namespace, 2)):
        with pytest.raises(emq.NodeLapsed, match="node id 6"):
            mint("JOB")

    minter.set_node(6, until=now() + 60)
    assert emq.parse(minter.mint("JOB")).node == 6


@pytest.mark.parametrize("node", [-1, 1024])
def test_a_node_out_of_range_is_refused(node: int) -> None:
    with pytest.raises(emq.EmqError, match="0 to 1023"):
        emq.Minter(node)


FORKING = """
import os, sys, emq
minter = emq.Minter(7, lambda: 1_704_067_201_000)   # a clock that stands still: only the node can differ
emq.mint("JOB"), minter.mint("JOB")
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, ",".join(m("JOB") for m in (emq.mint, minter.mint) for _ in range(200)).encode())
    os._exit(0)
mine = [m("JOB") for m in (emq.mint, minter.mint) for _ in range(200)]
os.wait()
theirs = os.read(read, 65536).decode().split(",")
print(len(mine), len(theirs), len(set(mine) | set(theirs)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("node", ["", "7"])
def test_a_forked_child_never_repeats_its_parents_ids(node: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FORKING], env={**os.environ, "EMQ_NODE": node}, capture_output=True, text=True
    )

    assert ran.stdout.split() == ["400", "400", "800"], ran.stderr


@pytest.mark.parametrize(("text", "said"), [("17", "17"), ("1024", "EMQ_NODE"), ("x", "EMQ_NODE")])
def test_the_environment_sets_the_node_or_is_refused_with_its_name(text: str, said: str) -> None:
    program = "import emq\ntry: print(emq.parse(emq.mint('JOB')).node)\nexcept emq.EmqError as e: print(e)"

    ran = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "EMQ_NODE": text}, capture_output=True, text=True
    )

    assert ran.stdout.startswith(said), ran.stderr
