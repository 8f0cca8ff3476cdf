"""Statements that are compiled once for each test process, not once for each test and its engine."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.engine import Connection

_KNOWN: dict[tuple[object, ...], Any] = {}


class _Shared:
    """An engine's cache of compiled statements whose content is that of all engines of the same dialect.

    A key is the dialect, which is another object for each engine, and what makes the statement; what was compiled
    for one dialect object serves another of its class.
    """

    def __init__(self, dialect: type) -> None:
        self._dialect = dialect

    def get(self, key: tuple[object, ...], default: Any = None) -> Any:
        return _KNOWN.get((self._dialect, *key[1:]), default)

    def __setitem__(self, key: tuple[object, ...], compiled: Any) -> None:
        _KNOWN[(self._dialect, *key[1:])] = compiled

    def clear(self) -> None:
        _KNOWN.clear()


def _share(connection: Connection) -> None:
    engine = connection.engine
    if not isinstance(engine._compiled_cache, _Shared):
        engine._compiled_cache = _Shared(type(engine.dialect))  # type: ignore[assignment]


def share() -> None:
    """Have every engine of this process use what another compiled. Once is enough, more does no harm."""
    if not event.contains(Engine, "engine_connect", _share):
        event.listen(Engine, "engine_connect", _share)
