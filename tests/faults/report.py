"""The figures of a long run as the tables of docs/reliability.md, between two marks there."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.harms import HARMS
from tests.faults.matrix import Outcome
from tests.faults.soak import Soaked, recoveries
from tests.faults.steps import SEAMS
from tests.faults.storm import TROUBLES

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN = "<!-- figures: written by python -m tests.faults --write -->"
END = "<!-- end of figures -->"


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
        middle = statistics.median(self.recovery_s) if self.recovery_s else 0.0
        most = max(self.recovery_s, default=0.0)
        counts = (self.tried, self.guesses, self.lost, self.doubled, self.repeated)
        return [*(f"{count:,}" for count in counts), f"{middle:.1f}", f"{most:.1f}"]


@dataclass
class Figures:
    """Everything a long run has counted.

    Attributes:
        steps, updates: of the queue's state machine, and fuzzed ones given to the intake.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    soaks: list[Soaked] = field(default_factory=list)
    soaked_s: float = 0.0
    kills: int = 0
    cuts: int = 0
    steps: int = 0
    updates: int = 0

    def page(self) -> str:
        """The part of the page between the marks."""
        return "\n\n".join([self._sum(), self._by_harm(), self._by_step(), self._by_trouble()])

    def _sum(self) -> str:
        guesses = sum(each.found.guesses for each in [*self.outcomes, *self.soaks])
        lost = sum(len(each.found.lost) for each in [*self.outcomes, *self.soaks])
        doubled = sum(len(each.found.doubled) for each in [*self.outcomes, *self.soaks])
        said = [
            f"In this run processes and servers were killed {self.kills:,} times and connections cut "
            f"{self.cuts:,} times: {len(self.outcomes):,} cases of the matrix, {len(self.soaks)} soaks of "
            f"{self.soaked_s / 60:.0f} minutes in all. {guesses:,} guesses were sent meanwhile; {lost} were lost, "
            f"{doubled} were scored twice.",
        ]
        if self.steps:
            said.append(f"The queue's state machine took {self.steps:,} steps on a real server.")
        if self.updates:
            said.append(f"The intake took {self.updates:,} fuzzed updates.")
        return "\n".join(said)

    def _by_harm(self) -> str:
        rows = []
        for harm in HARMS:
            tally = tally_of(each for each in self.outcomes if each.case.harm is harm)
            rows.append([harm.says, *tally.cells()])
        return "### The matrix, by what went wrong\n\n" + table("fault", rows)

    def _by_step(self) -> str:
        rows = []
        for seam in SEAMS:
            tally = tally_of(each for each in self.outcomes if each.case.seam is seam)
            rows.append([f"{seam.who}: {seam.says}", *tally.cells()])
        return "### The matrix, by the step at which it went wrong\n\n" + table("step", rows)

    def _by_trouble(self) -> str:
        tallies: dict[str, Tally] = {name: Tally() for name in TROUBLES}
        for soak in self.soaks:
            for name, times in recoveries(soak.struck, soak.guesses).items():
                tallies[name].tried += len(times)
                tallies[name].guesses += sum(guesses for guesses, _ in times)
                tallies[name].recovery_s += [seconds for _, seconds in times]
        rows = []
        for name, tally in tallies.items():
            tried, guesses, _, _, _, middle, most = tally.cells()
            rows.append([TROUBLES[name].says, tried, guesses, middle, most])
        lost, doubled, repeated, unheard = (
            sum(len(getattr(soak.found, what)) for soak in self.soaks)
            for what in ("lost", "doubled", "repeated", "unheard")
        )
        head = ["fault", "tried", "guesses on their way", "told again after (median, s)", "(longest, s)"]
        return (
            "### The soak\n\nOther faults went on meanwhile, so these times are upper bounds. Over all of it "
            f"{lost} guesses were lost, {doubled} scored twice, {repeated} messages repeated; {unheard} results were "
            "sent twice without an answer and were not heard either time.\n\n" + grid([head, *rows])
        )


def tally_of(outcomes: Iterable[Outcome]) -> Tally:
    """One row of many cases."""
    made = Tally()
    for each in outcomes:
        made.tried += 1
        made.guesses += each.found.guesses
        made.lost += len(each.found.lost)
        made.doubled += len(each.found.doubled)
        made.repeated += len(each.found.repeated)
        made.recovery_s.append(each.recovery_s)
    return made


def table(first: str, rows: Sequence[Sequence[str]]) -> str:
    head = [first, "tried", "guesses in flight", "lost", "doubled", "repeated messages"]
    return grid([[*head, "told again after (median, s)", "(longest, s)"], *rows])


def grid(rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown; figures to the right."""
    head, *body = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(figures: Figures, page: Path = PAGE) -> None:
    """Put the figures into the page, in place of those of the last run."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{figures.page()}\n\n{END}{after}", encoding="utf-8")
