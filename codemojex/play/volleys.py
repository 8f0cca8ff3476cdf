"""A volley: plain guesses of many players, admitted by a few statements in all.

What a guess means is said in `guesses`, one at a time. Here is the same for the ordinary case alone: a known player
under the name they had, a game that runs where they write, six symbols of its keyboard, guesses and pace to spare,
nothing pinned, no room of friends. A volley ends before the first guess of which not all of that is so; that one, and
its refusal, is left to `guesses`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, exists, func, literal, null, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Keyboard, Level, keyboard_of
from codemojex.game.pace import Pace, step
from codemojex.game.parsing import parse_guess
from codemojex.game.refusals import GuessRefused
from codemojex.play.days import local_day
from codemojex.play.limits import Limits
from codemojex.play.literals import IS_OPEN
from codemojex.play.minting import Mint
from codemojex.play.payloads import GuessJob, guess_job
from codemojex.play.players import Person, told_of
from codemojex.play.rooms import ChatRef
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.lists import listed, pair_listed
from codemojex.store.schema import chats, games, guesses, members, pins, players, rooms


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
        people = await self._people(shots)
        aims = list(self._aims(shots, people, await self._fields(shots, people)))
        tally = await self._tally(aims)
        rows = list(self._rows(aims, tally))
        if rows:
            await self.tx.execute(_ADMIT, rows)
            await self._remember([aim.person for aim in aims[: len(rows)]])
        return [guess_job(row["id"], row["player_id"], row["game_id"]) for row in rows]

    async def _people(self, shots: Sequence[Shot]) -> dict[int, _Shooter]:
        """Who is known, locked in the order of their ids; see `locks`."""
        ids = sorted({shot.person.id for shot in shots})
        found = await self.tx.execute(_PEOPLE, {"players": ids})
        return {row.id: _Shooter(row, Pace(row.pace_tokens, row.pace_at, row.pace_told)) for row in found}

    async def _fields(self, shots: Sequence[Shot], people: dict[int, _Shooter]) -> dict[int | str, _Field]:
        """The rooms they write in, by chat, and the puzzles they have begun, by day; with the games that run there."""
        ids = sorted({shot.chat.id for shot in shots})
        found = list(await self.tx.execute(_FIELDS, {"chats": ids}))
        days = {each.row.daily for each in people.values() if each.row.daily is not None}
        if days:
            found += await self.tx.execute(_DAYS, {"days": sorted(days)})
        return {row.day or row.chat_id: _Field(row, _keys(row)) for row in found}

    def _aims(
        self, shots: Sequence[Shot], people: dict[int, _Shooter], fields: dict[int | str, _Field]
    ) -> Iterator[_Aim]:
        """What each shot goes at, up to the first that is out of the ordinary."""
        for shot in shots:
            person = people.get(shot.person.id)
            if person is None or not person.is_ordinary(shot.person):
                return
            day = local_day(shot.at, self.tz) if person.row.daily is not None and shot.chat.id > 0 else None
            here = fields.get(shot.chat.id)
            field = fields.get(day) if day is not None and day == person.row.daily else here
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
        pairs = sorted({(aim.field.row.game_id, aim.person.row.id) for aim in aims})
        tally = _Tally(open_)
        for game_id, player_id, last in await self.tx.execute(_LAST, {"games": ids, "pairs": pairs}):
            if player_id is None:
                tally.ordinals[game_id] = last or 0
            else:
                tally.numbers[game_id, player_id] = last
        daily = [(aim.field.row.game_id, aim.person.row.id) for aim in aims if aim.field.row.day is not None]
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
            weighed = step(person.pace, shot.at, self.limits.per_second, self.limits.burst)
            if not weighed.allowed:
                return
            person.pace = weighed.pace
            tally.numbers[mine] = number
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

    async def _remember(self, people: Collection[_Shooter]) -> None:
        """That they were seen, and their pace."""
        seen = {each.row.id: each for each in people}
        if self.limits.per_second <= 0:
            await self.tx.execute(_SEEN, {"players": sorted(seen), "now": self.now})
            return
        paces = [
            {
                "player": id,
                "now": self.now,
                "tokens": each.pace.tokens,
                "at": each.pace.at,
                "told": each.pace.told,
            }
            for id, each in sorted(seen.items())
        ]
        await self.tx.execute(_PACED, paces)


@dataclass(slots=True, eq=False)
class _Shooter:
    """A player, and their pace after the shots looked at so far."""

    row: AnyRow
    pace: Pace

    def is_ordinary(self, person: Person) -> bool:
        """Nothing about them has changed, and nothing is special."""
        row = self.row
        if row.unreachable_at is not None or row.joined or row.pinning:
            return False
        told = told_of(person)
        return all(getattr(row, name) == value for name, value in told.items())


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """A room, and the game that runs there.

    Attributes:
        keyboard: None where none runs.
    """

    row: AnyRow
    keyboard: Keyboard | None

    def is_ordinary(self, chat: ChatRef) -> bool:
        """The chat is what it was called, and where it was; the day's puzzle is in nobody's chat."""
        row = self.row
        if row.title != (chat.title or ""):
            return False
        if chat.type == "private":
            return True
        met = row.chat_kind == chat.type and row.chat_title == row.title
        return met and row.moved_to is None and row.unreachable_at is None


@dataclass(frozen=True, slots=True, eq=False)
class _Aim:
    """A shot and what it goes at."""

    shot: Shot
    person: _Shooter
    field: _Field
    six: str


@dataclass(slots=True)
class _Tally:
    """How far everything is.

    Attributes:
        open: games that take guesses.
        ordinals, numbers: the last guess of a game, and of a player in one.
        solved: who may have cracked the puzzle of a day.
    """

    open: set[int] = field(default_factory=set)
    ordinals: dict[int, int] = field(default_factory=dict)
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    solved: set[tuple[int, int]] = field(default_factory=set)


def _keys(row: AnyRow) -> Keyboard | None:
    return None if row.game_id is None else keyboard_of(row.theme, Level(row.level), row.keyboard)


def _people() -> AnySelect:
    joined = exists().where(members.c.player_id == players.c.id, members.c.left_at.is_(None))
    pinning = exists().where(
        pins.c.player_id == players.c.id, games.c.id == pins.c.game_id, games.c.state == IS_OPEN
    )
    row = players.c
    return (
        select(row.id, row.first_name, row.last_name, row.username, row.language, row.unreachable_at)
        .add_columns(row.daily, row.pace_tokens, row.pace_at, row.pace_told)
        .add_columns(joined.label("joined"), pinning.label("pinning"))
        .where(listed(row.id, "players"))
        .order_by(row.id)
        .with_for_update(of=players, key_share=True)
    )


def _fields() -> AnySelect:
    return (
        select(rooms.c.chat_id, rooms.c.day, rooms.c.title)
        .add_columns(games.c.id.label("game_id"), games.c.theme, games.c.level, games.c.keyboard)
        .add_columns(games.c.guess_limit, chats.c.kind.label("chat_kind"), chats.c.title.label("chat_title"))
        .add_columns(chats.c.moved_to, chats.c.unreachable_at)
        .select_from(rooms)
        .outerjoin(games, (games.c.room_id == rooms.c.id) & (games.c.state == IS_OPEN))
        .outerjoin(chats, chats.c.id == rooms.c.chat_id)
    )


def _last() -> Any:
    last = select(func.max(guesses.c.ordinal)).where(guesses.c.game_id == games.c.id).scalar_subquery()
    of_games = select(games.c.id, null(), last).where(listed(games.c.id, "games"))
    of_players = (
        select(guesses.c.game_id, guesses.c.player_id, func.max(guesses.c.number))
        .where(pair_listed(guesses.c.game_id, guesses.c.player_id, "pairs"))
        .group_by(guesses.c.game_id, guesses.c.player_id)
    )
    return union_all(of_games, of_players)


_PEOPLE = _people()
_FIELDS = _fields().where(listed(rooms.c.chat_id, "chats"), rooms.c.thread_id == literal(0))
_DAYS = _fields().where(listed(rooms.c.day, "days"))
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
_ADMIT = guesses.insert()
_SEEN = update(players).where(listed(players.c.id, "players")).values(seen_at=bindparam("now"))
_PACED = (
    update(players)
    .where(players.c.id == bindparam("player"))
    .values(
        seen_at=bindparam("now"),
        pace_tokens=bindparam("tokens"),
        pace_at=bindparam("at"),
        pace_told=bindparam("told"),
    )
)
