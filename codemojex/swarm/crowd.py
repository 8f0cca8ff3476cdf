"""The players: who may guess next, who needs a game, who waits for an answer."""

from __future__ import annotations

import random
import time
from collections import Counter

from codemojex.swarm.options import SwarmOptions
from codemojex.swarm.stage import Heard, Stage
from codemojex.swarm.tables import Guess, Kind, Seat, Table

_ASK_AGAIN_S = 15.0


class Crowd:
    """All players of a swarm.

    Attributes:
        guesses: every guess sent, by chat and message.
        waiting: how many of them have no answer yet.
        latencies: from sent to shown, in seconds, in the order of the answers.
    """

    def __init__(self, stage: Stage, options: SwarmOptions) -> None:
        self.guesses: dict[tuple[int, int], Guess] = {}
        self.latencies: list[float] = []
        self.waiting = self.given_up = 0
        self._stage = stage
        self._options = options
        self._dice = random.Random(options.seed)
        self._tables: dict[int, Table] = {}
        self._free: dict[Kind, list[Seat]] = {kind: [] for kind in Kind}
        self._names = 0

    @property
    def answered(self) -> int:
        """How many guesses the bot has shown."""
        return len(self.latencies)

    @property
    def closed(self) -> int:
        """Tables without a game."""
        return sum(table.buttons is None for table in self._tables.values())

    async def gather(self) -> None:
        """Seat everybody; no game is on yet."""
        shares = self._options.shares
        weights = {Kind.PRIVATE: shares.private, Kind.GROUP: shares.group, Kind.DAILY: shares.daily}
        total = sum(weights.values())
        for kind, weight in weights.items():
            seats = round(self._options.seats * weight / total) if weight else 0
            if kind is Kind.GROUP:
                for _ in range(-(-seats // self._options.members)):
                    await self._sit_together()
            else:
                for _ in range(max(seats, 1) if weight else 0):
                    await self._sit(kind)

    async def open(self, most: int) -> None:
        """Ask for games where there is none, at most so many."""
        now = time.time()
        for table in self._tables.values():
            if most and table.buttons is None and now - table.asked_at > _ASK_AGAIN_S:
                most -= 1
                await self._ask(table)

    async def guess(self) -> bool:
        """Have somebody guess; False when everybody waits for something."""
        seat = self._next()
        if seat is None or seat.table.buttons is None:
            return False
        symbols = seat.fresh(seat.table.buttons.symbols, self._dice)
        self._take(seat)
        guess = Guess(seat.table.chat_id, 0, symbols, seat.table.kind, time.time())
        seat.used, seat.waiting = seat.used + 1, guess
        self.waiting += 1
        guess.message_id = await self._stage.say(seat.player_id, seat.table.chat_id, symbols)
        self.guesses[guess.chat_id, guess.message_id] = guess
        return True

    async def follow(self) -> None:
        """Hear the bot, until this is cancelled."""
        async for said in self._stage.hear():
            table = self._tables.get(said.chat_id)
            if table is not None:
                await self._hear(table, said)

    async def look_after(self) -> None:
        """Give up guesses that are not answered in time, and ask for games that did not come."""
        late = time.time() - self._options.patience_s
        for table in list(self._tables.values()):
            for seat in table.seats:
                if seat.waiting is not None and seat.waiting.sent_at < late:
                    seat.waiting.given_up, seat.waiting = True, None
                    self.waiting -= 1
                    self.given_up += 1
            self._note_free(table)
            await self._go_on(table)
        await self.open(len(self._tables))

    def by_kind(self) -> Counter[Kind]:
        """How many guesses were sent where."""
        return Counter(guess.kind for guess in self.guesses.values())

    def waits(self, kind: Kind) -> list[float]:
        """From sent to shown, in seconds, of the guesses of one kind."""
        answered = [
            (guess.sent_at, guess.answered_at) for guess in self.guesses.values() if guess.kind is kind
        ]
        return [shown_at - sent_at for sent_at, shown_at in answered if shown_at is not None]

    async def _sit(self, kind: Kind) -> None:
        id = await self._person()
        table = self._tables[id] = Table(kind, id, id)
        table.seats.append(Seat(id, table))

    async def _sit_together(self) -> None:
        members = [await self._person() for _ in range(self._options.members)]
        chat_id = await self._stage.group(f"Group {len(self._tables)}", members[0], members)
        table = self._tables[chat_id] = Table(Kind.GROUP, chat_id, members[0])
        table.seats += [Seat(id, table) for id in members]

    async def _person(self) -> int:
        self._names += 1
        return await self._stage.person(f"Player {self._names}")

    async def _hear(self, table: Table, said: Heard) -> None:
        for guess in table.hear(said, time.time()):
            self.latencies.append((guess.answered_at or 0.0) - guess.sent_at)
            self.waiting -= 1
        self._note_free(table)
        await self._go_on(table)

    def _note_free(self, table: Table) -> None:
        for seat in table.seats:
            if seat.free != (seat.place >= 0):
                (self._give if seat.free else self._take)(seat)

    async def _go_on(self, table: Table) -> None:
        """Another game where this one is used up; somebody else where it was the day's, which has one."""
        if table.buttons is None or not table.spent:
            return
        table.buttons = None
        if table.kind is Kind.DAILY:
            del self._tables[table.chat_id]
            await self._sit(Kind.DAILY)
            table = self._tables[next(reversed(self._tables))]
        elif table.kind is Kind.GROUP:
            await self._stage.say(table.owner_id, table.chat_id, "/giveup")
        await self._ask(table)

    async def _ask(self, table: Table) -> None:
        table.asked_at = time.time()
        text = "/daily" if table.kind is Kind.DAILY else "/new"
        await self._stage.say(table.owner_id, table.chat_id, text)

    def _next(self) -> Seat | None:
        """A free seat, by chance, at a table of a kind by its share; of another kind where there is none."""
        shares = self._options.shares
        weights = [shares.private, shares.group, shares.daily]
        [kind] = self._dice.choices(list(Kind), weights)
        free = self._free[kind] or next((seats for seats in self._free.values() if seats), [])
        return self._dice.choice(free) if free else None

    def _give(self, seat: Seat) -> None:
        free = self._free[seat.table.kind]
        seat.place = len(free)
        free.append(seat)

    def _take(self, seat: Seat) -> None:
        free = self._free[seat.table.kind]
        last = free.pop()
        if last is not seat:
            free[seat.place], last.place = last, seat.place
        seat.place = -1
