"""What a store sends to its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from codemojex.store.engine import Store


@contextmanager
def sent_by(store: Store) -> Iterator[list[tuple[str, Any]]]:
    """(statement, parameters) of each, in order, while this is entered."""
    sent: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        sent.append((statement, parameters))

    engine = store._engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
