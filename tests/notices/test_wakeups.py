"""Wake-ups: a committed notice becomes a job, the job wakes the chat, and a queue in trouble only costs time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence

import pytest

import emq
from codemojex.notices.announcer import Announcer, announce, notice_payload
from codemojex.notices.intake import NoticeIntake, chat_of
from codemojex.play.outbox import NoticeRef
from tests.notices.desk import Desk, until
from tests.proxy import FaultProxy
from tests.servers import ServerProcess


@contextlib.asynccontextmanager
async def listening(conn: emq.Connector, queue: str) -> AsyncIterator[list[int]]:
    """An intake at work, and the chats it has woken so far."""
    woken: list[int] = []
    intake = NoticeIntake(conn, queue, woken.extend)
    run = asyncio.create_task(intake.run())
    try:
        yield woken
    finally:
        intake.stop()
        await run


@contextlib.asynccontextmanager
async def announcing(lanes: emq.Lanes) -> AsyncIterator[Announcer]:
    announcer = Announcer(lanes)
    run = asyncio.create_task(announcer.run())
    try:
        yield announcer
    finally:
        announcer.stop()
        await run


def refs(chats: Sequence[int]) -> list[NoticeRef]:
    return [NoticeRef(emq.mint("JOB"), chat_id) for chat_id in chats]


async def test_an_announced_notice_is_told_without_the_notifier_looking_for_it(
    desk: Desk, real_server_url: str, queue: str
) -> None:
    # given
    ada = await desk.person()
    async with await emq.connect(real_server_url) as conn, desk.running() as notifier:
        await until(lambda: notifier.waiting() == 0)
        intake = NoticeIntake(conn, queue, notifier.wake)
        run = asyncio.create_task(intake.run())
        async with announcing(emq.Lanes(conn, queue)) as announcer:
            # when
            ref = await desk.tell(ada.id, "hello")
            announcer.announce([ref])

            # then
            await ada.heard("hello")
            await desk.settled(ref)
            await until(lambda: _empty(conn, queue))
        intake.stop()
        await run


async def _empty(conn: emq.Connector, queue: str) -> bool:
    counts = await emq.Admin(conn, queue).counts()
    return counts.waiting == counts.active == counts.scheduled == counts.dead == 0


async def test_a_job_that_names_no_chat_goes_to_the_dead_and_its_neighbours_wake(
    valkey_url: str, queue: str
) -> None:
    async with await emq.connect(valkey_url) as conn, listening(conn, queue) as woken:
        # when
        await emq.Jobs(conn, queue).enqueue_many(
            [
                (emq.mint("JOB"), notice_payload(5)),
                (emq.mint("JOB"), b"\xff not json"),
                (emq.mint("JOB"), notice_payload(-1001)),
            ]
        )

        # then
        await until(lambda: sorted(woken) == [-1001, 5])

        async def dead() -> bool:
            return (await emq.Admin(conn, queue).counts()).dead == 1

        await until(dead)


@pytest.mark.parametrize(
    ("payload", "chat_id"),
    [
        (notice_payload(5_000_000_001), 5_000_000_001),
        (b'{"v":1,"chat":-1001}', -1001),
        (b'{"v":1,"chat":true}', None),
        (b'{"v":1,"chat":"5"}', None),
        (b'{"v":1}', None),
        (b"[5]", None),
        (b"", None),
    ],
)
def test_a_payload_names_a_chat_or_none(payload: bytes, chat_id: int | None) -> None:
    assert chat_of(payload) == chat_id


async def test_a_storm_of_wake_ups_for_one_chat_wakes_another_with_the_next_claim(
    valkey_url: str, queue: str
) -> None:
    async with await emq.connect(valkey_url) as conn:
        # given a chat with a thousand wake-ups, and behind them one for a group
        lanes = emq.Lanes(conn, queue)
        assert await announce(lanes, refs([5] * 1_000))
        assert await announce(lanes, refs([-1_009_000_000_001]))

        # when
        claims = await lanes.claim_batch(2)

        # then
        assert [chat_of(claim.payload) for claim in claims] == [5, -1_009_000_000_001]


async def test_wake_ups_outside_of_lanes_that_an_earlier_version_left_wake_their_chats(
    valkey_url: str, queue: str
) -> None:
    # given
    async with await emq.connect(valkey_url) as conn:
        await emq.Jobs(conn, queue).enqueue(emq.mint("JOB"), notice_payload(5))
        assert await announce(emq.Lanes(conn, queue), refs([6]))

        # when, then
        async with listening(conn, queue) as woken:
            await until(lambda: sorted(woken) == [5, 6])


async def test_a_burst_cut_in_the_middle_is_announced_again_and_lands_once(
    valkey_url: str, queue: str
) -> None:
    # given
    async with FaultProxy(valkey_url) as proxy, await emq.connect(proxy.url) as conn:
        lanes = emq.Lanes(conn, queue)
        burst = refs(range(1, 802))  # five script calls
        await lanes.depths()
        proxy.cut_after_commands(2)

        # when
        assert not await announce(lanes, burst)
        assert 0 < await waking(conn, queue) < 801
        assert await announce(lanes, burst)

        # then
        assert await waking(conn, queue) == 801


async def test_an_announcer_outlasts_a_queue_that_is_away(own_real_server: ServerProcess, queue: str) -> None:
    # given
    async with await emq.connect(own_real_server.url) as conn:
        lanes = CountedLanes(conn, queue)
        async with announcing(lanes) as announcer:
            own_real_server.kill()

            # when
            announcer.announce(refs([1, 2]))
            await until(lambda: lanes.flushes == 2)
            own_real_server.start()

            # then
            async def landed() -> bool:
                with contextlib.suppress(emq.NotSent, emq.Uncertain):
                    return await waking(conn, queue) == 2
                return False

            await until(landed)


class CountedLanes(emq.Lanes):
    """Lanes that count the flushes."""

    flushes = 0

    async def enqueue_many(self, items: Iterable[tuple[str, str, str | bytes]]) -> list[emq.Verdict]:
        self.flushes += 1
        return await super().enqueue_many(items)


async def waking(conn: emq.Connector, queue: str) -> int:
    """How many wake-ups wait, in lanes and outside of them."""
    return (await emq.Admin(conn, queue).counts()).waiting


async def test_a_chat_is_announced_once_by_the_latest_of_its_notices(valkey_url: str, queue: str) -> None:
    # given
    async with await emq.connect(valkey_url) as conn:
        announcer = Announcer(emq.Lanes(conn, queue))
        earlier, later = refs([1, 1])
        announcer.announce([earlier])
        announcer.announce([later])

        # when
        announcer.stop()
        await announcer.run()

        # then
        admin = emq.Admin(conn, queue)
        assert await admin.job(earlier.id) is None
        assert await admin.job(later.id) is not None


async def test_stopping_sends_what_is_left_or_leaves_it_to_the_database(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given
    async with await emq.connect(own_real_server.url) as conn:
        lanes = emq.Lanes(conn, queue)
        announcer = Announcer(lanes)
        announcer.announce(refs([1, 2, 3]))

        # when
        announcer.stop()
        await announcer.run()

        # then
        assert await waking(conn, queue) == 3

        # and with nobody there it ends all the same
        own_real_server.kill()
        announcer = Announcer(lanes)
        announcer.announce(refs([4]))
        announcer.stop()
        async with asyncio.timeout(60):
            await announcer.run()


async def test_nothing_to_announce_sends_nothing(valkey_url: str, queue: str) -> None:
    async with await emq.connect(valkey_url) as conn:
        assert await announce(emq.Lanes(conn, queue), [])
