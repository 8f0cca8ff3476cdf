"""A soak: people play in every kind of room while things go wrong, and at the end every guess is accounted for."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from codemojex.store import schema
from tests.faults.crowd import Player, Sent
from tests.faults.reckoning import Findings, all_told, at_rest, findings, sent_often
from tests.faults.stage import Stage
from tests.faults.storm import Storm, Struck


@dataclass(frozen=True, slots=True)
class Journey:
    """A guess, when it was sent and when it was told, unix time; None: refused, or never told."""

    guess: Sent
    sent_at: float
    told_at: float | None


@dataclass(frozen=True, slots=True)
class Blow:
    """One trouble and the guesses that were on their way when it began; ``recovery_s`` until the last was told."""

    guesses: int
    lost: int
    doubled: int
    told_again: int
    recovery_s: float


@dataclass
class Soaked:
    """What a soak came to."""

    found: Findings
    struck: list[Struck]
    journeys: list[Journey]
    audit: dict[str, Any]
    repeats_possible: int
    kills: int
    cuts: int


@dataclass
class Soak:
    """Players on a stage, and the storm over them.

    Args:
        stage: opened, with two workers or more.
        seed: of the storm and of the players; they do not share dice, so one can be repeated without the other.
    """

    stage: Stage
    seed: int
    sent: list[tuple[float, Sent]] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    _group: int = 0

    async def run(self, seconds: float, private: int = 6, others: int = 3) -> Soaked:
        """Play and rage, then wait for everything to come to rest.

        Raises:
            AssertionError: a guess was not told in the end, or a process ended by itself.
        """
        stage, dice = self.stage, random.Random(self.seed)
        await self._gather(private, others)
        storm = Storm(stage, random.Random(self.seed + 1))
        end = time.monotonic() + seconds
        playing = [
            asyncio.create_task(self._play(player, n < private, random.Random(dice.random()), end))
            for n, player in enumerate(self.players)
        ]
        try:
            await storm.rage(end)
        finally:
            results = await asyncio.gather(*playing, return_exceptions=True)
        fallen = [repr(each) for each in results if isinstance(each, BaseException)]
        assert fallen == [], fallen
        sent = [guess for _, guess in self.sent]
        await all_told(stage, sent, 180)
        await at_rest(stage)
        assert storm.failures == [], storm.failures
        code, audit = await stage.audit()
        assert code == 0, audit["violations"]
        return Soaked(
            await findings(stage, sent),
            storm.struck,
            await self._journeys(),
            audit,
            await sent_often(stage),
            stage.kills,
            stage.cuts,
        )

    async def _gather(self, private: int, others: int) -> None:
        """Some play alone, some in a group, two in a room of friends, one the puzzle of the day."""
        stage = self.stage
        for n in range(private + others):
            self.players.append(await Player.meet(stage, random.Random(self.seed * 1_000 + n)))
        for player in self.players:
            await player.play()
        in_group = self.players[private:]
        made = await stage.control(
            "POST",
            "groups",
            {"title": "Fruit", "members": [player.id for player in in_group], "privacy": False},
        )
        self._group = made["id"]
        await in_group[0].say("/new classic 600", self._group)
        if private >= 4:
            await self.players[0].say("/invite")
            await self._join(self.players[1])
            await self.players[2].say("/daily")

    async def _join(self, player: Player) -> None:
        for _ in range(100):
            codes = await self.stage.store.read(
                lambda tx: _column(tx, select(schema.rooms.c.code).where(schema.rooms.c.code.is_not(None)))
            )
            if codes:
                await player.say(f"/join {codes[0]}")
                return
            await asyncio.sleep(0.1)
        raise AssertionError("no room of friends was opened")

    async def _play(self, player: Player, alone: bool, dice: random.Random, end: float) -> None:
        while time.monotonic() < end:
            what = dice.random()
            if not alone:
                await self._note(await player.guess(self._group))
            elif what < 0.02:
                await player.say(dice.choice(("/board", "/hint", "/stats", "/help")))
            elif what < 0.05:
                await self._crack(player)
            else:
                await self._note(await player.guess())
            await asyncio.sleep(dice.uniform(0.1, 0.8))

    async def _crack(self, player: Player) -> None:
        """Guess right where they play alone; the next game follows.

        Whose guesses go to a room of friends meanwhile sends it once: two guesses with the same emojis are
        answered alike there, and would be taken for one that was told twice.
        """
        if await player.has_a_game() and (six := await player.secret()) not in player.used:
            await self._note(await player.guess_exactly(six))
        await player.say("/new")

    async def _note(self, guess: Sent) -> None:
        self.sent.append((time.time(), guess))

    async def _journeys(self) -> list[Journey]:
        guesses = schema.guesses.c
        query = select(guesses.chat_id, guesses.message_id, guesses.told_at)
        rows = await self.stage.store.read(lambda tx: _rows(tx, query))
        told = {(row.chat_id, row.message_id): row.told_at for row in rows}
        ends = [told.get((guess.chat_id, guess.message_id)) for _, guess in self.sent]
        return [
            Journey(guess, at, end.timestamp() if end else None)
            for (at, guess), end in zip(self.sent, ends, strict=True)
        ]


def blows(soaked: Soaked) -> dict[str, list[Blow]]:
    """What each trouble met, and what became of it."""
    found: dict[str, list[Blow]] = {}
    what = soaked.found
    for struck in soaked.struck:
        met = {
            each.guess: each.told_at or struck.at
            for each in soaked.journeys
            if each.sent_at <= struck.at
            and (each.guess in what.lost or (each.told_at is not None and each.told_at > struck.at))
        }
        found.setdefault(struck.trouble, []).append(
            Blow(
                len(met),
                len(met.keys() & what.lost.keys()),
                len(met.keys() & what.doubled.keys()),
                len(met.keys() & what.told_again),
                max(met.values(), default=struck.at) - struck.at,
            )
        )
    return found


async def _rows(tx: Any, query: Any) -> list[Any]:
    return list(await tx.execute(query))


async def _column(tx: Any, query: Any) -> list[Any]:
    return list((await tx.execute(query)).scalars())
