"""The command line: a wrong setting gives one sentence that names the cure, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

ROOT = Path(__file__).parents[2]
TOKEN = "7000000001:cliTestTokenOfNoBotInTheWorld000000"


def codemojex(
    *words: str, home: Path, stdin: str | None = None, **settings: str
) -> subprocess.CompletedProcess[str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "codemojex.cli", *words],
        env={**keep, "CODEMOJEX_HOME": str(home), "PYTHONIOENCODING": "utf-8", **settings},
        cwd=home,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _one_sentence(run: subprocess.CompletedProcess[str], *words: str) -> None:
    assert run.returncode not in (0, None), run
    assert "Traceback" not in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1, run.stderr
    for word in words:
        assert word in run.stderr


@pytest.fixture
def migrated(short_folder: Path) -> Path:
    run = codemojex("db", "upgrade", home=short_folder)
    assert run.returncode == 0, run.stderr
    return short_folder


WRONG = [
    ({"REDIS_URL": "rdis://127.0.0.1"}, ("REDIS_URL", "redis://")),
    ({"REDIS_URL": "redis://:hush-hush@127.0.0.1:1"}, ("127.0.0.1:1", "REDIS_URL")),
    ({"REDIS_URL": "unix:///nowhere/at/all.sock"}, ("/nowhere/at/all.sock", "REDIS_URL")),
    ({"DATABASE_URL": "mysql://localhost/x"}, ("DATABASE_URL", "postgresql+psycopg://")),
    ({"DATABASE_URL": "not a url"}, ("DATABASE_URL",)),
    ({"DATABASE_URL": "postgresql://me:hush-hush@127.0.0.1:1/x"}, ("127.0.0.1", "DATABASE_URL")),
    ({"DATABASE_URL": "sqlite+aiosqlite:////nowhere/at/all.sqlite3"}, ("DATABASE_URL",)),
    ({"WORKER_BATCH": "0"}, ("WORKER_BATCH", ".env.example")),
]


@pytest.mark.parametrize("verb", ["worker", "bot"])
@pytest.mark.parametrize(
    ("settings", "words"), WRONG, ids=[str(*one[0]) + str(n) for n, one in enumerate(WRONG)]
)
def test_a_wrong_or_unreachable_server_at_start_is_one_sentence_with_the_cure(
    migrated, verb, settings, words
):
    # when
    run = codemojex(verb, home=migrated, TELEGRAM_TOKEN=TOKEN, **settings)

    # then
    _one_sentence(run, *words)
    assert "hush-hush" not in run.stderr


@pytest.mark.parametrize("verb", ["bot", "up"])
def test_a_bot_without_a_token_says_where_to_get_one(migrated, verb):
    _one_sentence(codemojex(verb, home=migrated), "TELEGRAM_TOKEN", "@BotFather")


@pytest.mark.parametrize("words", [("worker",), ("audit", "--json"), ("db", "check")])
def test_a_database_without_tables_names_the_command_that_makes_them(short_folder, words):
    _one_sentence(codemojex(*words, home=short_folder), "codemojex db upgrade")


@pytest.mark.parametrize("words", [("worker",), ("audit",), ("db", "check")])
def test_a_database_ahead_of_the_code_asks_for_newer_code(migrated, words):
    # given
    engine = create_engine(f"sqlite:///{migrated / 'codemojex.sqlite3'}")
    with engine.begin() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = 'fff9'"))
    engine.dispose()

    # then
    _one_sentence(codemojex(*words, home=migrated), "newer")


def test_the_audit_of_an_empty_database_counts_nothing_and_finds_nothing(migrated):
    # when
    run = codemojex("audit", "--json", home=migrated)

    # then
    report = json.loads(run.stdout)
    assert run.returncode == 0
    assert report["violations"] == []
    assert report["took_s"] > 0
    assert {report["counts"][name] for name in ("admitted", "queued", "scored", "told")} == {0}


def test_the_doctor_of_a_fresh_home_says_what_is_there_and_what_is_missing(migrated):
    # when
    run = codemojex("doctor", home=migrated)

    # then
    assert run.returncode == 0, run.stdout + run.stderr
    assert "database" in run.stdout
    assert "embedded" in run.stdout
    assert "codemojex play" in run.stdout


def test_the_doctor_finds_every_fault_at_once_and_says_what_to_do(short_folder):
    # when
    run = codemojex(
        "doctor",
        home=short_folder,
        TELEGRAM_TOKEN=TOKEN,
        TELEGRAM_API_URL="http://127.0.0.1:1",
        REDIS_URL="redis://127.0.0.1:1",
    )

    # then
    assert run.returncode == 1
    assert run.stdout.count("FAILED") == 3
    assert "codemojex db upgrade" in run.stdout
    assert TOKEN not in run.stdout + run.stderr
