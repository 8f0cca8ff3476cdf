"""In a group: one board for everybody, who wins, who may end it, and what the bot listens to."""

from __future__ import annotations

import asyncio

import pytest

from tests.play.makers import WRONG

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240
MISS = "🥝🍑🍋🍉🍈🍐"  # 0


async def test_bo_cracks_it(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new classic 15")

    # when
    await group.bo.guesses(group.secret)

    # then
    assert group.winner == "Bo"
    assert "Bo cracked the code" in group.last
    assert "Bo" in await group.board()


async def test_the_bot_greets_a_group_and_says_how_to_guess(game):
    # when
    group = await game.group("Fruit", "Ada")

    # then
    assert "just send six emojis to guess" in group.last


@pytest.mark.game(privacy=True)
async def test_with_privacy_mode_on_the_greeting_says_how_to_switch_it_off(game):
    # when
    group = await game.group("Fruit", "Ada")

    # then
    assert "/guess" in group.last
    assert "privacy mode off with @BotFather" in group.last


async def test_one_board_message_shows_every_guess_and_nobody_is_answered_one_by_one(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo", "Cy")
    await group.ada.says("/new")
    shown = len(group.messages)

    # when
    await group.ada.guesses(NEAR)
    await group.bo.guesses(FAR)
    await group.cy.guesses(MISS)

    # then
    board = await group.board()
    assert len(group.messages) == shown
    for words in ("Ada", "Bo", "Cy", NEAR, FAR, MISS, "560", "240"):
        assert words in board


async def test_a_group_has_fifteen_minutes_and_thirty_guesses_each(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")

    # when
    await group.ada.says("/new")
    async with game.hurry():
        await group.ada.guesses(*WRONG[:31])
    async with game.hurry():
        await group.bo.guesses(FAR)

    # then
    played = group.played
    assert (played.closes_at - played.opened_at).total_seconds() == 15 * 60
    assert [each.player_id for each in await group.guessed()].count(group.ada.id) == 30
    assert group.saw("You've had all 30 guesses")
    assert played.open


async def test_the_clock_ends_a_game_and_its_buttons_go(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new 5")
    await group.bo.guesses(NEAR)
    assert group.buttons

    # when
    await game.pass_time(minutes=6)

    # then
    assert group.played.closed_reason == "clock"
    assert group.winner is None
    assert "Time's up" in group.last
    assert group.secret in group.last
    assert not group.buttons


async def test_the_earliest_crack_wins_and_later_guesses_are_too_late(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo", "Cy")
    await group.ada.says("/new")

    # when: all three at once
    async with game.hurry():
        await asyncio.gather(
            group.bo.guesses(group.secret), group.ada.guesses(group.secret), group.cy.guesses(NEAR)
        )

    # then
    first, *others = await group.guessed()
    assert (group.winner, first.late) == ("Bo", False)
    assert all(guess.late for guess in others)
    assert "too late" in await group.board()


async def test_ranks_go_by_best_then_by_who_was_first(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo", "Cy", "Di")
    await group.ada.says("/new")

    # when: Ada reaches 560 first, Bo as well but later; Cy less, Di nothing
    await group.ada.guesses(FAR)
    await group.bo.guesses(MISS)
    await group.ada.guesses(NEAR)
    await group.bo.guesses(NEAR)
    await group.cy.guesses(FAR)
    await group.di.guesses(MISS)
    await game.pass_time(minutes=15)

    # then
    board = group.last if "Ada" in group.last else await group.board()
    placed = [board.index(name) for name in ("Ada", "Bo", "Cy")]
    assert placed == sorted(placed)
    ranks = {each.name: each.rank for each in await game.finishes(group.played)}
    assert ranks == {"Ada": 1, "Bo": 2, "Cy": 3, "Di": None}


async def test_a_majority_gives_up(game):
    # given: three who have guessed, and one who only watches
    group = await game.group("Fruit", "Ada", "Bo", "Cy", "Di")
    await group.ada.says("/new")
    for seat in (group.ada, group.bo, group.cy):
        await seat.guesses(FAR)

    # when
    await group.ada.says("/giveup")
    one = group.last
    await group.ada.says("/giveup")
    still = group.played.open
    await group.bo.says("/giveup")

    # then
    assert "One vote of 2" in one
    assert still
    assert group.played.closed_reason == "gave_up"
    assert group.saw("The game was given up")


async def test_an_admin_ends_it_alone(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo", admins=["Cy"])
    await group.ada.says("/new")
    for seat in (group.ada, group.bo):
        await seat.guesses(FAR)

    # when
    await group.cy.says("/giveup")

    # then
    assert group.played.closed_reason == "gave_up"


async def test_without_guesses_who_opened_it_ends_it_and_nobody_else(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")

    # when
    await group.bo.says("/giveup")
    still = group.played.open
    await group.ada.says("/giveup")

    # then
    assert still
    assert group.played.closed_reason == "gave_up"


@pytest.mark.game(privacy=True)
async def test_with_privacy_mode_on_the_command_and_replies_to_the_board_count(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")

    # when: plain emojis never reach the bot
    await group.bo.guesses(FAR)
    await group.bo.says(f"/guess {NEAR}")
    await group.ada.replies(FAR)

    # then
    assert [each.symbols for each in await group.guessed()] == [NEAR, FAR]


async def test_the_board_says_what_works_here(game):
    # given: privacy mode is off
    group = await game.group("Fruit", "Ada")

    # when
    await group.ada.says("/new")

    # then
    assert "Guess: send six emojis, or use the buttons." in await group.board()
    assert "/guess" not in await group.board()


@pytest.mark.game(privacy=True)
async def test_a_bot_that_was_made_an_admin_says_that_six_emojis_are_enough(game):
    # given
    group = await game.group("Fruit", "Ada")
    await group.ada.says("/new")
    assert "/guess and six emojis" in await group.board()

    # when
    group.group.promote_bot()
    await group.ada.guesses(FAR)
    board = await group.board()

    # then: what it says is true
    assert "Guess: send six emojis, or use the buttons." in board
    assert FAR in board

    # when
    await group.ada.says("/start")

    # then
    assert "just send six emojis" in group.last


async def test_the_same_guess_again_is_refused_to_whoever_made_it_alone(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.ada.guesses(NEAR)

    # when
    await group.ada.guesses(NEAR)
    told = group.last
    await group.bo.guesses(NEAR)

    # then
    assert told == "You've tried these six already: 560/600. This one cost you nothing."
    assert [each.number for each in await group.guessed()] == [1, 1]


async def test_what_people_say_to_each_other_is_none_of_the_bots_business(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    said = len(group.messages)

    # when
    await group.bo.says("hello", "😂😂😂😂😂😂", "🎉", "/new@another_bot", "/fold")

    # then
    assert len(group.messages) == said
    assert await group.guessed() == []


@pytest.mark.game(privacy=True)
async def test_a_command_may_name_the_bot(game):
    # given
    group = await game.group("Fruit", "Ada")

    # when
    await group.ada.says("/new@codemojex_bot pegs")

    # then
    assert group.played.mode == "pegs"


async def test_two_groups_play_side_by_side(game):
    # given
    fruit = await game.group("Fruit", "Ada", "Bo")
    animals = await game.group("Animals", "Ada", "Cy")

    # when
    await fruit.ada.says("/new")
    await animals.ada.says("/new animals")
    await animals.cy.guesses(animals.secret)

    # then
    assert animals.winner == "Cy"
    assert fruit.played.open


async def test_a_guess_gets_a_reaction(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")

    # when
    await group.ada.guesses(FAR)
    await group.bo.guesses(group.secret)
    await group.until_reacted("🎉")

    # then
    assert group.reactions()[FAR][0] in "👍🔥"


@pytest.mark.parametrize("mode", ["pegs", "blind"])
async def test_the_board_shows_what_the_mode_shows(game, mode):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says(f"/new {mode}")

    # when
    await group.bo.guesses(NEAR)

    # then
    board = await group.board()
    assert NEAR in board
    assert f"{NEAR} 560" not in board
    assert "560/600" not in board
    assert ("●4 ○2" in board) == (mode == "pegs")


async def test_a_long_board_stays_one_message(game):
    # given: more players than a message shows, with names of the longest kind
    names = [f"{n:02d}" + "🦄<&>" * 12 for n in range(60)]
    group = await game.group("Crowd", *names)
    await group[names[0]].says("/new")

    # when
    async with game.hurry():
        for name in names:
            await group[name].guesses(NEAR)

    # then
    shown = await group.board()
    board = next(each for each in group.messages if each.text == shown)
    assert len(await group.guessed()) == 60
    assert len(board.text) <= 3500
    assert len(board.entities) <= 100


async def test_who_was_typing_when_the_game_ended_is_told_that_it_came_too_late(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.ada.guesses(group.secret)

    # when
    await group.bo.guesses(NEAR)

    # then
    assert "That game has ended" in group.last


@pytest.mark.parametrize("words", ["🍌🍎🍇", "😂😂😂😂😂😂", "well played"])
async def test_after_a_game_other_words_are_nobodys_business(game, words):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.ada.guesses(group.secret)
    said = len(group.messages)

    # when
    await group.bo.says(words)

    # then
    assert len(group.messages) == said


async def test_six_emojis_long_after_a_game_are_nobodys_business(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.ada.guesses(group.secret)
    said = len(group.messages)
    await game.pass_time(seconds=30)

    # when
    await group.bo.guesses(NEAR)

    # then
    assert len(group.messages) == said
