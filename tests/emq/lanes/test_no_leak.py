"""Whatever happens in whatever order: every counter equals what can be counted, and an emptied queue is empty.

``EMQ_STEPS=200000`` makes the walk a long one, and ``EMQ_SEED`` chooses another.
"""

from __future__ import annotations

import os

import pytest

import emq
from emq.scripts import folder
from tests.emq.lanes.books import METRICS, keys_of, wrong
from tests.emq.lanes.echomq import ignored, misread
from tests.emq.lanes.strolling import Stroll

STEPS = int(os.environ.get("EMQ_STEPS", "4000"))
SEED = int(os.environ.get("EMQ_SEED", "6"))

OURS = {"metrics:dropped", "turn", "row history", "row dead_at", "row uncounted", "row spent"}


@pytest.mark.timeout(max(120, STEPS // 100))
async def test_after_any_operations_the_books_are_right_and_an_echomq_node_can_read_them(
    real: emq.Connector, queue: str
) -> None:
    stroll = Stroll(real, queue, SEED)

    # given random operations, with the books looked at now and then
    while stroll.steps < STEPS:
        await stroll.step()
        if stroll.steps % 100 == 0:
            assert await wrong(real, queue) == [], f"after {stroll.steps} steps of seed {SEED}"
        if stroll.steps % 500 == 0:
            assert await misread(real, queue) == []
            assert await ignored(real, queue) <= OURS

    # when everything is worked off
    counts = await emq.Admin(real, queue).counts()
    assert counts.waiting + counts.active + counts.scheduled + counts.dead > 0
    assert counts.dropped == 0
    await stroll.wind_down()

    # then nothing is left but the metrics
    assert set(await keys_of(real, queue)) <= METRICS
    assert (await emq.Admin(real, queue).counts()).completed > STEPS // 20


async def test_the_checkers_find_what_is_wrong(real: emq.Connector, queue: str) -> None:
    # given a queue that is in order, of every kind of thing
    keys, stroll = emq.Keyspace(queue), Stroll(real, queue, 1)
    while stroll.steps < 200:
        await stroll.step()
    assert await wrong(real, queue) == await misread(real, queue) == []

    # then each single fault is found
    ghost, group = emq.mint("JOB"), emq.group("PLR", 99)
    for fault, undo in (
        (("ZADD", keys.pending, "0", ghost), ("ZREM", keys.pending, ghost)),
        (("HSET", keys.gactive, group, "1"), ("HDEL", keys.gactive, group)),
        (("RPUSH", keys.ring, group), ("LREM", keys.ring, "0", group)),
        (("HSET", keys.job(ghost), "state", "pending"), ("DEL", keys.job(ghost))),
    ):
        await real.command(*fault)
        assert await wrong(real, queue) != [], fault
        await real.command(*undo)
    for fault, undo in (
        (("ZADD", keys.dead, "5", ghost), ("ZREM", keys.dead, ghost)),
        (("HSET", keys.gactive, group, "0"), ("HDEL", keys.gactive, group)),
        (("HSET", keys.glimit, "nobody", "1"), ("HDEL", keys.glimit, "nobody")),
        (("RPUSH", keys.ring, "nobody"), ("LREM", keys.ring, "0", "nobody")),
        (("HSET", keys.job(ghost), "state", "lost"), ("DEL", keys.job(ghost))),
        (("SET", keys.base + "limiter:x", "1"), ("DEL", keys.base + "limiter:x")),
    ):
        await real.command(*fault)
        unread = await misread(real, queue) or await ignored(real, queue) - OURS
        assert unread, fault
        await real.command(*undo)
    assert await wrong(real, queue) == await misread(real, queue) == []


def test_the_page_on_echomq_names_everything_it_ignores() -> None:
    page = (folder().parent / "docs" / "echomq.md").read_text()
    table = page.split("| ours alone | why |")[1].split("\n\n")[0]

    for ours in OURS:
        assert f"`{ours.removeprefix('row ')}`" in table
