"""A question to a server is asked once at a time, and nobody waits long for it."""

from __future__ import annotations

import asyncio
import re
import time

import pytest

from codemojex.ops import look as looking
from codemojex.ops.look import Look


class Server:
    """Answers with how often it was asked; hangs or fails when told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.free = asyncio.Event()
        self.free.set()
        self.broken = False

    async def ask(self) -> int:
        self.asked += 1
        await self.free.wait()
        if self.broken:
            raise OSError("it is away")
        return self.asked


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "FRESH_S", 0.2)
    monkeypatch.setattr(looking, "PATIENCE_S", 0.3)


async def test_many_askers_are_one_question(monkeypatch):
    # given: an answer that is fresh for as long as this takes
    monkeypatch.setattr(looking, "FRESH_S", 600)
    server = Server()
    look = Look(server.ask, str)

    # when
    await asyncio.gather(*(look.refresh() for _ in range(100)))
    await look.refresh()

    # then
    assert (look.found, look.trouble, server.asked) == (1, "", 1)


async def test_an_answer_that_is_not_fresh_any_more_is_asked_for_again():
    # given
    server = Server()
    look = Look(server.ask, str)
    await look.refresh()

    # when
    await asyncio.sleep(0.25)
    await look.refresh()

    # then
    assert (look.found, server.asked) == (2, 2)


async def test_a_server_that_hangs_is_asked_once_however_many_want_to_know():
    # given
    server = Server()
    look = Look(server.ask, str)
    await look.refresh()
    server.free.clear()
    await asyncio.sleep(0.25)

    # when
    began = time.monotonic()
    await asyncio.gather(*(look.refresh() for _ in range(50)))
    for _ in range(50):
        await look.refresh()

    # then: all have been told within one patience, not each after its own
    assert time.monotonic() - began < 10
    assert server.asked == 2
    assert look.found is None
    assert re.fullmatch(r"no answer for \d+ s", look.trouble)
    assert look.good_at is not None

    # and when it answers after all
    server.free.set()
    await asyncio.sleep(0.01)

    # then
    assert (look.found, look.trouble) == (2, "")
    await look.close()


async def test_an_error_is_explained_until_there_is_an_answer():
    # given
    server = Server()
    look = Look(server.ask, lambda error: f"explained: {error}")
    server.broken = True

    # when, then
    await look.refresh()
    assert (look.found, look.trouble, look.good_at) == (None, "explained: it is away", None)
    server.broken = False
    await asyncio.sleep(0.25)
    await look.refresh()
    assert (look.found, look.trouble) == (2, "")


async def test_closing_gives_up_the_question_on_its_way():
    # given
    server = Server()
    server.free.clear()
    look = Look(server.ask, str)
    asking = asyncio.create_task(look.refresh())
    await asyncio.sleep(0.01)

    # when
    await look.close()

    # then
    await asking
    assert look.found is None
