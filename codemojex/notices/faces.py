"""A card as the message that shows it, from what the database holds now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import CODE_LENGTH, Mode
from codemojex.game.scoring import CRACKED
from codemojex.notices.outgoing import Outgoing, Reaction
from codemojex.play import rooms, showing, views, votes
from codemojex.play.cards import ANEW, BELOW, Card, CardKind
from codemojex.play.composing import composer
from codemojex.play.feeds import feed
from codemojex.play.keys import key_rows
from codemojex.play.outbox import Notice
from codemojex.texts import Texts
from codemojex.texts.markup import Html

_LINES = 12  # of guesses on a board; more only to tell more


@dataclass(frozen=True, slots=True)
class _Face:
    """How a card looks.

    Attributes:
        carried: the results that it tells.
        anew: it is to be a new message.
    """

    text: Html
    markup: dict[str, Any] | None
    carried: Sequence[Notice] = ()
    anew: bool = False


async def show(
    tx: AsyncConnection, card: Card, waiting: Sequence[Notice], texts: Texts, now: datetime
) -> Outgoing | None:
    """The message that brings a card up to date and tells ``waiting``.

    Args:
        waiting: refreshes of the card and, on a board, at most 50 results; equally often handed over before.

    Returns:
        None when the game is over and nobody is left to see the card, or to be told by it.
    """
    refreshes = [notice for notice in waiting if notice.card_id is not None]
    results = [notice for notice in waiting if notice.card_id is None]
    how = [notice.data for notice in refreshes]
    if card.kind is CardKind.BOARD:
        face = await _board(tx, card, results, texts, now, anew=ANEW in how)
    else:
        face = await _composer(tx, card, texts, anew=ANEW in how, below=BELOW in how)
    if face is None:
        return None
    return Outgoing(
        chat_id=card.chat_id,
        thread_id=card.thread_id,
        ids=tuple(notice.id for notice in [*refreshes, *face.carried]),
        attempt=waiting[0].sends + 1,
        taken_at=now,
        text=face.text,
        markup=face.markup,
        card_id=card.id,
        edits=None if face.anew else card.message_id,
        reaction=reaction(face.carried[0]) if len(face.carried) == 1 else None,
    )


def reaction(result: Notice) -> Reaction | None:
    """What fits under the guess of a result; nothing under one that was put together with buttons."""
    if result.kind != "result" or result.reply_to is None or result.reply_to <= 0:
        return None
    if result.data["total"] == CRACKED or result.data.get("exact") == CODE_LENGTH:
        return Reaction(result.reply_to, "🎉")
    if result.data["mode"] != Mode.CLASSIC:
        return Reaction(result.reply_to, "👌")
    return Reaction(result.reply_to, "🔥" if result.data.get("new_best") else "👍")


async def _board(
    tx: AsyncConnection, card: Card, results: Sequence[Notice], texts: Texts, now: datetime, *, anew: bool
) -> _Face | None:
    view = await views.board(tx, card.game_id)
    if not view.game.open and not results and await showing.is_gone(tx, card):
        return None  # the ending tells it all
    carried = [notice.guess_id for notice in results if notice.guess_id is not None]
    vote = await votes.so_far(tx, view.game.id) if view.game.open else None
    given = {"votes": vote.votes, "needed": vote.needed} if vote else {}
    lines, sees_all = await feed(tx, view.game, carried, _LINES), await rooms.sees_all(tx, card.chat_id)
    text = texts.live_board(view, lines, now, sees_all=sees_all, **given)
    keys = key_rows(view.game.id, view.game.keyboard, None) if view.game.open else None
    return _Face(text, keys, results, anew and view.game.open)


async def _composer(
    tx: AsyncConnection, card: Card, texts: Texts, *, anew: bool, below: bool
) -> _Face | None:
    if card.player_id is None:
        raise ValueError("a composer has a player")
    view = await composer(tx, card.game_id, card.player_id)
    if not view.playing and await showing.is_gone(tx, card):
        return None
    anew, below = anew and view.playing, below and view.playing
    if card.message_id is not None and not anew and (below or await showing.stands_below(tx, card)):
        text = texts.composer_line(view.draft, view.pins, view.game.keyboard)
    else:
        draft = view.draft if view.playing else None
        text = texts.new_game(view.game, pins=view.pins, draft=draft, room_title=view.code, day=view.day)
    keys = key_rows(view.game.id, view.game.keyboard, view.version) if view.playing else None
    return _Face(text, keys, anew=anew or below)
