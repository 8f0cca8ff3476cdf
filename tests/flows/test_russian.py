"""In Russian: the language of a person, of a group, and plural forms on the way through a game."""

from __future__ import annotations

import re

import pytest

from tests.play.makers import WRONG

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


async def test_a_game_alone_from_the_greeting_to_the_proof(game):
    # given
    ira = await game.person("Ира", language="ru")

    # when
    await ira.starts()
    hello = ira.last
    await ira.says("/new")
    await ira.guesses(NEAR)
    near = ira.last
    await ira.guesses(FAR)
    far = ira.last
    await ira.guesses(ira.chat.secret)
    end = ira.last
    await ira.says("/verify")

    # then
    assert "Привет, Ира!" in hello
    assert "560/600" in near
    assert "осталось 11 попыток" in near
    assert "осталось 10 попыток" in far
    assert "Код взломан за 3 попытки!" in end
    assert "Код: 🍎🍌🍇🍓🍒🍍" in end
    assert CYRILLIC.search(ira.last)


@pytest.mark.parametrize(
    ("left", "said"), [(1, "осталась 1 попытка"), (2, "осталось 2 попытки"), (5, "осталось 5 попыток")]
)
async def test_numbers_have_the_right_form(game, left, said):
    # given
    ira = await game.person("Ира", language="ru-RU")
    await ira.says("/new")

    # when
    await ira.guesses(*WRONG[: 12 - left])

    # then
    assert said in ira.last


async def test_a_refusal_is_in_russian(game):
    # given
    ira = await game.person("Ира", language="ru")
    await ira.says("/new")

    # when
    await ira.says("🍎🍌🍇🍓🍒🍎")

    # then
    assert CYRILLIC.search(ira.last)
    assert "1" in ira.last
    assert "6" in ira.last


async def test_a_group_speaks_the_language_of_who_brought_the_bot(game):
    # given
    group = await game.group("Фрукты", "Боря", admins=["Ира"], language="ru")

    # when
    await group.ира.says("/new")
    await group.боря.guesses(group.secret)

    # then
    assert "Всем привет!" in group.texts[0]
    assert "Код взломан! Победитель: Боря." in group.last
    assert "Эта игра окончена" in await group.board()


async def test_everybody_in_a_room_is_told_in_their_own_language(game):
    # given
    ada, ira = await game.person("Ada"), await game.person("Ира", language="ru")
    await ada.says("/invite")
    await ira.starts(re.search(r"start=(r_\w+)", ada.last)[1])
    await ada.says("/new")

    # when
    await ira.guesses(game.games[-1].secret)

    # then
    assert ada.saw("Ира cracked the code!")
    assert ira.saw("Код взломан с первой же попытки!")
