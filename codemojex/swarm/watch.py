"""The live table on a terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from codemojex.swarm.figures import Now

_ROWS = 15
_HEADS = (
    "s",
    "sent",
    "admitted",
    "scored",
    "told",
    "answered",
    "waiting",
    "p50 ms",
    "p99 ms",
    "queue",
    "age s",
)


class Watch:
    """Shows the last seconds of a swarm; on anything but a terminal it shows nothing."""

    def __init__(self, console: Console, title: str) -> None:
        self._title = title
        self._rows: list[Now] = []
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._shows = console.is_terminal

    def __enter__(self) -> Watch:
        if self._shows:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shows:
            self._live.stop()

    def say(self, words: str) -> None:
        """What is going on, in place of the table."""
        if self._shows:
            self._live.update(Text(words), refresh=True)

    def show(self, now: Now) -> None:
        """One more second."""
        self._rows = [*self._rows, now][-_ROWS:]
        if self._shows:
            self._live.update(Group(Text(self._title), table(self._rows)), refresh=True)


def table(rows: list[Now]) -> Table:
    """The latest moments, newest last; what was not asked is a dash."""
    made = Table(box=None, pad_edge=False)
    for head in _HEADS:
        made.add_column(head, justify="right")
    for row in rows:
        latency = row.latency
        values = (row.sent, row.admitted, row.scored, row.told, row.answered, row.waiting)
        made.add_row(
            f"{row.second:.0f}",
            *(_number(value) for value in values),
            _number(None if latency is None else round(latency.p50)),
            _number(None if latency is None else round(latency.p99)),
            _number(row.depth),
            "-" if row.oldest_s is None else f"{row.oldest_s:.1f}",
        )
    return made


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
