"""What a guess earns, as a player is told it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

VECTORS = json.loads((Path(__file__).parents[1] / "game" / "scores.json").read_text("utf-8"))
# The crack last: it ends the game.
ROWS = sorted(VECTORS["rows"], key=lambda row: row["total"])


@pytest.mark.game(secret=VECTORS["secret"])
async def test_a_guess_earns_what_the_vectors_say(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new hard")

    for row in ROWS:
        # when
        await ada.guesses(row["guess"])

        # then
        assert any(
            f"{row['guess']}  {row['total']}/600 · {row['percent']} %" in text for text in ada.chat.texts
        )


async def test_540_and_580_never_come_about(game):
    # given: every way to swap two places of the secret
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    for one, other in list(itertools.combinations(range(6), 2))[:11]:
        six = list(ada.chat.secret)
        six[one], six[other] = six[other], six[one]
        await ada.guesses(six)

    # then
    assert {each.points for each in await ada.chat.guessed()} == {560, 520, 480, 440, 400}


async def test_results_that_wait_for_one_chat_become_one_message(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    said = len(ada.chat.messages)

    # when: three guesses before the worker comes to any
    async with game.paused():
        await ada.guesses("🍌🍎🍇🍓🍒🍍", "🍍🍒🍓🍇🍌🍎", "🥝🍑🍋🍉🍈🍐")

    # then
    assert len(ada.chat.messages) == said + 1
    assert all(words in ada.last for words in ("560/600", "240/600", "0/600"))
