"""What a bot tells Telegram at its start: its commands in each language, and whether it polls."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs
from telegram import Bot
from telegram.error import InvalidToken

from codemojex.bot.handlers import handlers
from codemojex.bot.introduction import introduce
from codemojex.localtg import LocalTelegram
from codemojex.texts import commands


@pytest.fixture
async def telegram() -> AsyncIterator[LocalTelegram]:
    async with LocalTelegram() as running:
        yield running


@pytest.fixture
async def bot(telegram: LocalTelegram) -> AsyncIterator[Bot]:
    async with Bot(telegram.token, base_url=f"{telegram.url}/bot") as made:
        yield made


async def test_everybody_is_shown_the_commands_in_their_language(telegram, bot):
    # when
    await introduce(bot, polls=True)

    # then
    shown = {code: telegram.person("P", language_code=code).commands for code in ("en", "ru", "de")}
    assert shown["en"] == commands("en")
    assert shown["ru"] == commands("ru")
    assert shown["de"] == commands("en")
    assert shown["ru"] != shown["en"]


@pytest.mark.parametrize("polls", [True, False])
async def test_only_a_bot_that_polls_takes_the_webhook_away_and_drops_nothing(telegram, bot, polls):
    # given
    await bot.set_webhook("http://127.0.0.1:9/hook")
    await telegram.person("Ada").send("hello")

    # when
    await introduce(bot, polls=polls)

    # then
    assert ((await bot.get_webhook_info()).url == "") is polls
    assert len(telegram.pending()) == 1


async def test_a_telegram_that_takes_no_commands_is_no_reason_not_to_start(telegram, bot):
    # given
    telegram.fail_next("setMyCommands", status=500)

    # when
    with capture_logs() as said:
        await introduce(bot, polls=True)

    # then
    assert any("did not take" in line["event"] for line in said)


async def test_a_token_that_is_refused_ends_the_start(telegram):
    # given
    wrong = Bot("7000000009:wrong", base_url=f"{telegram.url}/bot")
    await wrong.request.initialize()

    # then
    with pytest.raises(InvalidToken):
        await introduce(wrong, polls=True)
    await wrong.request.shutdown()


@pytest.mark.parametrize("code", ["en", "ru"])
def test_the_menu_lists_what_there_is_a_handler_for(code):
    # given
    handled = {name for handler in handlers() for name in getattr(handler, "commands", ())}

    # then: each in Telegram's limits
    listed = commands(code)
    assert {name for name, _ in listed} <= handled
    assert handled - {name for name, _ in listed} == {"start", "leaderboard"}
    assert all(1 <= len(what) <= 256 for _, what in listed)
    assert len(listed) <= 100
