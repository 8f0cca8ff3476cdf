"""What a bot tells Telegram about itself when it starts."""

from __future__ import annotations

import structlog
from telegram import Bot, BotCommand
from telegram.error import InvalidToken, TelegramError

from codemojex.texts import commands

log = structlog.get_logger(__name__)


async def introduce(bot: Bot) -> None:
    """Tell Telegram that this bot polls, and which commands it has; say what limits it."""
    try:
        # A webhook left by an earlier deployment would answer every poll with a conflict.
        await bot.delete_webhook(drop_pending_updates=False)
        await bot.set_my_commands([BotCommand(name, what) for name, what in commands()])
    except InvalidToken:
        raise
    except TelegramError as error:
        log.warning("Telegram did not take the bot's commands", error=type(error).__name__)
    if not bot.bot.can_read_all_group_messages:
        log.info("privacy mode is on: in groups the bot sees commands and replies only")
