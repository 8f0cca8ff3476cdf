"""Calls that gather while one is served."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from codemojex.gathering import Gathering


async def test_a_lone_call_is_served_at_once_and_those_during_it_together() -> None:
    # given
    batches: list[list[int]] = []
    free = asyncio.Event()

    async def serve(items: Sequence[int]) -> list[int]:
        batches.append(list(items))
        if len(batches) == 1:
            await free.wait()
        return [item * 10 for item in items]

    gathering = Gathering(serve, most=3)

    # when
    first = asyncio.create_task(gathering.ask(1))
    await asyncio.sleep(0)
    others = [asyncio.create_task(gathering.ask(n)) for n in range(2, 7)]
    await asyncio.sleep(0)
    free.set()

    # then
    assert await asyncio.gather(first, *others) == [10, 20, 30, 40, 50, 60]
    assert batches == [[1], [2, 3, 4], [5, 6]]


async def test_an_outage_fails_each_call_of_its_batch_at_once_and_not_the_next() -> None:
    # given
    tried: list[int] = []

    async def serve(items: Sequence[int]) -> Sequence[int]:
        tried.append(len(items))
        if len(tried) == 1:
            raise ConnectionError("away")
        return items

    gathering = Gathering(serve, 10, (ConnectionError,))

    # when
    failed = await asyncio.gather(gathering.ask(1), gathering.ask(2), return_exceptions=True)

    # then
    assert [type(error) for error in failed] == [ConnectionError, ConnectionError]
    assert await gathering.ask(3) == 3
    assert tried == [2, 1]


async def test_a_call_that_cannot_be_served_fails_by_itself() -> None:
    # given
    async def serve(items: Sequence[int]) -> Sequence[int]:
        if 2 in items:
            raise ValueError("not 2")
        return items

    gathering = Gathering(serve, 10)

    # when
    ends = await asyncio.gather(*(gathering.ask(n) for n in range(4)), return_exceptions=True)

    # then
    assert [type(end) if n == 2 else end for n, end in enumerate(ends)] == [0, 1, ValueError, 3]


async def test_nobody_waits_for_a_batch_that_was_cancelled() -> None:
    # given
    async def serve(items: Sequence[int]) -> Sequence[int]:
        raise asyncio.CancelledError

    gathering = Gathering(serve, 10)

    # when
    ends = await asyncio.wait_for(
        asyncio.gather(gathering.ask(1), gathering.ask(2), return_exceptions=True), 60
    )

    # then
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 2


async def test_a_call_that_is_given_up_is_not_served() -> None:
    # given
    served: list[int] = []

    async def serve(items: Sequence[int]) -> Sequence[int]:
        served.extend(items)
        await asyncio.sleep(0)
        return items

    gathering = Gathering(serve, most=1)
    asks = [asyncio.create_task(gathering.ask(n)) for n in range(3)]
    await asyncio.sleep(0)

    # when
    asks[1].cancel()

    # then
    await asyncio.gather(*asks, return_exceptions=True)
    assert served == [0, 2]
