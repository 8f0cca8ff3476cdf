"""Hello, help, rules, ping; and where a deep link leads."""

from __future__ import annotations

from datetime import timedelta

from telegram import Update

from codemojex.bot.handlers import days, friends, games
from codemojex.bot.handlers.places import GROUP, IN_DISGUISE, PERSON, PRIVATE, Handler, command, parts
from codemojex.bot.links import DAILY, code_in
from codemojex.bot.turn import Turn
from codemojex.play import rooms


async def start(update: Update, turn: Turn) -> None:
    """Greet, or go where the link leads that the person came by."""
    message, user = parts(update)
    await turn.player(user)
    await turn.room(message.chat)
    payload = turn.args[0] if turn.args else ""
    code = code_in(payload)
    if code is not None:
        await friends.enter(message, user, code, turn)
    elif payload == DAILY:
        await days.begin(message, user, turn)
    else:
        await turn.reply(message, turn.texts.start(user.first_name))


async def greet(update: Update, turn: Turn) -> None:
    """Introduce the bot to a group."""
    message, _ = parts(update)
    bot = message.get_bot()
    sees_all = bool(bot.bot.can_read_all_group_messages) or await rooms.sees_all(turn.tx, message.chat_id)
    await turn.reply(message, turn.texts.greet_group(bot.username, sees_all))


async def help_(update: Update, turn: Turn) -> None:
    """List the commands and explain the score."""
    message, _ = parts(update)
    await turn.reply(message, turn.texts.help())


async def rules(update: Update, turn: Turn) -> None:
    """The rules, with the names of the symbols: those of the running game, or all."""
    message, user = parts(update)
    game = await turn.running(await games.here(message, user, turn))
    await turn.reply(message, turn.texts.rules(None if game is None else game.keyboard))


async def ping(update: Update, turn: Turn) -> None:
    """Say how long the message took to get here."""
    message, _ = parts(update)
    took = max(turn.now - message.date, timedelta(0))
    await turn.reply(message, turn.texts.ping(took // timedelta(milliseconds=1)))


def handlers() -> list[Handler]:
    """The bot's own words."""
    return [
        command("start", start, PRIVATE),
        command("start", greet, GROUP),
        command("help", help_, PERSON | IN_DISGUISE),
        command("rules", rules, PERSON | IN_DISGUISE),
        command("ping", ping, PERSON | IN_DISGUISE),
    ]
