"""Who may decide for a group is asked of Telegram: where it matters, once a minute, and not for long."""

from __future__ import annotations

import asyncio

import pytest
from telegram.error import NetworkError, TimedOut

from codemojex.bot import admins as admins_
from codemojex.bot.admins import Admins, wanted
from tests.bot.desk import ADA, BO, FRUIT, NEAR


def test_only_what_an_admin_alone_may_do_in_a_group_asks_who_they_are(desk_free):
    updates = [
        desk_free.message(ADA, "/giveup", FRUIT),
        desk_free.message(ADA, "/Settings@codemojex_bot mode pegs", FRUIT - 1),
        desk_free.callback(ADA, "s:mode:pegs", FRUIT - 2),
        desk_free.message(ADA, "/giveup"),
        desk_free.message(ADA, "/new", FRUIT - 3),
        desk_free.message(ADA, NEAR, FRUIT - 4),
        desk_free.callback(ADA, "g:1:1:-", FRUIT - 5),
        desk_free.message(BO, "/giveup", FRUIT),
    ]
    assert wanted(updates) == [FRUIT, FRUIT - 1, FRUIT - 2]


class Asked:
    """A bot that counts how often it is asked for admins, and answers as told."""

    def __init__(self, answer) -> None:
        self.times = 0
        self._answer = answer

    async def get_chat_administrators(self, chat_id, **_):
        self.times += 1
        return await self._answer(chat_id)


async def _nobody(_):
    return ()


async def test_admins_are_asked_for_once_a_minute(desk_free):
    # given
    now = [0.0]
    bot = Asked(_nobody)
    admins = Admins(bot, clock=lambda: now[0])  # type: ignore[arg-type]
    batch = [desk_free.message(ADA, "/giveup", FRUIT)]

    # when
    for now[0] in (0.0, 30.0, 59.0, 61.0):
        assert await admins.of(batch) == {FRUIT: frozenset()}

    # then
    assert bot.times == 2


async def test_many_groups_are_asked_at_once_and_a_slow_one_holds_up_nobody(desk_free, monkeypatch):
    # given
    monkeypatch.setattr(admins_, "_LIMIT_S", 3)
    asked, all_asked = set(), asyncio.Event()

    async def slow(chat_id):
        asked.add(chat_id)
        if len(asked) == 20:
            all_asked.set()
        await (asyncio.Event() if chat_id == FRUIT else all_asked).wait()
        return ()

    admins = Admins(Asked(slow))  # type: ignore[arg-type]
    batch = [desk_free.message(ADA, "/giveup", FRUIT - n) for n in range(20)]

    # when
    known = await admins.of(batch)

    # then
    assert set(known) == {FRUIT - n for n in range(1, 20)}


@pytest.mark.parametrize("error", [TimedOut(), NetworkError("away")], ids=str)
async def test_a_group_that_telegram_says_nothing_about_has_no_admins_and_is_asked_again(desk_free, error):
    # given
    async def fails(_):
        raise error

    bot = Asked(fails)
    admins = Admins(bot)  # type: ignore[arg-type]
    batch = [desk_free.message(ADA, "/giveup", FRUIT)]

    # then
    assert [await admins.of(batch) for _ in range(2)] == [{}, {}]
    assert bot.times == 2
