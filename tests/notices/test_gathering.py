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


async def test_a_batch_that_fails_fails_each_of_its_calls_and_not_the_next() -> None:
    # given
    fail = True

    async def serve(items: Sequence[int]) -> Sequence[int]:
        if fail:
            raise ValueError("no")
        return items

    gathering = Gathering(serve, most=10)

    # when
    failed = await asyncio.gather(gathering.ask(1), gathering.ask(2), return_exceptions=True)
    fail = False

    # then
    assert [type(error) for error in failed] == [ValueError, ValueError]
    assert await gathering.ask(3) == 3


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
