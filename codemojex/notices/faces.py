"""A card as the message that shows it, from what the database holds now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import CODE_LENGTH, Mode
from codemojex.game.scoring import CRACKED
from codemojex.notices.outgoing import Outgoing, Reaction
from codemojex.play import games, showing, votes
from codemojex.play.cards import ANEW, BELOW, Card, CardKind
from codemojex.play.composing import ComposerView, composers
from codemojex.play.feeds import feed
from codemojex.play.keys import key_rows
from codemojex.play.outbox import Notice
from codemojex.play.views import BoardView, boards
from codemojex.play.votes import Vote
from codemojex.texts import Texts
from codemojex.texts.markup import Html

log = structlog.get_logger(__name__)

# What a row that this version cannot make sense of comes to.
UNSHOWABLE = (LookupError, TypeError, ValueError, AttributeError)

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


@dataclass(frozen=True, slots=True)
class Sight:
    """What was read of many cards at once.

    Attributes:
        composers, boards, votes: by card; by game; by game, where somebody wants to give up.
        below: cards whose message was sent below a result.
    """

    composers: Mapping[int, ComposerView]
    below: Collection[int]
    boards: Mapping[int, BoardView]
    votes: Mapping[int, Vote]


async def look(tx: AsyncConnection, cards: Collection[Card]) -> dict[int, Sight]:
    """Read what these cards show; by card, without those of which that cannot be made out."""
    try:
        sight = await _look(tx, cards)
    except UNSHOWABLE as error:
        if len(cards) > 1:
            alone = [await look(tx, [card]) for card in cards]
            return {id: sight for each in alone for id, sight in each.items()}
        log.error("a card cannot be read", cards=[card.id for card in cards], error=type(error).__name__)
        return {}
    return dict.fromkeys([card.id for card in cards], sight)


async def _look(tx: AsyncConnection, cards: Collection[Card]) -> Sight:
    found = await games.of_ids(tx, {card.game_id for card in cards})
    composing = [card for card in cards if card.kind is not CardKind.BOARD]
    seen = [card.id for card in composing if card.message_id is not None]
    shown = {card.game_id for card in cards if card.kind is CardKind.BOARD}
    views = [view for id, view in found.items() if id in shown]
    return Sight(
        composers=await composers(tx, [card.id for card in composing], found) if composing else {},
        below=await showing.standing_below(tx, seen) if seen else (),
        boards=await boards(tx, views) if views else {},
        votes=await votes.so_far(tx, open_) if (open_ := [view.id for view in views if view.open]) else {},
    )


async def show(
    tx: AsyncConnection,
    card: Card,
    waiting: Sequence[Notice],
    sight: Sight,
    texts: Texts,
    now: datetime,
    *,
    sees_all: bool,
) -> Outgoing | None:
    """The message that brings a card up to date and tells ``waiting``.

    Args:
        sight: what was read of it when that was marked as being told.
        sees_all: the bot is shown every message of the chat.
        waiting: refreshes of the card and, on a board, at most 50 results; equally often handed over before.

    Returns:
        None when the game is over and nobody is left to see the card, or to be told by it.
    """
    refreshes = [notice for notice in waiting if notice.card_id is not None]
    results = [notice for notice in waiting if notice.card_id is None]
    how = [notice.data for notice in refreshes]
    if card.kind is CardKind.BOARD:
        face = await _board(tx, card, results, sight, texts, now, anew=ANEW in how, sees_all=sees_all)
    else:
        face = await _composer(tx, card, sight, texts, anew=ANEW in how, below=BELOW in how)
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
    tx: AsyncConnection,
    card: Card,
    results: Sequence[Notice],
    sight: Sight,
    texts: Texts,
    now: datetime,
    *,
    anew: bool,
    sees_all: bool,
) -> _Face | None:
    view = sight.boards[card.game_id]
    if not view.game.open and not results and await showing.is_gone(tx, card):
        return None  # the ending tells it all
    carried = [notice.guess_id for notice in results if notice.guess_id is not None]
    vote = sight.votes.get(view.game.id)
    given = {"votes": vote.votes, "needed": vote.needed} if vote else {}
    lines = await feed(tx, view.game, carried, _LINES)
    text = texts.live_board(view, lines, now, sees_all=sees_all, **given)
    keys = key_rows(view.game.id, view.game.keyboard, None) if view.game.open else None
    return _Face(text, keys, results, anew and view.game.open)


async def _composer(
    tx: AsyncConnection, card: Card, sight: Sight, texts: Texts, *, anew: bool, below: bool
) -> _Face | None:
    view = sight.composers[card.id]
    if not view.playing and await showing.is_gone(tx, card):
        return None
    anew, below = anew and view.playing, below and view.playing
    if card.message_id is not None and not anew and (below or card.id in sight.below):
        text = texts.composer_line(view.draft, view.pins, view.game.keyboard)
    else:
        draft = view.draft if view.playing else None
        text = texts.new_game(view.game, pins=view.pins, draft=draft, room_title=view.code, day=view.day)
    keys = key_rows(view.game.id, view.game.keyboard, view.version) if view.playing else None
    return _Face(text, keys, anew=anew or below)
