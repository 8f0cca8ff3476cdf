"""The puzzle of the day: begun in private, shown to friends anywhere."""

from __future__ import annotations

import secrets as dice

from telegram import Message, Update, User

from codemojex.bot.handlers import games
from codemojex.bot.handlers.places import GROUP, PRIVATE, Handler, command, parts
from codemojex.bot.links import daily_link
from codemojex.bot.turn import Turn
from codemojex.play import daily as daily_
from codemojex.play.days import day_before, local_day


async def daily(update: Update, turn: Turn) -> None:
    """Begin the puzzle of the day, or go on with it."""
    message, user = parts(update)
    await begin(message, user, turn)


async def begin(message: Message, user: User, turn: Turn) -> None:
    """Have the person's plain guesses go to the puzzle of the day of this message."""
    player = await turn.player(user)
    await turn.room(message.chat)  # the answers come here: from now on it is known
    rules = turn.rules
    nonce = dice.token_hex(16)
    game = await daily_.today(turn.tx, message.date, rules.tz, turn.now, rules.dice, nonce, player)
    day = local_day(message.date, rules.tz)
    if await daily_.finished(turn.tx, player.id, day):
        await turn.reply(message, turn.texts.daily_already())
        return
    await daily_.begin(turn.tx, player, day)
    await games.deal(game, player.id, turn)


async def daily_in_group(update: Update, turn: Turn) -> None:
    """Say where the puzzle is played."""
    message, _ = parts(update)
    await turn.reply(message, turn.texts.daily_in_group(daily_link(message.get_bot())))


async def share(update: Update, turn: Turn) -> None:
    """Show how the day went, without a symbol of it: today's once it is finished, until then yesterday's."""
    message, user = parts(update)
    day = local_day(message.date, turn.rules.tz)
    today = await daily_.shared(turn.tx, user.id, day)
    shared = today or await daily_.shared(turn.tx, user.id, day_before(day))
    said = turn.texts.share_not_yet() if shared is None else turn.texts.share(shared)
    await turn.reply(message, said)


def handlers() -> list[Handler]:
    """The daily."""
    return [
        command("daily", daily, PRIVATE),
        command("daily", daily_in_group, GROUP),
        command("share", share),
    ]
