"""What a bot tells Telegram about itself when it starts."""

from __future__ import annotations

import structlog
from telegram import Bot, BotCommand
from telegram.error import InvalidToken, TelegramError

from codemojex.calls import trouble
from codemojex.play.languages import DEFAULT, LANGUAGES
from codemojex.texts import commands

log = structlog.get_logger(__name__)


async def introduce(bot: Bot, *, polls: bool) -> None:
    """Tell Telegram which commands this bot has, in each language; say what limits it.

    Args:
        polls: this process asks for updates. A webhook left by an earlier deployment would answer every poll
            with a conflict, so it is taken away; what waits there is kept.
    """
    try:
        if polls:
            await bot.delete_webhook(drop_pending_updates=False)
        for code in LANGUAGES:
            # The list without a language is for everybody who speaks another one.
            shown_to = None if code == DEFAULT else code
            await bot.set_my_commands(
                [BotCommand(name, what) for name, what in commands(code)], language_code=shown_to
            )
    except InvalidToken:
        raise
    except TelegramError as error:
        log.warning("Telegram did not take the bot's commands", error=trouble(error))
    if not bot.bot.can_read_all_group_messages:
        log.info(
            "privacy mode is on: in groups the bot sees commands and replies only; @BotFather, /setprivacy changes it"
        )
