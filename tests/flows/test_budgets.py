"""Telegram's budgets: a storm in a group is shown within them, and nobody else waits for it."""

from __future__ import annotations

import itertools

import pytest

from tests.play.makers import WRONG

pytestmark = [pytest.mark.game(strict=True), pytest.mark.timeout(120)]

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560


async def test_sixty_guesses_at_once_are_all_scored_and_shown_and_a_guess_elsewhere_is_answered_at_once(game):
    # given
    names = [f"P{n}" for n in range(20)]
    group = await game.group("Storm", *names)
    await group["P0"].says("/new")
    eve = await game.person("Eve")
    await eve.says("/new")
    orders = itertools.islice(itertools.permutations("🍋🍉🥝🍑🍈🍐"), 60)
    guesses = ["".join(order) for order in orders]

    # when: everybody guesses three times, and Eve in the middle of it
    async with game.hurry():
        for n, guess in enumerate(guesses):
            await group[names[n % 20]].guesses(guess)
            if n == 30:
                await eve.guesses(NEAR)
        await eve.sees("560/600")

    # then: her answer was there before the storm was shown to its end
    answered = next(each for each in eve.chat.events if each.message and "560/600" in each.message.text)
    assert answered.at < group.events[-1].at
    assert [each.points is not None for each in await group.guessed()] == [True] * 60
    board = await group.sees("P0")
    shown = [each.text for each in group.events if each.message_id == board.message_id]
    for n, guess in enumerate(guesses):
        assert any(f"{guess} 0 · {names[n % 20]}" in text for text in shown), f"{guess} was never shown"
    assert len(group.messages) == 2  # the greeting and the board
    assert [each.status for each in game.telegram.requests if each.status == 429] == []


async def test_a_board_is_edited_at_most_once_in_three_seconds(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")

    # when
    async with game.hurry():
        for wrong in WRONG[:6]:
            await group.ada.guesses(wrong)
            await group.bo.guesses(wrong)
            await game.taken()

    # then
    board = group.messages[-1].message_id
    times = [each.at for each in group.events if each.message_id == board and each.message is not None]
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    assert gaps
    assert min(gaps) >= 2.9


async def test_a_flood_wait_of_one_chat_delays_no_other(game):
    # given
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new")
    await bo.says("/new")
    game.telegram.fail_next("sendMessage", ada.id, 429, retry_after=15)

    # when
    async with game.hurry():
        await ada.guesses(NEAR)
        await bo.guesses(NEAR)
        await bo.sees("560/600", within_s=60)
        assert not ada.saw("560/600")

    # then
    assert ada.saw("560/600")


async def test_an_answer_that_is_lost_is_repeated_once_at_most(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    game.telegram.lose_answer("sendMessage", ada.id)

    # when
    async with game.hurry():
        await ada.guesses(NEAR)

    # then
    assert 1 <= sum("560/600" in text for text in ada.chat.texts) <= 2
