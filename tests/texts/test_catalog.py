"""The catalog: every key that is asked for exists, every one that exists is asked for, plurals are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import codemojex.texts
from codemojex.game.keyboards import Mode
from codemojex.play.games import Cause
from codemojex.texts.catalog import fields
from codemojex.texts.english import ENGLISH, cardinal, ordinal

CODE = "\n".join(
    path.read_text()
    for path in Path(codemojex.texts.__file__).parent.glob("*.py")
    if path.name != "english.py"
)
# Keys that are put together: by mode, by cause, by command.
MADE = {
    *(f"new.{mode}" for mode in Mode),
    *(f"ended.{cause}" for cause in Cause if cause is not Cause.CRACKED),
    *(f"command.{name}" for name, _ in codemojex.texts.commands()),
}


def test_every_key_in_the_code_is_in_the_catalog() -> None:
    # given
    asked = set(re.findall(r'"((?:[a-z_]+\.)+[a-z_.]+)"', CODE)) | MADE
    asked -= {key for key in asked if key.startswith(("codemojex.", "telegram."))}

    # then
    assert asked
    assert asked - set(ENGLISH.sentences) == set()


def test_every_key_in_the_catalog_is_asked_for() -> None:
    assert {key for key in ENGLISH.sentences if f'"{key}"' not in CODE} - MADE == set()


def test_every_plural_has_the_general_form_and_the_same_fields_in_each() -> None:
    for key, forms in ENGLISH.sentences.items():
        if isinstance(forms, str):
            continue
        assert "other" in forms, key
        wanted = fields(forms["other"])
        assert all(fields(form) | {"n"} == wanted | {"n"} for form in forms.values()), key


@pytest.mark.parametrize(
    ("n", "said"),
    [(1, "one guess left"), (0, "0 guesses left"), (2, "2 guesses left"), (21, "21 guesses left")],
)
def test_guesses_are_counted_as_english_counts(n: int, said: str) -> None:
    assert ENGLISH.count("result.left", n) == said


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (112, "112th"),
    ],
)
def test_ranks_are_said_as_english_says_them(n: int, said: str) -> None:
    assert ENGLISH.rank("rank", n, of=200) == f"{said} of 200"


def test_a_value_is_escaped_and_markup_is_not() -> None:
    assert (
        ENGLISH.say("unknown_command", command="/<b>")
        == "I don't know /&lt;b&gt;. /help lists what I understand."
    )


def test_a_sentence_said_of_a_number_is_not_said_without_one() -> None:
    with pytest.raises(TypeError, match=r"result\.left"):
        ENGLISH.say("result.left")
    with pytest.raises(TypeError, match="unknown_command"):
        ENGLISH.count("unknown_command", 1)


def test_the_rules_give_a_category_for_every_number() -> None:
    assert {cardinal(n) for n in range(200)} == {"one", "other"}
    assert {ordinal(n) for n in range(200)} == {"one", "two", "few", "other"}
