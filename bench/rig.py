"""What every bench stands on: a server of its own, contenders that take turns, medians and ratios.

The machine is noisy, so a number alone says little. Contenders alternate within one run, each figure is the
median of its rounds, and what is claimed is a ratio to the first contender of the same run, or of the same round.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import emq

Round = Callable[[], Awaitable[float]]

_REST_S = 0.05


@dataclass(frozen=True, slots=True)
class Line:
    """One contender's result.

    Attributes:
        name: what was measured.
        figure: the median of its rounds, in the bench's unit.
        ratio: to the first contender of the run.
    """

    name: str
    figure: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Section:
    """One question and its answer.

    Attributes:
        title, question: what was asked.
        unit: of the figures, like "jobs/s".
        lines: the contenders, the base of the ratios first.
        note: what a reader must know to believe the figures.
    """

    title: str
    question: str
    unit: str
    lines: list[Line]
    note: str = ""

    def markdown(self) -> str:
        """The section as it stands in bench/README.md."""
        rows = [f"| {line.name} | {_shown(line.figure)} | {line.ratio:.2f} |" for line in self.lines]
        head = [f"## {self.title}", "", self.question, "", f"| | {self.unit} | ratio |", "|---|---:|---:|"]
        return "\n".join([*head, *rows, *(["", self.note] if self.note else [])])


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2f}"


@contextlib.asynccontextmanager
async def server() -> AsyncIterator[str]:
    """The URL of a fresh embedded server that keeps nothing on disk."""
    folder = Path(tempfile.mkdtemp(prefix="emq-bench-"))
    started = await emq.EmbeddedServer.start(folder, persist=False)
    try:
        yield started.url
    finally:
        await started.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def compare(contenders: dict[str, Round], rounds: int) -> list[Line]:
    """Let the contenders take turns; each round returns one figure, and a ratio is that of the medians."""
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, one in contenders.items():
            figures[name].append(await one())
            await asyncio.sleep(_REST_S)
    medians = {name: statistics.median(found) for name, found in figures.items()}
    base = next(iter(medians.values()))
    return [Line(name, figure, figure / base) for name, figure in medians.items()]


async def beside(contenders: dict[str, Round], own: emq.Connector, rounds: int = 7) -> list[Line]:
    """Let contenders take turns, each held against the first of them, measured anew just before.

    A machine that others use too is twice as fast in one second as in another. A ratio is the median of the rounds'.

    Args:
        own: to a server of the bench's own, empty when a turn begins: else its tables grow in somebody's turn.
    """
    (name, base), *others = contenders.items()
    found: dict[str, list[tuple[float, float]]] = {other: [] for other, _ in others}
    for _ in range(rounds):
        for other, one in others:
            found[other].append((await _alone(own, base), await _alone(own, one)))
    first = Line(name, statistics.median(floor for pairs in found.values() for floor, _ in pairs), 1.0)
    return [
        first,
        *(
            Line(
                other,
                statistics.median(figure for _, figure in pairs),
                statistics.median(figure / floor for floor, figure in pairs),
            )
            for other, pairs in found.items()
        ),
    ]


async def _alone(own: emq.Connector, one: Round) -> float:
    await own.command("FLUSHALL", "SYNC")
    await asyncio.sleep(_REST_S)
    return await one()


async def machine(url: str) -> str:
    """What the figures were measured on, in one line."""
    async with await emq.connect(url) as conn:
        info = await conn.command("INFO", "server")
    fields = dict(line.split(":", 1) for line in bytes(info).decode().splitlines() if ":" in line)
    version = fields.get("valkey_version") or fields["redis_version"]
    name = fields.get("server_name", "redis")
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {name} {version} "
        f"on a unix socket, commit {_commit()}"
    )


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"
