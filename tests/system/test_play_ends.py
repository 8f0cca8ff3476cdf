"""How `codemojex play` ends when something ends it: one sentence, an exit code, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.system.test_cli import codemojex

MUTE = """
import sys
from codemojex import cli, playing

async def busy(*_):
    return True

playing._busy, playing._ANSWER_S = busy, 0.5
sys.argv = ["codemojex", "play", "--ephemeral"]
cli.main()
"""


def _environment(home):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**keep, "CODEMOJEX_HOME": str(home), "PYTHONIOENCODING": "utf-8"}


def test_a_system_that_stops_answering_ends_a_piped_game_with_a_sentence(short_folder):
    # when
    run = subprocess.run(
        [sys.executable, "-c", MUTE],
        input="/new\n",
        env=_environment(short_folder),
        cwd=short_folder,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    # then
    assert run.returncode == 1
    assert run.stderr == "codemojex: no answer within 0.5 s; play.log in CODEMOJEX_HOME says why\n"


def test_a_game_that_is_ended_while_lines_wait_says_nothing_more(short_folder):
    # given
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "codemojex.cli", "play", "--ephemeral"],
        stdin=reading,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(short_folder),
        cwd=short_folder,
        text=True,
    ) as game:
        os.close(reading)
        os.write(writing, b"abcdef\n" * 5_000)
        assert game.stdout is not None
        game.stdout.readline()

        # when
        game.send_signal(signal.SIGTERM)
        _, said = game.communicate(timeout=200)
        os.close(writing)

    # then
    assert said == ""


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("🍎🍌🍇", "codemojex: --secret: a secret has six different emojis; I count 3.\n"),
        (
            "🐶🍌🍇🍓🍒🍍",
            "codemojex: --secret: 🐶 (position 1) is not on the normal fruit keyboard, which has ",
        ),
        ("🍎🍎🍇🍓🍒🍍", "codemojex: --secret: 🍎 is in there twice, at positions 1 and 2; "),
    ],
)
def test_a_secret_that_cannot_be_one_is_refused_in_plain_words(short_folder, secret, said):
    run = codemojex("play", "--ephemeral", "--secret", secret, home=short_folder, stdin="")
    assert run.returncode == 1
    assert run.stderr.startswith(said)
    assert run.stderr.count("\n") == 1


def test_commands_while_a_game_is_on_say_which_game_and_how_much_time(short_folder):
    # given
    lines = ["/new easy hard", "/new blind 1", "abcdef", "abcdef", "/giveup", "/new animals 90"]

    # when
    run = codemojex(
        "play", "--ephemeral", home=short_folder, stdin="\n".join([*lines, "abcdef", "/board", "/verify"])
    )

    # then
    assert run.returncode == 0, run.stderr
    assert "Only one of easy, normal or hard fits a game: easy or hard?" in run.stdout
    assert "You've tried these six already" in run.stdout
    assert "What your guesses earned\n1. 🍎🍌🍇🍓🍒🍍  " in run.stdout
    assert "\n\n🐶🐱🐸🦊🐼🐷  " in run.stdout  # the letters of the game just opened
    assert "⏳ 90 minutes are left on the clock." in run.stdout
    assert "This is about your last finished game." in run.stdout
