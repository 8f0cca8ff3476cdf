"""The command line: a wrong setting gives one sentence that names the cure, never a traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from codemojex import cli

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
        timeout=200,
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


def test_the_doctor_speaks_json_for_programs(migrated):
    # when
    well = codemojex("doctor", "--json", home=migrated)
    ill = codemojex("doctor", "--json", home=migrated, REDIS_URL="redis://127.0.0.1:1")

    # then
    told = json.loads(well.stdout)
    assert (well.returncode, told["ok"]) == (0, True)
    assert {"what", "level", "seen", "cure"} == set(told["findings"][0])
    told = json.loads(ill.stdout)
    assert (ill.returncode, told["ok"]) == (1, False)
    assert "failed" in {finding["level"] for finding in told["findings"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plya",), "'play'"),
        (("play", "--foo"), "`codemojex play --help`"),
        (("player", "pause", "x"), "`codemojex player pause --help`"),
        (("player", "pause"), "`codemojex player pause --help`"),
        (("db", "nope"), "`codemojex db --help`"),
    ],
)
def test_a_command_that_cannot_be_understood_is_one_sentence_as_well(short_folder, words, said):
    run = codemojex(*words, home=short_folder)
    _one_sentence(run, said)
    assert run.returncode == 2
    assert run.stderr.startswith("codemojex: ")
    assert run.stdout == ""


def test_help_lists_what_is_needed_most_first_and_leaves_nothing_out(short_folder):
    # when
    run = codemojex("--help", home=short_folder)

    # then
    listed = re.findall(r"^│ (\w+) ", run.stdout, re.MULTILINE)
    assert run.returncode == 0
    assert tuple(listed) == cli._ORDER
    assert codemojex("--version", home=short_folder).stdout.strip() == version("codemojex")


def test_a_name_in_the_env_file_that_nothing_reads_is_told_with_the_one_that_was_meant(migrated):
    # given
    (migrated / ".env").write_text(f"TELEGRAM_TOKN={TOKEN}\nPOSTGRES_PASSWORD=hush-hush\n")

    # when
    checked = codemojex("db", "check", home=migrated)
    examined = codemojex("doctor", home=migrated)

    # then
    assert checked.returncode == examined.returncode == 0
    assert "TELEGRAM_TOKN" in checked.stderr
    assert "meant=TELEGRAM_TOKEN" in checked.stderr
    assert "POSTGRES_PASSWORD" not in checked.stderr  # another program's
    assert "TELEGRAM_TOKN (for TELEGRAM_TOKEN?), POSTGRES_PASSWORD" in examined.stdout
    for run in (checked, examined):
        assert TOKEN not in run.stdout + run.stderr
        assert "hush-hush" not in run.stdout + run.stderr


def test_folders_are_made_where_they_are_needed_and_not_without_a_word(short_folder):
    # when
    elsewhere = codemojex(
        "db",
        "upgrade",
        home=short_folder,
        CODEMOJEX_HOME=str(short_folder / "not" / "needed"),
        DATABASE_URL=f"sqlite+aiosqlite:///{short_folder}/game.sqlite3",
    )
    deep = codemojex("db", "upgrade", home=short_folder, CODEMOJEX_HOME=str(short_folder / "tpyo" / "home"))

    # then
    assert (elsewhere.returncode, deep.returncode) == (0, 0), elsewhere.stderr + deep.stderr
    assert not (short_folder / "not").exists()
    assert elsewhere.stderr == ""
    assert str(short_folder / "tpyo" / "home") in deep.stderr


def test_a_player_nobody_knows_is_paused_with_a_remark(migrated, valkey_url, queue):
    # given
    engine = create_engine(f"sqlite:///{migrated / 'codemojex.sqlite3'}")
    with engine.begin() as tx:
        tx.execute(
            text(
                "INSERT INTO players (id, first_name, created_at, seen_at) "
                "VALUES (77, 'Ada', '2027-01-01 00:00:00', '2027-01-01 00:00:00')"
            )
        )
    engine.dispose()

    # when
    known, unknown = (
        codemojex("player", "pause", id, home=migrated, REDIS_URL=valkey_url, GUESS_QUEUE=queue)
        for id in ("77", "78")
    )

    # then
    assert (known.returncode, known.stderr) == (0, "")
    assert unknown.returncode == 0
    assert unknown.stdout == "78 is paused, 0 guesses wait\n"
    assert "nobody with the id 78" in unknown.stderr
    assert "codemojex player resume 78" in unknown.stderr
