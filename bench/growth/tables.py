"""Steps, how long each took at each size, and the tables that say how that grows."""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Callable, Mapping, Sequence

# Does some work; seconds by the name of the step.
Work = Callable[[], Awaitable[dict[str, float]]]
# Median seconds by the name of the step.
Figures = dict[str, float]


async def measure(works: Sequence[Work], rounds: int) -> Figures:
    """Let the works take turns; the first turn warms up."""
    return (await alternate({0: works}, rounds))[0]


async def alternate(works: Mapping[int, Sequence[Work]], rounds: int) -> dict[int, Figures]:
    """The figures of each size. All sizes take turns, so that a busy moment of the machine is none of one size."""
    found: dict[int, dict[str, list[float]]] = {size: {} for size in works}
    for turn in range(rounds + 1):
        for size, each in works.items():
            for work in each:
                for name, seconds in (await work()).items():
                    found[size].setdefault(name, [])
                    if turn:
                        found[size][name].append(seconds)
    return {
        size: {name: statistics.median(seconds) for name, seconds in steps.items()}
        for size, steps in found.items()
    }


def by_depth(what: str, found: Mapping[int, Figures]) -> str:
    """How long each step takes when so much is stored already: ms, and the ratio to the least."""
    sizes = sorted(found)
    head = [f"{size:,}" for size in sizes] + [f"{size // sizes[0]}x" for size in sizes[1:]]
    lines = [f"| ms, {what} | {' | '.join(head)} |", "|---|" + "---:|" * len(head)]
    for name in found[sizes[0]]:
        ms = [found[size][name] * 1000 for size in sizes]
        cells = [_shown(each) for each in ms] + [f"{each / ms[0]:.2f}" for each in ms[1:]]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def by_batch(found: Mapping[int, Figures]) -> str:
    """What one item costs in batches of each size: µs, and how that of the largest compares with the cheapest."""
    sizes = sorted(found)
    head = [f"{size:,}" for size in sizes]
    lines = [
        f"| µs an item, batches of | {' | '.join(head)} | last ÷ least |",
        "|---|" + "---:|" * (len(head) + 1),
    ]
    for name in found[sizes[0]]:
        us = [found[size][name] / size * 1_000_000 for size in sizes]
        lines.append(f"| {name} | {' | '.join(map(_shown, us))} | {us[-1] / min(us):.2f} |")
    return "\n".join(lines)


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2f}"
