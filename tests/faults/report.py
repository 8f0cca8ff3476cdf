"""The figures of long runs as tables of docs/reliability.md: each part of a run writes its own, and no other."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from tests.faults.harms import HARMS
from tests.faults.matrix import Outcome
from tests.faults.soak import Blow, Soaked, blows
from tests.faults.steps import SEAMS
from tests.faults.storm import TROUBLES

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
NONE = "-"


class Part(StrEnum):
    """What a run may consist of; each has its place on the page."""

    MATRIX = "matrix"
    SOAK = "soak"
    STEPS = "steps"
    UPDATES = "updates"


@dataclass
class Tally:
    """One row: a fault, how often it was tried, and what came of it."""

    tried: int = 0
    guesses: int = 0
    lost: int = 0
    doubled: int = 0
    repeated: int = 0
    recovery_s: list[float] = field(default_factory=list)

    def cells(self) -> list[str]:
        counts = (self.tried, self.guesses, self.lost, self.doubled, self.repeated)
        times = [NONE, NONE]
        if self.recovery_s:
            times = [f"{statistics.median(self.recovery_s):.1f}", f"{max(self.recovery_s):.1f}"]
        return [*(f"{count:,}" for count in counts), *times]


@dataclass
class Broken:
    """How often what was broken, over a part."""

    kills: int = 0
    cuts: int = 0

    @property
    def sentence(self) -> str:
        return (
            f"Processes and servers were killed {self.kills:,} times and connections cut {self.cuts:,} times."
        )


def of_matrix(outcomes: Sequence[Outcome], broken: Broken, rounds: int) -> str:
    """The matrix, by what went wrong and by where."""
    by_harm = [
        [harm.says, *_of_cases(each for each in outcomes if each.case.harm is harm).cells()] for harm in HARMS
    ]
    by_step = [
        [f"{seam.who}: {seam.says}", *_of_cases(each for each in outcomes if each.case.seam is seam).cells()]
        for seam in SEAMS
    ]
    said = (
        f"{len(outcomes):,} cases: every step with every fault, {_times(rounds)} on SQLite and on PostgreSQL, each "
        f"with Valkey and with Redis 7. {broken.sentence}"
    )
    return f"{said}\n\n{_table('fault', by_harm)}\n\n{_table('step', by_step)}"


def of_soak(soaks: Sequence[Soaked], broken: Broken, seconds: float) -> str:
    """The soak, by what went wrong."""
    met: dict[str, list[Blow]] = {name: [] for name in TROUBLES}
    for soak in soaks:
        for name, times in blows(soak).items():
            met[name] += times
    rows = [[TROUBLES[name].says, *_of_blows(times).cells()] for name, times in met.items()]
    found = [soak.found for soak in soaks]
    whole = Tally(
        tried=sum(len(times) for times in met.values()),
        guesses=sum(each.guesses for each in found),
        lost=sum(len(each.lost) for each in found),
        doubled=sum(len(each.doubled) for each in found),
        repeated=sum(len(each.repeated) for each in found),
    )
    said = (
        f"{seconds / 60:.0f} minutes in {len(soaks)} deployments. {broken.sentence} Faults came one upon the other, so "
        f"the times are upper bounds. {sum(len(each.unheard) for each in found)} results were sent twice without an "
        "answer and were not heard either time."
    )
    return f"{said}\n\n{_table('fault', [*rows, ['all of them; guesses sent in all', *whole.cells()]])}"


def of_steps(steps: int, seed: int, seconds: float) -> str:
    """The walk through the queue's states."""
    said = "a random step on a real Valkey, each answer compared with a model's"
    said += f" (seed {seed}, {seconds / 60:.0f} minutes)"
    return grid([["what was tried", "tried", "other answers"], [said, f"{steps:,}", "0"]])


def of_updates(updates: int, neighbours: int, seed: int, seconds: float) -> str:
    """Odd updates for the intake, and the guesses of a neighbour between them."""
    said = f"an update made odd at random (seed {seed}, {seconds / 60:.0f} minutes)"
    head = ["what was tried", "tried", "stopped the intake", "a neighbour's guesses", "lost"]
    return grid([head, [said, f"{updates:,}", "0", f"{neighbours:,}", "0"]])


def write(part: Part, text: str, page: Path = PAGE) -> None:
    """Put the figures of a part into the page, in place of those of its last run.

    Raises:
        ValueError: the page has no place for them.
    """
    begin, end = f"<!-- figures of the {part} -->", f"<!-- end of the {part} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise ValueError(f"{page} has no place between {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def _of_cases(outcomes: Iterable[Outcome]) -> Tally:
    made = Tally()
    for each in outcomes:
        made.tried += 1
        made.guesses += each.found.guesses
        made.lost += len(each.found.lost)
        made.doubled += len(each.found.doubled)
        made.repeated += len(each.found.repeated)
        made.recovery_s.append(each.recovery_s)
    return made


def _of_blows(times: Sequence[Blow]) -> Tally:
    return Tally(
        len(times),
        sum(each.guesses for each in times),
        sum(each.lost for each in times),
        sum(each.doubled for each in times),
        sum(each.told_again for each in times),
        [each.recovery_s for each in times],
    )


def _times(rounds: int) -> str:
    return "once" if rounds == 1 else f"{rounds} times"


def _table(first: str, rows: Sequence[Sequence[str]]) -> str:
    head = [first, "tried", "guesses in flight", "lost", "doubled", "repeated messages"]
    return grid([[*head, "told again after (median, s)", "(longest, s)"], *rows])


def grid(rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown; figures to the right."""
    head, *body = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
