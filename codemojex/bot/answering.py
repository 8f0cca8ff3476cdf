"""Answers that no handler writes: a refusal where it happened, and a word to every tap on a button."""

from __future__ import annotations

from collections.abc import Sequence

from telegram import Update

from codemojex.bot.marks import RawUpdate, part
from codemojex.bot.turn import Turn
from codemojex.game.refusals import GameRefused, GuessRefused
from codemojex.play.keys import CallbackAnswer
from codemojex.texts.markup import plain


async def answer_refusal(update: Update, turn: Turn, refusal: GuessRefused | GameRefused) -> None:
    """Say why not: under the message, or over the button that was tapped. Some refusals stay silent."""
    said = turn.texts.refused(refusal)
    if said is None:
        return
    if update.callback_query is not None:
        turn.answer(update.callback_query.id, plain(said))
    elif update.message is not None:
        await turn.reply(update.message, said)


def unanswered(raw: RawUpdate, answers: Sequence[CallbackAnswer]) -> list[CallbackAnswer]:
    """The answer to a tap that has none so far; until there is one, a clock turns on the button."""
    query_id = part(raw, "callback_query").get("id")
    if not isinstance(query_id, str) or any(answer.id == query_id for answer in answers):
        return []
    return [CallbackAnswer(query_id)]
