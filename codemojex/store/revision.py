"""Which revision the tables have, which one this program works on, and the way from one to the other.

The migrations are in `alembic/` at the top of the tree; a wheel carries them inside this package.
"""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, select, table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql import column

from codemojex.store.columns import AnySelect
from codemojex.store.engine import Store, outage
from codemojex.store.errors import SchemaAhead, SchemaBehind, SchemaError, SchemaMissing, StoreDown, TryAgain
from codemojex.store.sqlite import begin, prepare
from codemojex.store.urls import blocking, database_url, shown

if TYPE_CHECKING:  # what runs does without
    from alembic.config import Config
    from alembic.script import ScriptDirectory

__all__ = [
    "SchemaAhead",
    "SchemaBehind",
    "SchemaError",
    "SchemaMissing",
    "check",
    "current",
    "head",
    "upgrade",
]

# The newest migration, said here so that a start need not load them all.
_HEAD = "0005"

_CURE = "Run `codemojex db upgrade`"

# Any number will do that no other program takes for its advisory lock on the same database.
_MIGRATING = 0x636F_6465_6D6F_6A78


def head() -> str:
    """The revision this program works on."""
    return _HEAD


async def current(store: Store) -> str | None:
    """The revision of the database, None when it has no tables yet.

    Raises:
        StoreDown: the database does not answer.
    """
    return await store.read(_current)


async def check(store: Store) -> None:
    """Return when the tables are exactly what this program works on.

    Raises:
        SchemaMissing, SchemaBehind, SchemaAhead: they are not; the sentence names the cure.
        StoreDown: the database does not answer.
    """
    if _not_there(store.url):
        raise SchemaMissing(
            f"The database at {store.name} does not exist yet. {_CURE}, or set DATABASE_URL to one that does."
        )
    found, wanted = await current(store), head()
    if found == wanted:
        return
    if found is None:
        raise SchemaMissing(f"The database at {store.name} has no tables yet. {_CURE}.")
    if found in _known():
        raise SchemaBehind(
            f"The database at {store.name} is at revision {found}, this program needs {wanted}. {_CURE}."
        )
    raise _ahead(store.url, found)


def _not_there(url: URL) -> bool:
    """True for a SQLite file that nobody has made; only looking at it would not make it either."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return False
    return not Path(url.database).exists()


def upgrade(url: str) -> str:
    """Bring the tables of ``url`` to this program's revision, in one transaction.

    Does nothing to a database that is there already. Two that run at once wait for each other. Blocks: from a
    coroutine, call it through `asyncio.to_thread`.

    Returns:
        One sentence: what was done.

    Raises:
        MalformedDatabaseUrl: the URL cannot work.
        StoreDown: the database does not answer.
        SchemaAhead: a newer version of the program has migrated it.
    """
    target = database_url(url)
    engine = _engine(target)
    try:
        with engine.begin() as connection:
            _alone(connection)
            found = _migrate(connection, target)
    except DBAPIError as error:
        known = outage(error, target)
        if isinstance(known, TryAgain):
            known = StoreDown(
                f"Another program holds {shown(target)} ({known}). Stop it, or try again later."
            )
        if known is None:
            raise
        raise known from error
    finally:
        engine.dispose()
    if found == head():
        return f"The database at {shown(target)} is at revision {found} already."
    return f"The database at {shown(target)} went from {found or 'no tables'} to revision {head()}."


def _migrate(connection: Connection, target: URL) -> str | None:
    """Run the migrations; the revision found before."""
    found = _revision(connection)
    if found is not None and found not in _known():
        raise _ahead(target, found)
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    _check_references(connection)
    return found


def _ahead(url: URL, found: str) -> SchemaAhead:
    return SchemaAhead(
        f"The database at {shown(url)} is at revision {found}, which this version of codemojex does not "
        "know: a newer one has migrated it. Install that version or a newer one, or use another database."
    )


def _known() -> set[str]:
    return {script.revision for script in _scripts().walk_revisions()}


def _alone(connection: Connection) -> None:
    """Keep other migrations out until this transaction ends; SQLite's own lock does so already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})


def _engine(url: URL) -> Engine:
    engine = create_engine(blocking(url))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", begin)
    return engine


_WAIT_MS = 30_000


def _prepare(connection: Any, record: object) -> None:
    """SQLite changes a column by copying the table, and would take the rows that point to it for orphans.

    The setting cannot be changed inside a transaction; `_check_references` looks before it is committed.
    """
    # Another migration may take a while on a large file, and whoever waits for it has nothing else to do.
    prepare(connection, record, busy_ms=_WAIT_MS)
    connection.execute("PRAGMA foreign_keys = OFF")


def _check_references(connection: Connection) -> None:
    """Refuse a migration that left a row pointing nowhere; only SQLite has to be asked."""
    if connection.dialect.name != "sqlite":
        return
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if orphans:
        raise RuntimeError(f"the migration left {len(orphans)} rows of {orphans[0][0]} pointing nowhere")


async def _current(tx: AsyncConnection) -> str | None:
    return await tx.run_sync(_revision)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    query: AnySelect = select(column("version_num")).select_from(table("alembic_version"))
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else str(found)


def _folder() -> Path:
    here = Path(__file__).resolve().parent
    installed = here / "alembic"
    return installed if installed.is_dir() else here.parents[1] / "alembic"


def _config() -> Config:
    from alembic.config import Config

    config = Config(stdout=io.StringIO())
    # A percent sign in a path would be read as an interpolation.
    config.set_main_option("script_location", str(_folder()).replace("%", "%%"))
    return config


@cache
def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config())
