"""Buttons under the bot's messages, pressed from a keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemojex.localtg import Person
from codemojex.terminal.hearing import Hearing
from codemojex.terminal.letters import Letters
from codemojex.terminal.sending import press
from codemojex.texts.console import console
from tests.terminal.conftest import KEYS, EchoBot
from tests.terminal.test_pipe import talk


async def lines(echo: EchoBot, you: Person, folder: Path, *typed: str) -> list[str]:
    """What a pipe prints for these lines, message by message."""
    code, printed = await talk(echo, you, "\n".join(typed).encode(), folder)
    assert code == 0
    return printed.rstrip("\n").split("\n\n")


@pytest.mark.parametrize("typed", ["2", "/press 2", "/press no", "/PRESS  NO ", " 2 "])
async def test_a_number_or_a_label_presses_the_button(
    echo: EchoBot, you: Person, tmp_path: Path, typed: str
) -> None:
    # when
    printed = await lines(echo, you, tmp_path, "offer go no", typed)

    # then: the edit tells what changed, and no more
    assert printed == ["you said offer go no\n[1 go]  [2 no]", "(pressed no)", "(edited) now no"]
    assert echo.heard == ["offer go no", "[no]"]


@pytest.mark.parametrize("typed", ["/press 3", "/press stop"])
async def test_a_button_that_is_not_there_is_named_with_those_that_are(
    echo: EchoBot, you: Person, tmp_path: Path, typed: str
) -> None:
    printed = await lines(echo, you, tmp_path, "offer go no", typed)
    assert printed[1] == f"(There is no button {typed.split()[1]}. There are: 1 go, 2 no.)"
    assert echo.heard == ["offer go no"]


async def test_without_buttons_a_number_is_a_message_and_a_press_is_refused(
    echo: EchoBot, you: Person, tmp_path: Path
) -> None:
    printed = await lines(echo, you, tmp_path, "2", "/press 2", "/press")
    assert printed == ["you said 2", *[f"({console().no_button('2', [])})"] * 2]
    assert echo.heard == ["2"]


async def test_a_number_means_the_buttons_only_while_they_are_the_last_word(
    echo: EchoBot, you: Person, tmp_path: Path
) -> None:
    await lines(echo, you, tmp_path, "offer go no", "hi", "2", "/press 2")
    assert echo.heard == ["offer go no", "hi", "2", "[no]"]


async def test_emojis_of_the_keyboard_are_not_drawn_as_buttons_and_pressed_by_label_or_letter(
    echo: EchoBot, you: Person, tmp_path: Path
) -> None:
    # when
    printed = await lines(echo, you, tmp_path, "offer 🍎 🍌 ✅", "1", "/press 🍌", "/press a", "/press ✅")

    # then
    assert printed[0] == "you said offer 🍎 🍌 ✅"
    assert echo.heard == ["offer 🍎 🍌 ✅", "1", "[🍌]", "[🍎]", "[✅]"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("offer 🍎\n\nYour guess: ⬜⬜⬜⬜⬜⬜", [{0}]),
        ("offer 🍎\n\nYour guess: ⬜⬜⬜⬜⬜⬜\nno pins", [{0, 1, 3}]),
        ("offer 🍎 ⬜⬜⬜⬜⬜⬜", []),
        ("offer 🍎\n\nYour guess: 🍎⬜⬜⬜⬜⬜", [None]),
        ("offer go\n\nYour guess: ⬜⬜⬜⬜⬜⬜", [None]),  # nothing here puts a guess together
    ],
)
async def test_six_empty_places_are_not_shown_to_whom_types(
    echo: EchoBot, you: Person, said: str, told: list[set[int] | None]
) -> None:
    # given
    hearing = Hearing(you, Letters(KEYS))
    await you.send(said)
    await echo.settled()

    # then
    assert [heard.lines for heard in hearing.news()] == told


async def test_what_follows_a_guess_that_was_typed_is_not_told_again(echo: EchoBot, you: Person) -> None:
    # given: a message with the emojis of the keyboard, and an edit that nobody's press has caused
    hearing = Hearing(you, Letters(KEYS))
    await you.send("offer 🍎 edit")
    await echo.settled()

    # then
    assert [heard.event.text for heard in hearing.news()] == ["you said offer 🍎 edit"]


async def test_of_many_edits_at_once_the_last_is_told(echo: EchoBot, you: Person) -> None:
    # given
    hearing = Hearing(you, Letters(KEYS))
    await you.send("offer go no")
    await echo.settled()
    assert len(list(hearing.news())) == 1

    # when
    for label in ("go", "no"):
        assert await press(you, hearing.buttons, f"/press {label}") is not None
        await echo.settled()
    [first, second, edit] = list(hearing.news())

    # then
    assert [first.event.detail, second.event.detail] == ["pressed go", "pressed no"]
    assert edit.event.text.endswith("now go\nnow no")
    assert edit.lines == {1, 2}
