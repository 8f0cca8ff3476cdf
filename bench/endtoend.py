"""End to end: bot, worker, queue server, a local Telegram and its players together on this machine."""

from __future__ import annotations

import dataclasses
import os

from bench.admission import databases
from bench.rig import Line, Section
from codemojex.swarm.figures import Now
from codemojex.swarm.options import SwarmOptions
from codemojex.swarm.report import Report
from codemojex.swarm.running import swarm

RATES = (50, 200, 500, 1_000, 1_500)
SECONDS = 20.0
# The rate at which the stages of an answer are told, too.
_LOOKED_INTO = 200
_FALLEN_BEHIND = 0.7  # of what was asked for: more would tell nothing new
# More players than that would only wait in a longer line.
_MOST_PLAYERS = 1_500


class _Nobody:
    def say(self, words: str) -> None:
        """Nobody looks."""

    def show(self, now: Now) -> None:
        """Nobody looks."""


async def endtoend() -> list[Section]:
    """For each database: how long an answer takes at several rates, and how many a second there are at most."""
    with databases() as found:
        names = list(found)
    return [await _on(name) for name in names]


async def _on(name: str) -> Section:
    reports = []
    for rate in RATES:
        reports.append(await _run(name, rate))
        if reports[-1].rate_answered < _FALLEN_BEHIND * rate:
            break
    most = max(reports, key=lambda report: report.rate_answered)
    lines = []
    for report in reports:
        asked = f"{report.rate:,.0f} guesses/s asked for"
        lines.append(
            Line(f"{asked}, {report.rate_answered:,.0f} answered, p99", *_p99(report, reports, "answer"))
        )
        if report.rate == _LOOKED_INTO:
            stages = [stage for stage in report.latencies if stage != "answer"]
            lines += [Line(f"{asked}, {stage}, p99", *_p99(report, reports, stage)) for stage in stages]
    used = ", ".join(
        f"{who} {spent:,.0f} ({spent * most.rate_answered / 1e6:.0%} of a core)"
        for who, spent in most.processor_us.items()
    )
    whole = sum(most.processor_us.values())
    return Section(
        f"End to end, {name}",
        f"How long does a player wait for the answer to a guess? {SECONDS:.0f} s at each rate, {os.cpu_count()} cores.",
        "ms",
        lines,
        f"At most {most.rate_answered:,.0f} guesses a second were answered. Then a guess took {whole:,.0f} µs of "
        f"processor time: {used}"
        + (" (PostgreSQL's own not counted)" if name == "PostgreSQL" else "")
        + f". "
        f"{(os.cpu_count() or 1) * 1e6 / whole:,.0f} guesses a second is what that leaves room for; "
        "what waits for whom, [operations.md](../docs/operations.md#what-ends-the-rate) says. "
        + _sound(reports),
    )


def _p99(report: Report, reports: list[Report], stage: str) -> tuple[float, float]:
    pairs = ((report, stage), (reports[0], "answer"))
    waits = [found.p99 if (found := each.latencies[name]) else 0.0 for each, name in pairs]
    return waits[0], waits[0] / (waits[1] or 1.0)


def _sound(reports: list[Report]) -> str:
    broken = [sentence for report in reports for sentence in report.broken]
    return "Every audit was clean." if not broken else f"BROKEN: {'; '.join(broken)}."


async def _run(name: str, rate: int) -> Report:
    options = SwarmOptions(rate=rate, seconds=SECONDS, players=min(_MOST_PLAYERS, max(300, 2 * rate)))
    with databases() as found:  # empty ones for each run
        return await swarm(dataclasses.replace(options, database=found[name]), _Nobody())
