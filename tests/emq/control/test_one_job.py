"""One job under an operator's hand: another payload, its progress, its log, its removal from wherever it is."""

from __future__ import annotations

import pytest

import emq
from tests.emq.core.makers import Maker
from tests.emq.lanes.books import A, fill, wrong


async def test_a_payload_is_replaced_and_progress_kept(admin: emq.Admin, make: Maker) -> None:
    id = await make.waiting(b"old")

    await admin.update_data(id, b"new\x00")
    await admin.update_progress(id, "half")

    row = await admin.job(id)
    assert row is not None
    assert (row["payload"], row["progress"], row["state"]) == (b"new\x00", b"half", b"pending")


async def test_a_log_keeps_its_last_lines_in_order(admin: emq.Admin, make: Maker) -> None:
    id = await make.waiting()
    assert await admin.logs(id) == []

    counts = [await admin.add_log(id, f"line {at}", keep=2) for at in range(4)]

    assert counts == [1, 2, 2, 2]
    assert await admin.logs(id) == ["line 2", "line 3"]
    assert await admin.logs(id, 1) == ["line 3"]
    for keep in (0, -1, 1.5):
        with pytest.raises(emq.MalformedArgument):
            await admin.add_log(id, "x", keep=keep)  # type: ignore[arg-type]


async def test_every_verb_about_a_job_that_is_gone_says_so_and_makes_no_row(
    admin: emq.Admin, make: Maker
) -> None:
    id = (await make.gone()).id

    for call in (
        admin.update_data(id, b""), admin.update_progress(id, ""), admin.add_log(id, ""), admin.logs(id),
        admin.remove(id),
    ):  # fmt: skip
        with pytest.raises(emq.Gone):
            await call

    assert await make.conn.command("EXISTS", make.keys.job(id), make.keys.logs(id)) == 0


@pytest.mark.parametrize("place", ["pending", "lane", "lane active", "active", "scheduled", "dead", "reaped"])
async def test_a_job_is_removed_from_wherever_it_is_and_the_books_stay_right(
    admin: emq.Admin, make: Maker, lanes: emq.Lanes, place: str
) -> None:
    # given a job somewhere, in a lane with a limit of one where it has one
    if place.startswith("lane"):
        id, other = await fill(lanes, A, 2)
        await lanes.limit(A, 1)
        if place == "lane active":
            assert await lanes.claim() is not None
    elif place == "pending":
        id = await make.waiting()
    else:
        id = (await getattr(make, place)()).id
    await admin.add_log(id, "a line")

    await admin.remove(id)

    assert await admin.state(id) is emq.State.ABSENT
    assert await make.conn.command("EXISTS", make.keys.logs(id)) == 0
    assert await wrong(make.conn, lanes.queue) == []
    if place == "lane active":
        assert (await lanes.claim() or make).id == other  # type: ignore[union-attr]
    with pytest.raises(emq.Gone):
        await admin.remove(id)


async def test_removing_the_last_job_of_a_lane_leaves_no_ghost_to_be_claimed(
    admin: emq.Admin, lanes: emq.Lanes, make: Maker
) -> None:
    (id,) = await fill(lanes, A, 1)

    await admin.remove(id)

    assert await make.ring() == []
    assert await lanes.claim() is None
    assert (await admin.counts()).dropped == 0


@pytest.mark.parametrize("lock", ["key", "field"])
async def test_a_job_that_a_foreign_worker_locked_is_not_removed(
    admin: emq.Admin, make: Maker, lock: str
) -> None:
    id = await make.waiting()
    if lock == "key":
        await make.conn.command("SET", make.keys.job(id) + ":lock", "1")
    else:
        await make.conn.command("HSET", make.keys.job(id), "lock", "1")

    with pytest.raises(emq.Locked):
        await admin.remove(id)

    assert await make.members(make.keys.pending) == [id]


async def test_a_job_of_a_flow_is_not_removed(admin: emq.Admin, make: Maker) -> None:
    child, parent = await make.waiting(), await make.waiting()
    await make.conn.command("HSET", make.keys.job(child), "parent", parent)
    await make.conn.command("HSET", make.keys.job(parent), "state", "awaiting_children")

    for id in (child, parent):
        with pytest.raises(emq.ServerRefused, match="EMQFLOW"):
            await admin.remove(id)

    assert await make.members(make.keys.pending) == sorted([child, parent])


async def test_a_deduplication_key_goes_with_its_job_and_with_no_other(admin: emq.Admin, make: Maker) -> None:
    mine, other = await make.waiting(), await make.waiting()
    await make.conn.command("SET", make.keys.dedup("mine"), mine)
    await make.conn.command("SET", make.keys.dedup("taken"), other)
    assert await admin.dedup_owner("mine") == mine
    assert await admin.dedup_owner("free") is None

    await admin.remove(mine, dedup_id="mine")
    assert await admin.dedup_owner("mine") is None

    extra = await make.waiting()
    await admin.remove(extra, dedup_id="taken")
    assert await admin.dedup_owner("taken") == other
