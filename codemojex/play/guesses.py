"""Admission: a message becomes a guess, once, in an order that nobody can argue about.

The game's row is locked before anything is read or minted, so guesses of one game are admitted one after
another; ``ordinal`` is that order, and with one minter the ids follow it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.game.pace import Pace, Step, step
from codemojex.game.parsing import check_guess
from codemojex.game.refusals import AlreadySolved, AlreadyTried, DayOver, OutOfGuesses, TooFast
from codemojex.play.days import local_day
from codemojex.play.games import GameView
from codemojex.play.limits import Limits
from codemojex.play.locks import lock_game
from codemojex.play.minting import Mint
from codemojex.play.payloads import GuessJob, guess_job
from codemojex.play.players import Player
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.engine import TryAgain
from codemojex.store.schema import games, guesses, players
from codemojex.store.upsert import upsert

__all__ = ["Guesses", "Limits", "Receipt", "Source", "solved"]

_MINTS = 3


@dataclass(frozen=True, slots=True)
class Source:
    """The message a guess came in.

    Attributes:
        message_id: below 0 for a guess composed with buttons, see `drafts`.
        at: the message's own time, aware UTC; a player's pace is measured by it, and a day's puzzle takes
            what was sent on its day.
        thread_id: forum topic, 0 for none.
        update_id: the update that brought it, None when there was none.
    """

    chat_id: int
    message_id: int
    at: datetime
    thread_id: int = 0
    update_id: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """An admitted guess.

    Attributes:
        id: the JOB id.
        number: nth guess of this player in this game.
        duplicate: True when this message had been admitted before; nothing was written.
    """

    id: str
    number: int
    duplicate: bool
    game_id: int
    player_id: int

    @property
    def item(self) -> GuessJob:
        """Its job, as the bursts take it."""
        return guess_job(self.id, self.player_id, self.game_id)


@dataclass(frozen=True, slots=True)
class Guesses:
    """Admits guesses in one transaction, at one moment; ``tz`` is DAILY_TZ, by which a message has its day."""

    tx: AsyncConnection
    now: datetime
    mint: Mint
    limits: Limits
    tz: str = "UTC"

    async def submit(self, game: GameView, player: Player, symbols: Sequence[str], source: Source) -> Receipt:
        """Admit six symbols as ``player``'s next guess in ``game``.

        The same message again gets the first receipt, whatever has happened since, and costs nothing.

        Raises:
            NotSix, Unknown, Repeated: the symbols are no guess on this keyboard.
            GameOver: the game is closed, or its time is up.
            DayOver: the day's puzzle is closed, or the message is not of its day.
            AlreadySolved: the player has cracked the day's puzzle, scored or not.
            OutOfGuesses: the player has none left.
            AlreadyTried: they have sent the same six in this game before; the pace is remembered here too.
            TooFast: too many at once; the pace is remembered, so let the transaction commit.
            TryAgain: another transaction admitted this message meanwhile; let it pass up to `Store.transact`.
        """
        six = check_guess(symbols, game.keyboard)
        held = await lock_game(self.tx, game.id, self.now)
        facts = await self._facts(game.id, player.id, source, "".join(six))
        if facts.first_id is not None:
            return Receipt(facts.first_id, facts.first_number, True, facts.first_game_id, player.id)
        held.check_open()
        if held.day is not None:
            await self._check_day(held.day, game, player, source)
        if facts.number >= game.guess_limit:
            raise OutOfGuesses(game.guess_limit)
        await self._keep_pace(player.id, facts, source.at)
        if facts.tried is not None:
            raise await self._already_tried(game, player, facts.tried)
        values = {
            "game_id": game.id,
            "player_id": player.id,
            "chat_id": source.chat_id,
            "message_id": source.message_id,
            "thread_id": source.thread_id,
            "update_id": source.update_id,
            "ordinal": facts.ordinal + 1,
            "number": facts.number + 1,
            "symbols": "".join(six),
            "admitted_at": self.now,
        }
        return Receipt(await self._insert(values), facts.number + 1, False, game.id, player.id)

    async def _check_day(self, day: str, game: GameView, player: Player, source: Source) -> None:
        if local_day(source.at, self.tz) != day:
            raise DayOver(day)
        if await solved(self.tx, game.id, player.id):
            raise AlreadySolved

    async def _already_tried(self, game: GameView, player: Player, number: int) -> AlreadyTried:
        """What the same guess got before, as far as the game's mode shows it."""
        about = {"game": game.id, "player": player.id, "number": number}
        tried = (await self.tx.execute(_TRIED, about)).one()
        if game.mode is Mode.CLASSIC:
            return AlreadyTried(number, total=tried.points)
        if game.mode is Mode.PEGS:
            return AlreadyTried(number, exact=tried.exact, misplaced=tried.misplaced)
        return AlreadyTried(number)

    async def _facts(self, game_id: int, player_id: int, source: Source, symbols: str) -> AnyRow:
        """What stands in the database about this game, this player and this message, under the lock."""
        about: dict[str, Any] = {"game": game_id, "player": player_id, "symbols": symbols}
        about |= {"chat": source.chat_id, "message": source.message_id}
        return (await self.tx.execute(_FACTS, about)).one()

    async def _keep_pace(self, player_id: int, facts: AnyRow, at: datetime) -> None:
        pace = Pace(facts.pace_tokens, facts.pace_at, facts.pace_told)
        weighed = step(pace, at, self.limits.per_second, self.limits.burst)
        if weighed.pace != pace:
            await self._remember(player_id, weighed)
        if not weighed.allowed:
            raise TooFast(self.limits.per_second, weighed.tell)

    async def _remember(self, player_id: int, weighed: Step) -> None:
        pace = weighed.pace
        kept = {"player": player_id, "tokens": pace.tokens, "at": pace.at, "told": pace.told}
        await self.tx.execute(_REMEMBER, kept)

    async def _insert(self, values: dict[str, Any]) -> str:
        for _ in range(_MINTS):
            # An id that exists already was minted by a process that shares this one's node id.
            values["id"] = self.mint("JOB")
            inserted = await self.tx.execute(_admit(self.tx.dialect.name), values)
            id = inserted.scalar_one_or_none()
            if id is not None:
                return str(id)
        raise TryAgain("a message was admitted by another transaction")


async def solved(tx: AsyncConnection, game_id: int, player_id: int) -> bool:
    """Whether a player has cracked a game, even if nobody knows of it yet."""
    return bool((await tx.execute(_SOLVED, {"game": game_id, "player": player_id})).scalar_one())


# The statements of the busiest path are built once: on SQLite building one takes longer than running it.
# The database compares: the secret is not read.
_SOLVED = select(
    exists().where(
        games.c.id == bindparam("game"),
        guesses.c.game_id == games.c.id,
        guesses.c.player_id == bindparam("player"),
        guesses.c.symbols == games.c.secret,
    )
)

_TRIED = select(guesses.c.points, guesses.c.exact, guesses.c.misplaced).where(
    guesses.c.game_id == bindparam("game"),
    guesses.c.player_id == bindparam("player"),
    guesses.c.number == bindparam("number"),
)

_REMEMBER = (
    update(players)
    .where(players.c.id == bindparam("player"))
    .values(pace_tokens=bindparam("tokens"), pace_at=bindparam("at"), pace_told=bindparam("told"))
)


@cache
def _admit(dialect: str) -> Any:
    return upsert(dialect, guesses).on_conflict_do_nothing().returning(guesses.c.id)


def _last(column: Any, *conditions: Any) -> Any:
    return select(func.coalesce(func.max(column), 0)).where(*conditions).scalar_subquery()


def _facts() -> AnySelect:
    first, this_game = guesses.alias("first"), guesses.c.game_id == bindparam("game")
    mine = guesses.c.player_id == bindparam("player")
    # The first: a database from before repeats were refused may hold several.
    tried = select(func.min(guesses.c.number)).where(
        this_game, mine, guesses.c.symbols == bindparam("symbols")
    )
    same = and_(first.c.chat_id == bindparam("chat"), first.c.message_id == bindparam("message"))
    return (
        select(players.c.pace_tokens, players.c.pace_at, players.c.pace_told)
        .add_columns(
            first.c.id.label("first_id"),
            first.c.number.label("first_number"),
            first.c.game_id.label("first_game_id"),
            _last(guesses.c.ordinal, this_game).label("ordinal"),
            _last(guesses.c.number, this_game, mine).label("number"),
            tried.scalar_subquery().label("tried"),
        )
        .select_from(players.outerjoin(first, same))
        .where(players.c.id == bindparam("player"))
        .with_for_update(of=players, key_share=True)
    )


_FACTS = _facts()
