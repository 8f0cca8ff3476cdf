"""A process stopped or killed at a step of the path, by the name it has in `steps`.

Nothing of this is in the code itself: `host` puts a wrapper around each place before the program starts. At a
step the wrapper looks for orders in the file that FAULTS_ORDERS names, such as ``claimed 1 kill``: at the first
hit of the step `claimed`, kill this process. An order is carried out once; its file is gone then.
"""

from __future__ import annotations

import contextvars
import functools
import importlib
import inspect
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.steps import SEAMS, Seam

ORDERS = "FAULTS_ORDERS"

# Which outer calls are under way: a line writes for many, and only the write of a flush is that step.
_within: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("within", default=())


@dataclass
class Orders:
    """What this process is to do at which step, read again at every hit."""

    path: Path
    text: str = ""
    hits: int = 0

    def reached(self, step: str) -> None:
        """Carry out the order for this step, if there is one and its turn has come."""
        try:
            text = self.path.read_text()
        except FileNotFoundError:
            return
        wanted, nth, act = text.split()
        if wanted != step:
            return
        if text != self.text:
            self.text, self.hits = text, 0
        self.hits += 1
        if self.hits < int(nth):
            return
        self.path.unlink()
        self.text = ""
        os.kill(os.getpid(), signal.SIGKILL if act == "kill" else signal.SIGSTOP)


@dataclass
class _Wrapped:
    """What is done around one place."""

    name: str
    before: list[Seam] = field(default_factory=list)
    after: list[Seam] = field(default_factory=list)

    def around(self, call: Callable[..., Any], orders: Orders) -> Callable[..., Any]:
        if not inspect.iscoroutinefunction(call):

            @functools.wraps(call)
            def sync(*args: Any, **kwargs: Any) -> Any:
                self._pass(self.before, orders)
                result = call(*args, **kwargs)
                self._pass(self.after, orders)
                return result

            return sync

        @functools.wraps(call)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            self._pass(self.before, orders)
            token = _within.set((*_within.get(), self.name))
            try:
                result = await call(*args, **kwargs)
            finally:
                _within.reset(token)
            self._pass(self.after, orders)
            return result

        return awaited

    @staticmethod
    def _pass(seams: list[Seam], orders: Orders) -> None:
        for seam in seams:
            if not seam.within or seam.within in _within.get():
                orders.reached(seam.step)


def install(orders: Orders) -> None:
    """Wrap every place."""
    wrapped: dict[str, _Wrapped] = {}
    for seam in SEAMS:
        place = wrapped.setdefault(seam.place, _Wrapped(seam.place))
        (place.before if seam.edge == "before" else place.after).append(seam)
    for name, place in wrapped.items():
        owner, attribute = found(name)
        setattr(owner, attribute, place.around(inspect.getattr_static(owner, attribute), orders))


def found(place: str) -> tuple[Any, str]:
    """The module or class of a place, and the name in it.

    Raises:
        AttributeError: the code has no such place any more.
    """
    module, _, path = place.partition(":")
    owner: Any = importlib.import_module(module)
    *parts, attribute = path.split(".")
    for part in parts:
        owner = getattr(owner, part)
    getattr(owner, attribute)
    return owner, attribute
