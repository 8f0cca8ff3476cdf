"""Column types that mean the same on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeAlias

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, Row, Select, String
from sqlalchemy.types import TypeDecorator


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time. A naive one is refused on its way in; SQLite keeps text that sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To what the driver stores.

        Raises:
            ValueError: the time is naive.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive time cannot be stored: give an aware one, datetime.now(UTC)")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """To an aware UTC time, whatever the session's time zone."""
        if value is None:
            return None
        if not isinstance(value, datetime):
            raise TypeError(f"a time was read as {type(value).__name__}")
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# A row and a query whose columns the type checker does not follow.
AnyRow: TypeAlias = Row[*tuple[Any, ...]]
AnySelect: TypeAlias = Select[*tuple[Any, ...]]

# Telegram's ids have up to 52 bits.
TelegramId = BigInteger

# SQLite numbers rows by itself only in a column of type INTEGER, which has 64 bits there.
RowId = BigInteger().with_variant(Integer, "sqlite")

# Byte order is mint order; a locale of the database must not change it.
JobId = String(14).with_variant(String(14, collation="C"), "postgresql")
