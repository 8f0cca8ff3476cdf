"""The crash matrix: at each step of the path, each thing that can go wrong, and what became of the guesses."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.faults.crowd import Player, Sent, together
from tests.faults.harms import HARMS, Harm, wake
from tests.faults.reckoning import Findings, all_told, at_rest, findings, listen, sent_often, set_aside
from tests.faults.stage import PLAYERS, Stage, since
from tests.faults.steps import BY_STEP, SEAMS, Seam

REACHED_WITHIN_S = 90.0
EACH = 2  # guesses of a player in a case

_CRACKS = ("settling", "settled")


@dataclass(frozen=True, slots=True)
class Case:
    """One step, and one thing that goes wrong there."""

    seam: Seam
    harm: Harm

    @property
    def name(self) -> str:
        return f"{self.seam.step}/{self.harm.name}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a case came to; ``recovery_s`` from the fault to the last guess told."""

    case: Case
    found: Findings
    recovery_s: float


def cases() -> list[Case]:
    """Every step with every harm."""
    return [Case(seam, harm) for seam in SEAMS for harm in HARMS]


def named(step: str, harm: str) -> Case:
    """A case by its names."""
    return Case(BY_STEP[step], next(each for each in HARMS if each.name == harm))


class Matrix:
    """Plays cases on one stage, one after another, with the same few people.

    Args:
        stage: opened, its processes running.
        seed: of the players' guesses and of where in a burst a line breaks.
    """

    def __init__(self, stage: Stage, seed: int) -> None:
        self._stage = stage
        self._dice = random.Random(seed)
        self._tables: list[list[Player]] = []
        self._turns: Iterator[list[Player]] = iter(())

    async def seat(self, tables: int = 2, people: int = 3) -> None:
        """Have people who take turns, so that nobody waits for the second a chat must rest."""
        for _ in range(tables):
            players = [await Player.meet(self._stage, self._dice) for _ in range(people)]
            await together(*(player.play() for player in players))
            self._tables.append(players)

    async def play(self, case: Case) -> Outcome:
        """One case.

        Raises:
            AssertionError: a promise is broken; the text names the case.
        """
        try:
            return await self._play(case)
        except AssertionError as error:
            raise AssertionError(f"{case.name}: {error}") from error

    async def _play(self, case: Case) -> Outcome:
        stage, players = self._stage, self._next_table()
        actor = stage.actors[case.seam.who]
        await at_rest(stage)
        heard = await listen(stage, [player.id for player in players])
        twice, poison = await sent_often(stage), await set_aside(stage)
        await self._prepare(case)
        actor.order(case.seam.step, "stop", self._dice.choice((1, 1, 2)) if case.seam.step == "taken" else 1)
        sent = await self._send(players, cracking=case.seam.step in _CRACKS)
        await self._reach(case)
        began = time.monotonic()
        await case.harm.do(stage, actor)
        wake(actor)
        await all_told(stage, sent)
        recovery = since(began)
        actor.relent()
        actor.lines.heal()
        await stage.control("DELETE", "faults")
        found = await findings(stage, sent, heard)
        await self._judge(found, await sent_often(stage) - twice)
        assert await set_aside(stage) == poison, "an update was set aside"
        await self._reopen(players)
        return Outcome(case, found, recovery)

    async def _prepare(self, case: Case) -> None:
        """What has to go wrong first, where a step is only reached when something does."""
        stage = self._stage
        if case.seam.step == "unanswered":
            await stage.lose_answer()
        if case.seam.step == "flush_doubtful":
            # Nothing of the first script call of a burst, or all of it without a reply.
            stage.bot.lines.queue.cut_after_commands(self._dice.randrange(2), match=PLAYERS)
            stage.cuts += 1

    async def _send(self, players: Sequence[Player], *, cracking: bool) -> list[Sent]:
        sent = list(await together(*(player.guess() for player in players for _ in range(EACH))))
        if cracking:
            sent.append(await players[0].guess_exactly(await players[0].secret()))
        return sent

    async def _reach(self, case: Case) -> None:
        child = self._stage.actors[case.seam.who].now
        try:
            await asyncio.wait_for(child.stopped.wait(), REACHED_WITHIN_S)
        except TimeoutError:
            raise AssertionError(f"{child.name} did not come to this step: {child.said[-2000:]}") from None

    async def _judge(self, found: Findings, twice: int) -> None:
        assert not found.broken, found.broken
        assert len(found.repeated) <= twice, f"repeated without a lost answer: {found.repeated}"
        report = await self._stage.examine()
        assert report.holds, report.violations

    async def _reopen(self, players: Sequence[Player]) -> None:
        """A game that was cracked is followed by another."""
        for player in players:
            if not await player.has_a_game():
                await player.play()

    def _next_table(self) -> list[Player]:
        players = next(self._turns, None)
        if players is None:
            self._turns = iter(self._tables)
            players = next(self._turns)
        return players
