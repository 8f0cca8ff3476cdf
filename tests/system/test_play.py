"""`codemojex play` with piped input: a round of the real thing, from lines to lines."""

from __future__ import annotations

import pytest

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
