"""Giving up: alone at once, in company by a majority of those who play, or by an admin of the group.

Of friends in a room, those who have left it can neither vote nor be waited for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.refusals import DailyNotGivenUp, NothingToGiveUp, NotYoursToGiveUp, VoteCounted
from codemojex.play import games, members
from codemojex.play.games import Cause, GameView
from codemojex.play.locks import lock_game
from codemojex.play.minting import Mint
from codemojex.play.players import Player
from codemojex.play.pseudonyms import is_pseudonym
from codemojex.play.rooms import Room, RoomKind
from codemojex.play.settlement import Settled, settle
from codemojex.store.lists import listed
from codemojex.store.schema import guesses, votes
from codemojex.store.upsert import upsert


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote that does not end the game yet.

    Attributes:
        votes: how many want to give up now.
        needed: how many it takes: more than half of those who have guessed and are still there.
    """

    votes: int
    needed: int


async def give_up(
    tx: AsyncConnection,
    room: Room,
    player: Player,
    now: datetime,
    mint: Mint,
    *,
    admin: bool = False,
    tz: str = "UTC",
) -> Settled | Vote:
    """End the open game of a room, or vote for it. A guess admitted before that cracks it still wins.

    One whose clock has run out ends by that, whoever asks.

    Args:
        admin: the player is an admin of this group.
        tz: DAILY_TZ.

    Raises:
        NothingToGiveUp: no game is open there.
        DailyNotGivenUp: it is the puzzle of a day.
        NotYoursToGiveUp: others play it, and this player has not guessed.
        VoteCounted: they have voted already, and it takes more.
    """
    if room.kind is RoomKind.DAILY:
        raise DailyNotGivenUp
    game = await games.running(tx, room)
    if game is None:
        raise NothingToGiveUp
    timely = game.takes_guesses(now)
    if timely and not room.alone and not (admin and room.chat_id is not None):
        vote = await _vote(tx, game, room, player, now)
        if vote.votes < vote.needed:
            return vote
    settled = await settle(tx, game.id, now, mint, Cause.GAVE_UP if timely else None, tz)
    if settled is None:
        raise NothingToGiveUp
    return settled


async def so_far(tx: AsyncConnection, game_ids: Collection[int]) -> dict[int, Vote]:
    """How many want to give up each of these games of groups; without those that nobody wants to."""
    voted: dict[int, set[int]] = {}
    for game_id, player_id in await tx.execute(_VOTED, {"games": game_ids}):
        voted.setdefault(game_id, set()).add(player_id)
    found = {}
    for game_id, who in voted.items():
        playing = await _played(tx, game_id)
        if votes := len(who & playing):
            found[game_id] = Vote(votes, _needed(playing))
    return found


async def _vote(tx: AsyncConnection, game: GameView, room: Room, player: Player, now: datetime) -> Vote:
    """Count a player's vote. The game's row is locked: of two last votes at once, one sees the other."""
    held = await lock_game(tx, game.id, now)
    if not held.open:
        raise NothingToGiveUp
    playing = await _playing(tx, game.id, room)
    if not playing and (player.id == game.opened_by or await _is_gone(tx, game.opened_by, room)):
        return Vote(1, 1)
    if player.id not in playing:
        raise NotYoursToGiveUp
    values = {"game_id": game.id, "player_id": player.id, "voted_at": now}
    new = (await tx.execute(_cast(tx.dialect.name), values)).one_or_none()
    vote = await _count(tx, game.id, playing)
    if new is None and vote.votes < vote.needed:
        raise VoteCounted(vote.votes, vote.needed)
    return vote


async def _count(tx: AsyncConnection, game_id: int, playing: Collection[int]) -> Vote:
    counted = select(func.count()).where(votes.c.game_id == game_id, votes.c.player_id.in_(playing))
    return Vote((await tx.execute(counted)).scalar_one(), _needed(playing))


def _needed(playing: Collection[int]) -> int:
    return len(playing) // 2 + 1


async def _playing(tx: AsyncConnection, game_id: int, room: Room) -> set[int]:
    """Who has guessed and is still there."""
    played = await _played(tx, game_id)
    return played.intersection(await members.chats_of(tx, room.id)) if room.kind is RoomKind.LINK else played


async def _played(tx: AsyncConnection, game_id: int) -> set[int]:
    """Who has guessed; without those who asked to be forgotten, whose ids are below 0."""
    query = select(guesses.c.player_id).where(guesses.c.game_id == game_id, guesses.c.player_id > 0)
    return set((await tx.execute(query.distinct())).scalars())


async def _is_gone(tx: AsyncConnection, opener_id: int, room: Room) -> bool:
    """Whether who opened the game cannot end it any more: forgotten, or out of the room."""
    left = room.kind is RoomKind.LINK and opener_id not in await members.chats_of(tx, room.id)
    return is_pseudonym(opener_id) or left


_VOTED = select(votes.c.game_id, votes.c.player_id).where(listed(votes.c.game_id, "games"))


@cache
def _cast(dialect: str) -> Any:
    return upsert(dialect, votes).on_conflict_do_nothing().returning(votes.c.player_id)
