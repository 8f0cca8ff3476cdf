"""A volley: plain guesses of many players, admitted by a few statements in all.

What a guess means is said in `guesses`, one at a time. Here is the same for the ordinary case alone: a player under the
name they had, or somebody new in a group, a game that runs where they write, six symbols of its keyboard that they have
not tried in it, guesses and pace to spare, nothing pinned, no room of friends. A volley ends before the first guess of
which not all of that is so; that one, and its refusal, is left to `guesses`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import func, null, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.pace import step
from codemojex.game.parsing import parse_guess
from codemojex.game.refusals import GuessRefused
from codemojex.play import shooters
from codemojex.play.days import local_day
from codemojex.play.fields import Field, fields
from codemojex.play.limits import Limits
from codemojex.play.literals import IS_OPEN
from codemojex.play.minting import Mint
from codemojex.play.payloads import GuessJob, guess_job
from codemojex.play.players import Person
from codemojex.play.rooms import ChatRef
from codemojex.play.shooters import Shooter
from codemojex.store.lists import listed, pair_listed
from codemojex.store.rows import given
from codemojex.store.schema import games, guesses


@dataclass(frozen=True, slots=True)
class Shot:
    """A message of words or emojis and nothing else, outside of topics.

    Attributes:
        at: the message's own time, aware UTC.
    """

    person: Person
    chat: ChatRef
    message_id: int
    at: datetime
    update_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Volleys:
    """Admits volleys in one transaction, at one moment; ``tz`` is DAILY_TZ."""

    tx: AsyncConnection
    now: datetime
    mint: Mint
    limits: Limits
    tz: str = "UTC"

    async def admit(self, shots: Sequence[Shot]) -> list[GuessJob]:
        """Admit the longest head of ``shots`` in which everything is ordinary; their jobs, in the same order.

        Raises:
            IntegrityError: another transaction was faster; roll back to before, and admit them one by one.
        """
        people = await shooters.known(self.tx, {shot.person.id for shot in shots})
        days = {each.daily for each in people.values() if each.daily is not None}
        places = await fields(self.tx, {shot.chat.id for shot in shots}, days)
        aims = list(self._aims(shots, people, places))
        # Before the games are locked, which is the order of all locks; each of them guesses at a game that runs.
        await shooters.welcome(self.tx, [aim.person for aim in aims], self.now)
        tally = await self._tally(aims)
        rows = list(self._rows(aims, tally))
        if rows:
            await self.tx.execute(_admit(self.tx.dialect.name), {"guesses": rows})
            people_seen = [aim.person for aim in aims[: len(rows)]]
            await shooters.remember(self.tx, people_seen, self.now, paced=self.limits.per_second > 0)
        return [guess_job(row["id"], row["player_id"], row["game_id"]) for row in rows]

    def _aims(
        self, shots: Sequence[Shot], people: dict[int, Shooter], places: dict[int | str, Field]
    ) -> Iterator[_Aim]:
        """What each shot goes at, up to the first that is out of the ordinary."""
        for shot in shots:
            person = people.get(shot.person.id)
            if person is None and shot.chat.id < 0:
                person = people[shot.person.id] = shooters.newcomer(shot.person)
            if person is None or not person.is_ordinary(shot.person):
                return
            day = local_day(shot.at, self.tz) if person.daily is not None and shot.chat.id > 0 else None
            here = places.get(shot.chat.id)
            field = places.get(day) if day is not None and day == person.daily else here
            if here is None or not here.is_ordinary(shot.chat) or field is None or field.keyboard is None:
                return
            try:
                six = parse_guess(shot.text, field.keyboard)
            except GuessRefused:
                return
            yield _Aim(shot, person, field, "".join(six))

    async def _tally(self, aims: Sequence[_Aim]) -> _Tally:
        """How far the games and their players are, under the locks of the games' rows."""
        ids = sorted({aim.field.row.game_id for aim in aims})
        if not ids:
            return _Tally()
        open_ = {
            row.id
            for row in await self.tx.execute(_GAMES, {"games": ids})
            if row.open and (row.closes_at is None or self.now < row.closes_at)
        }
        pairs = sorted({(aim.field.row.game_id, aim.person.id) for aim in aims})
        tally = _Tally(open_)
        sixes = sorted({aim.six for aim in aims})
        found = await self.tx.execute(_LAST, {"games": ids, "pairs": pairs, "sixes": sixes})
        for game_id, player_id, last, tried in found:
            if player_id is None:
                tally.ordinals[game_id] = last or 0
            else:
                tally.numbers[game_id, player_id] = last
                tally.tried.update((game_id, player_id, six) for six in (tried or "").split())
        daily = [(aim.field.row.game_id, aim.person.id) for aim in aims if aim.field.row.day is not None]
        if daily:
            tally.solved.update(
                (row.game_id, row.player_id) for row in await self.tx.execute(_SOLVED, {"pairs": daily})
            )
        return tally

    def _rows(self, aims: Iterable[_Aim], tally: _Tally) -> Iterator[dict[str, Any]]:
        """The guesses, up to the first that is to be refused."""
        for aim in aims:
            shot, person, game = aim.shot, aim.person, aim.field.row
            mine = game.game_id, shot.person.id
            number = tally.numbers.get(mine, 0) + 1
            if game.game_id not in tally.open or mine in tally.solved or number > game.guess_limit:
                return
            if (*mine, aim.six) in tally.tried:
                return
            weighed = step(person.pace, shot.at, self.limits.per_second, self.limits.burst)
            if not weighed.allowed:
                return
            person.pace = weighed.pace
            tally.numbers[mine] = number
            tally.tried.add((*mine, aim.six))
            tally.ordinals[game.game_id] += 1
            if game.day is not None:
                tally.solved.add(mine)  # whether this one does is not known here: the next is looked at anew
            yield {
                "id": self.mint("JOB"),
                "game_id": game.game_id,
                "player_id": shot.person.id,
                "chat_id": shot.chat.id,
                "message_id": shot.message_id,
                "thread_id": 0,
                "update_id": shot.update_id,
                "ordinal": tally.ordinals[game.game_id],
                "number": number,
                "symbols": aim.six,
                "late": False,
                "admitted_at": self.now,
            }


@dataclass(frozen=True, slots=True, eq=False)
class _Aim:
    """A shot and what it goes at."""

    shot: Shot
    person: Shooter
    field: Field
    six: str


@dataclass(slots=True)
class _Tally:
    """How far everything is.

    Attributes:
        open: games that take guesses.
        ordinals, numbers: the last guess of a game, and of a player in one.
        tried: (game, player, symbols) of guesses so far, as far as they matter here.
        solved: who may have cracked the puzzle of a day.
    """

    open: set[int] = field(default_factory=set)
    ordinals: dict[int, int] = field(default_factory=dict)
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    tried: set[tuple[int, int, str]] = field(default_factory=set)
    solved: set[tuple[int, int]] = field(default_factory=set)


def _last() -> Any:
    last = select(func.max(guesses.c.ordinal)).where(guesses.c.game_id == games.c.id).scalar_subquery()
    of_games = select(games.c.id, null(), last, null()).where(listed(games.c.id, "games"))
    of_players = (
        select(guesses.c.game_id, guesses.c.player_id, func.max(guesses.c.number))
        .add_columns(
            func.aggregate_strings(guesses.c.symbols, " ").filter(listed(guesses.c.symbols, "sixes"))
        )
        .where(pair_listed(guesses.c.game_id, guesses.c.player_id, "pairs"))
        .group_by(guesses.c.game_id, guesses.c.player_id)
    )
    return union_all(of_games, of_players)


_GAMES = (
    select(games.c.id, (games.c.state == IS_OPEN).label("open"), games.c.closes_at)
    .where(listed(games.c.id, "games"))
    .order_by(games.c.id)
    .with_for_update(key_share=True)
)
_LAST = _last()
# The database compares: the secret is not read.
_SOLVED = (
    select(guesses.c.game_id, guesses.c.player_id)
    .join(games, games.c.id == guesses.c.game_id)
    .where(pair_listed(guesses.c.game_id, guesses.c.player_id, "pairs"))
    .where(guesses.c.symbols == games.c.secret)
)
_ADMITTED = (
    "id",
    "game_id",
    "player_id",
    "chat_id",
    "message_id",
    "thread_id",
    "update_id",
    "ordinal",
    "number",
    "symbols",
    "late",
    "admitted_at",
)


@cache
def _admit(dialect: str) -> Any:
    row = given(dialect, "guesses", **{name: guesses.c[name].type for name in _ADMITTED})
    return guesses.insert().from_select(list(row), select(*row.values()))
