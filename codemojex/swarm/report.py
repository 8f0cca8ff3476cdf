"""What came of a swarm, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from codemojex.play.audit import AuditReport
from codemojex.swarm.figures import Latency


@dataclass(frozen=True, slots=True)
class Told:
    """What the database says of the guesses that were sent."""

    admitted: int
    refused: int
    scored: int
    told: int


@dataclass(frozen=True, slots=True)
class Report:
    """The end of a swarm.

    Attributes:
        seconds: for which guesses were sent.
        sent, answered: guesses, and those whose answer was seen in their chat.
        without_game: chats in which no game had begun when guesses began to be sent.
        held_back: guesses that were due while every player waited for an answer.
        latencies: by stage; ``answer`` is from sent to seen, and once more for each kind of game.
        database: None where it was not asked.
        audit: of the database; None where it was not asked.
        processor_us: microseconds of processor time for each guess, by process.
    """

    rate: float
    seconds: float
    players: int
    sent: int
    answered: int
    held_back: int
    without_game: int
    latencies: Mapping[str, Latency | None]
    by_kind: Mapping[str, int] = field(default_factory=dict)
    database: Told | None = None
    audit: AuditReport | None = None
    processor_us: Mapping[str, float] = field(default_factory=dict)

    @property
    def rate_answered(self) -> float:
        """Answers a second."""
        return self.answered / self.seconds

    @property
    def broken(self) -> Sequence[str]:
        """What is wrong, in sentences; empty when every guess has its answer and every promise holds."""
        found, refused = [], 0
        if self.database is not None:
            refused = self.database.refused
            if self.database.admitted + refused < self.sent:
                lost = self.sent - self.database.admitted - refused
                found.append(f"{lost} guesses were neither admitted nor refused")
            if self.database.scored < self.database.admitted:
                found.append(f"{self.database.admitted - self.database.scored} guesses have no score")
            if self.database.told < self.database.admitted:
                found.append(f"{self.database.admitted - self.database.told} guesses were not told")
        if self.answered + refused < self.sent:
            found.append(f"{self.sent - self.answered - refused} guesses were not answered in their chat")
        if self.audit is not None:
            found += [f"{bad.promise} Broken {bad.count} times." for bad in self.audit.violations]
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values for `json.dumps`."""
        values = asdict(self)
        audit = None if self.audit is None else self.audit.as_dict()
        return values | {
            "rate_answered": round(self.rate_answered, 1),
            "audit": audit,
            "broken": list(self.broken),
        }

    def text(self) -> str:
        """For a person."""
        lines = [
            f"{self.players} players sent {self.sent:,} guesses in {self.seconds:.1f} s "
            f"({self.sent / self.seconds:,.0f}/s of {self.rate:,.0f}/s asked for); {self.answered:,} were answered.",
        ]
        if self.held_back:
            lines.append(f"{self.held_back:,} were not sent in time: every player waited for an answer.")
        if self.without_game:
            lines.append(f"In {self.without_game} chats no game had begun by then.")
        if self.database is not None:
            row = self.database
            lines.append(
                f"admitted {row.admitted:,}, refused {row.refused:,}, scored {row.scored:,}, told {row.told:,}"
            )
        lines += ["", f"{'ms':<24}{'p50':>10}{'p99':>10}{'longest':>10}"]
        for stage, found in self.latencies.items():
            if found is not None:
                lines.append(f"{stage:<24}{found.p50:>10,.0f}{found.p99:>10,.0f}{found.longest:>10,.0f}")
        if self.processor_us:
            used = ", ".join(f"{name} {spent:,.0f}" for name, spent in self.processor_us.items())
            lines += ["", f"processor time for a guess, µs: {used}"]
        return "\n".join([*lines, "", *(self.broken or ["every guess has its answer; every promise holds"])])
