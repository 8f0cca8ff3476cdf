"""Numbers that never repeat, across restarts too when they are kept in a file.

The file holds a ceiling per counter, written before any number below it is used: a process that
is killed loses at most the rest of a block, never hands a number out twice.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from codemojex.localtg.errors import CannotDo

_BLOCK = 1_000
# A state file that was lost must not bring back the numbers it had guarded: a fresh one starts
# at the seconds since this moment (2025-01-01 UTC), above what a chat could have used up.
_EPOCH_S = 1_735_689_600


class Counters:
    """Named counters; ``next(name)`` is greater than every number it gave before.

    Args:
        path: where ceilings are kept; None keeps nothing and starts at 1.

    Raises:
        CannotDo: `next` and `past`, when the file cannot be written (a full disk); no number was used then,
            and the next call tries again.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._next: dict[str, int] = {}
        self._ceiling: dict[str, int] = {}
        self._start = 1
        if path is not None:
            self._start = max(1, int(time.time()) - _EPOCH_S)
            if path.exists():
                self._ceiling = {str(k): int(v) for k, v in json.loads(path.read_text("utf-8")).items()}
                self._next = dict(self._ceiling)

    def next(self, name: str) -> int:
        number = self._next.get(name, self._start)
        self._use(name, number)
        return number

    def begin(self, name: str) -> None:
        """Let a counter whose name was never used start at 1, whatever the others start at."""
        self._next.setdefault(name, 1)

    def past(self, name: str, number: int) -> None:
        """From now on ``name`` gives only numbers above ``number``."""
        if self._next.get(name, self._start) <= number:
            self._use(name, number)

    def _use(self, name: str, number: int) -> None:
        if self._path is not None and number >= self._ceiling.get(name, 0):
            self._reserve(self._path, {**self._ceiling, name: number + _BLOCK})
        self._next[name] = number + 1

    def _reserve(self, path: Path, ceiling: dict[str, int]) -> None:
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(ceiling), "utf-8")
            fresh.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise CannotDo(f"{path} cannot be written: {error.strerror or error}") from error
        self._ceiling = ceiling
