"""DATABASE_URL: what is understood, and what is answered with a cure and without the password."""

from __future__ import annotations

import pytest

from codemojex.store.engine import MalformedDatabaseUrl, open_store
from codemojex.store.urls import blocking, database_url, shown


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("sqlite:///game.sqlite3", "sqlite+aiosqlite:///game.sqlite3"),
        ("sqlite+aiosqlite:////var/game.sqlite3", "sqlite+aiosqlite:////var/game.sqlite3"),
        ("sqlite+pysqlite:////var/game.sqlite3", "sqlite+aiosqlite:////var/game.sqlite3"),
        ("postgres://ada:pw@host/game", "postgresql+psycopg://ada:pw@host/game"),
        ("postgresql://host/game", "postgresql+psycopg://host/game"),
        ("postgresql+asyncpg://host:5433/game", "postgresql+psycopg://host:5433/game"),
        ("postgresql+psycopg:///game?host=/run/pg", "postgresql+psycopg:///game?host=%2Frun%2Fpg"),
        (" postgresql://host/game\n", "postgresql+psycopg://host/game"),
    ],
)
def test_a_url_becomes_the_one_the_program_works_with(text, meant):
    assert database_url(text).render_as_string(hide_password=False) == meant


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("", "sqlite+aiosqlite:///"),
        ("not a url", "sqlite+aiosqlite:///"),
        ("postgresql://u:s3cret@host:port/game", "postgresql+psycopg://user:password@host/database"),
        ("mysql://u:s3cret@host/game", "'mysql', which is not supported"),
        ("sqlite://", "Name a file"),
        ("sqlite:///:memory:", "Name a file"),
        ("sqlite:///file:x?mode=memory&uri=true", "Name a file"),
        ("sqlite://game.sqlite3", "three slashes"),
        ("postgresql://u:s3cret@host", "Add it behind the host"),
    ],
)
def test_a_url_that_cannot_work_is_answered_with_the_cure(text, cure):
    with pytest.raises(MalformedDatabaseUrl) as refusal:
        open_store(text)
    said = str(refusal.value)
    assert "DATABASE_URL" in said
    assert cure in said
    assert "s3cret" not in said
    assert refusal.value.__cause__ is None
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_a_url_is_shown_without_its_password_and_options():
    url = database_url("postgresql://ada:s3cret@host/game?sslpassword=alsosecret")
    assert shown(url) == "postgresql+psycopg://ada:***@host/game"


def test_code_without_an_event_loop_gets_a_driver_that_needs_none():
    assert blocking(database_url("sqlite:///game.sqlite3")).drivername == "sqlite"
    assert blocking(database_url("postgresql://host/game")).drivername == "postgresql+psycopg"
