"""What somebody has achieved, and who has achieved most."""

from __future__ import annotations

from collections.abc import Sequence

from telegram import Chat, Update

from codemojex.bot.handlers.places import IN_DISGUISE, PERSON, Handler, command, parts
from codemojex.bot.turn import Turn
from codemojex.play import seasons
from codemojex.play import stats as stats_
from codemojex.play.days import local_day
from codemojex.play.seasons import EVERYBODY, Period

_HERE, _EVERYWHERE = "chat", "global"


async def stats(update: Update, turn: Turn) -> None:
    """A player's games in numbers."""
    message, user = parts(update)
    await turn.player(user)
    view = await stats_.stats(turn.tx, user.id, local_day(message.date, turn.rules.tz))
    await turn.reply(message, turn.texts.stats(view))


async def top(update: Update, turn: Turn) -> None:
    """The best of a period: of this group, or of everybody."""
    message, user = parts(update)
    grouped = message.chat.type != Chat.PRIVATE
    here, period = read_top(turn.args, grouped=grouped)
    scope = message.chat_id if here else EVERYBODY
    view = await seasons.top(turn.tx, scope, period, message.date, turn.rules.tz, user.id)
    await turn.reply(message, turn.texts.top(view, message.chat.title if here else None, period))


def read_top(words: Sequence[str], *, grouped: bool) -> tuple[bool, Period]:
    """Whether the board of this chat is meant, and of which period; in any order, other words passed over.

    In private there is no board but that of everybody.
    """
    here, period = grouped, Period.WEEK
    for word in words:
        low = word.lower()
        if low in (_HERE, _EVERYWHERE):
            here = grouped and low == _HERE
        elif low in {each.value for each in Period}:
            period = Period(low)
    return here, period


def handlers() -> list[Handler]:
    """Numbers and boards of many games."""
    return [
        command("stats", stats),
        command("top", top, PERSON | IN_DISGUISE),
        # What many other bots call it.
        command("leaderboard", top, PERSON | IN_DISGUISE),
    ]
