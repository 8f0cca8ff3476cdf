"""DATABASE_URL: what is accepted, and into what it is made."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from codemojex.store.errors import MalformedDatabaseUrl

_FORMS = "sqlite+aiosqlite:///path/to/file or postgresql+psycopg://user:password@host/database"
_POSTGRES = {"postgres", "postgresql"}


def database_url(text: str) -> URL:
    """The URL the program works with: SQLite through aiosqlite, PostgreSQL through psycopg.

    Plain ``sqlite:``, ``postgres:`` and ``postgresql:`` are understood, and so is another driver's name.

    Raises:
        MalformedDatabaseUrl: anything else; the text names the cure and not the password.
    """
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        raise MalformedDatabaseUrl(f"DATABASE_URL cannot be read as a URL. Write it as {_FORMS}.") from None
    backend = url.drivername.split("+")[0]
    if backend == "sqlite":
        return _sqlite(url)
    if backend in _POSTGRES:
        return _postgres(url)
    raise MalformedDatabaseUrl(
        f"DATABASE_URL names {backend!r}, which is not supported. Write it as {_FORMS}."
    )


def blocking(url: URL) -> URL:
    """The same database for code without an event loop."""
    return url.set(drivername="sqlite") if url.get_backend_name() == "sqlite" else url


def shown(url: URL) -> str:
    """The URL for a sentence: no password, no options."""
    return url.set(query={}).render_as_string(hide_password=True)


def _sqlite(url: URL) -> URL:
    if url.host:
        raise MalformedDatabaseUrl(
            f"DATABASE_URL has {url.host!r} where a host would stand, and SQLite has none. Write three "
            "slashes before a relative path, four before an absolute one, "
            "like sqlite+aiosqlite:////var/lib/game.sqlite3."
        )
    if not url.database or url.database == ":memory:" or "mode=memory" in str(url):
        raise MalformedDatabaseUrl(
            "DATABASE_URL names a database in memory, which no second connection could see. "
            "Name a file, like sqlite+aiosqlite:///codemojex.sqlite3."
        )
    return url.set(drivername="sqlite+aiosqlite")


def _postgres(url: URL) -> URL:
    if not url.database:
        raise MalformedDatabaseUrl(
            "DATABASE_URL names no database. Add it behind the host, "
            "like postgresql+psycopg://host/codemojex."
        )
    return url.set(drivername="postgresql+psycopg")
