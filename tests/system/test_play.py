"""`codemojex play` with piped input: a round of the real thing, from lines to lines."""

from __future__ import annotations

import fcntl
import os
import pty
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from codemojex.game.keyboards import THEMES
from codemojex.play.daily import local_day, theme_of
from tests.system.test_cli import codemojex

SECRET = "🍎🍌🍇🍓🍒🍍"
NEAR = "🍌🍎🍇🍓🍒🍍"


def test_a_round_is_played_from_a_pipe(short_folder):
    # when
    run = codemojex(
        "play", "--ephemeral", "--secret", SECRET, home=short_folder, stdin=f"/new\n{NEAR}\n{SECRET}\n"
    )

    # then
    assert run.returncode == 0, run.stderr
    assert "560/600" in run.stdout
    assert "93" in run.stdout
    assert run.stdout.index("560/600") < run.stdout.index("That's the code")
    assert run.stderr == ""


def test_what_was_played_is_there_the_next_time(short_folder):
    # given
    first = codemojex("play", "--secret", SECRET, home=short_folder, stdin=f"/new\n{NEAR}\n")
    assert first.returncode == 0, first.stderr

    # when
    second = codemojex("play", "--secret", SECRET, home=short_folder, stdin=f"/board\n{SECRET}\n")

    # then
    assert second.returncode == 0, second.stderr
    assert "560" in second.stdout
    assert "That's the code" in second.stdout


def test_letters_are_those_of_the_game_that_guesses_go_to(short_folder):
    # given: a game with other symbols than the puzzle of the day has, today or just after midnight
    now = datetime.now(UTC)
    daily = {theme_of(local_day(now + timedelta(days=days), "UTC")) for days in (0, 1)}
    own = next(theme for theme in THEMES if theme not in daily)

    # when
    run = codemojex(
        "play", "--ephemeral", home=short_folder, stdin=f"/new {own}\n/daily\nabcdef\n/leave\nabcdef\n"
    )

    # then: six letters are six symbols of the one, then of the other
    assert run.returncode == 0, run.stderr
    assert "Not on this game's keyboard" not in run.stdout
    assert "7 guesses left" in run.stdout
    assert "11 guesses left" in run.stdout


@pytest.mark.parametrize(
    "secret", ["abcdef", "ABC def", "apple banana grapes strawberry cherries pineapple", ":apple: b c d e f"]
)
def test_a_secret_may_be_letters_or_names(short_folder, secret):
    run = codemojex("play", "--ephemeral", "--secret", secret, home=short_folder, stdin="/new\nabcdef\n")
    assert run.returncode == 0, run.stderr
    assert "That's the code" in run.stdout


def test_pins_take_letters_and_the_rest_of_a_guess_does_as_well(short_folder):
    # when
    lines = ["/new", "/pin 1 a", "/pin 2 banana", "cdfe"]
    run = codemojex("play", "--ephemeral", "--secret", SECRET, home=short_folder, stdin="\n".join(lines))

    # then: the card of the game is not told again for each pin
    assert run.returncode == 0, run.stderr
    assert "🍎🍌🍇🍓🍍🍒  560/600" in run.stdout
    assert run.stdout.count("A new code is hidden") == 1
    assert "(edited)" not in run.stdout


def test_what_is_asked_for_is_saved_for_its_owner_alone(short_folder):
    # when
    run = codemojex("play", home=short_folder, stdin="/new\nabcdef\n/privacy export\n")

    # then
    kept = short_folder / "downloads" / "codemojex.json"
    assert run.returncode == 0, run.stderr
    assert str(kept) in run.stdout
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "🍎🍌🍇🍓🍒🍍" in kept.read_text(encoding="utf-8")


def test_an_ephemeral_game_leaves_nothing_but_what_was_asked_for(short_folder):
    # when
    place = {"TMPDIR": str(short_folder)}
    quiet = codemojex("play", "--ephemeral", home=short_folder, stdin="/new\n", **place)
    asked = codemojex("play", "--ephemeral", home=short_folder, stdin="/privacy export\n", **place)

    # then
    assert (quiet.returncode, asked.returncode) == (0, 0), asked.stderr
    [kept] = [path for path in short_folder.rglob("*") if path.is_file()]
    assert str(kept) in asked.stdout


@pytest.mark.parametrize(
    ("locale", "greeting"), [("ru_RU.UTF-8", "Спрятан новый код"), ("de_DE.UTF-8", "hidden")]
)
def test_the_language_is_that_of_the_machine_until_another_is_chosen(short_folder, locale, greeting):
    # when
    first = codemojex("play", home=short_folder, stdin="/new\n\n", LC_ALL=locale)
    second = codemojex("play", home=short_folder, stdin="/settings language en\n\n", LC_ALL=locale)

    # then
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert greeting in first.stdout
    assert ("Пустая строка" in first.stdout) == locale.startswith("ru")
    assert "An empty line is not a message" in second.stdout


def test_who_comes_back_is_told_how_the_game_stands(short_folder):
    # given
    first = codemojex("play", "--secret", SECRET, home=short_folder, stdin=f"/new\n{NEAR}\n/pin 3 c\n")
    assert first.returncode == 0, first.stderr

    # when: a terminal that can only print lines, which is closed at once
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "codemojex.cli", "play", "--secret", SECRET],
        env={**os.environ, "CODEMOJEX_HOME": str(short_folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"},
        cwd=short_folder,
        stdin=slave,
        stdout=slave,
    ) as game:
        os.close(slave)
        said = b""
        while b"\n> " not in said:
            said += os.read(master, 4096)
        os.write(master, b"\x04")
        assert game.wait(30) == 0
    os.close(master)

    # then
    greeted = said.decode()
    assert f"1. {NEAR}  560/600" in greeted
    assert "11 guesses left" in greeted
    assert "Pinned: ⬜⬜🍇⬜⬜⬜" in greeted


BAD = {
    "unknown command": ("/dance", "/dance"),
    "seven symbols": (f"{SECRET}🍉", "seven"),
    "a repeated symbol": ("🍎🍎🍇🍓🍒🍍", "twice"),
    "a symbol outside the keyboard": ("🐶🍌🍇🍓🍒🍍", "🐶"),
    "a message of 4,000 characters": ("🍎" * 4000, "long"),
    "words": ("hello there", "six emojis"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_gets_a_short_answer_and_costs_nothing(short_folder, what):
    # given
    text, _ = BAD[what]

    # when
    run = codemojex(
        "play", "--ephemeral", "--secret", SECRET, home=short_folder, stdin=f"/new\n{text}\n{NEAR}\n"
    )

    # then: the good guess after it is the first of twelve
    assert run.returncode == 0, run.stderr
    assert "560/600" in run.stdout
    assert "11 guesses left" in run.stdout


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--secret", "🍎🍌🍇"),
        ("--secret", "🐶🍌🍇🍓🍒🍍"),
        ("--secret", "abcdez"),
        ("--secret", "dog banana grapes strawberry cherries pineapple"),
        ("--keyboard", "huge"),
        ("--mode", "chess"),
        ("--theme", "rocks"),
    ],
)
def test_an_option_that_cannot_work_is_one_sentence(short_folder, option, value):
    # when
    run = codemojex("play", "--ephemeral", option, value, home=short_folder, stdin="")

    # then
    assert run.returncode == 1
    assert len(run.stderr.strip().splitlines()) == 1, run.stderr
    assert option in run.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_stream_that_was_closed_is_an_empty_one(short_folder, closed):
    # when
    command = f"{sys.executable} -m codemojex.cli play --ephemeral {closed}"
    environment = {**os.environ, "CODEMOJEX_HOME": str(short_folder)}
    run = subprocess.run(
        ["/bin/sh", "-c", command],
        env=environment,
        cwd=short_folder,
        stdin=subprocess.DEVNULL,
        timeout=200,
        check=False,
    )

    # then
    assert run.returncode == 0


def test_a_second_game_in_the_same_folder_is_refused_in_one_sentence(short_folder):
    # given
    with (short_folder / "play.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        # when
        run = codemojex("play", home=short_folder, stdin="/new\n")

    # then
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "--ephemeral" in run.stderr


def test_a_locale_without_emojis_plays_all_the_same(short_folder):
    # when
    run = codemojex(
        "play",
        "--ephemeral",
        "--secret",
        SECRET,
        home=short_folder,
        stdin=f"/new\n{NEAR}\n",
        LC_ALL="C",
        PYTHONUTF8="0",
        PYTHONIOENCODING="",
    )

    # then
    assert run.returncode == 0, run.stderr
    assert f"{NEAR}  560/600 · 93 %" in run.stdout
