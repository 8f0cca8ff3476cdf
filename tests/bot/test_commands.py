"""Commands of a game from its beginning to the proof, in private and in groups."""

from __future__ import annotations

import pytest

from codemojex.store import schema
from tests.bot.desk import ADA, BO, CY, FRUIT, MISS, NEAR, SECRET
from tests.play.makers import rows


async def test_new_sends_the_game_with_its_buttons(desk):
    await desk.private(ADA, "/new easy pegs 5")
    game = await desk.game(ADA)
    assert (game.level, game.mode, game.closes_at is not None) == ("easy", "pegs", True)
    assert await desk.hears(ADA) == ["[card]"]


async def test_new_with_a_game_on_is_refused(desk):
    await desk.private(ADA, "/new", "/new")
    assert "A game is on already" in await desk.last(ADA)


async def test_a_game_in_a_group_has_one_board_which_board_brings_to_the_bottom(desk):
    # when
    await desk.group(ADA, "/new", "/board", "/board")

    # then: one card, sent once, as a new message
    assert await desk.hears(FRUIT) == ["[card]"]
    [card] = await rows(desk.store, schema.cards)
    assert (card.kind, card.chat_id) == ("board", FRUIT)


async def test_board_shows_the_game_that_is_on_or_the_last_one(desk):
    # when
    await desk.private(ADA, "/board", "/new", "/board", "/giveup", "/board")

    # then
    said = await desk.hears(ADA)
    assert "No game is on" in said[0]
    assert any("The game so far" in each for each in said)
    assert "The last game" in said[-1]
    assert SECRET in said[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("/pin 7 🍌", "7"),
        ("/pin 0 🍌", "0"),
        ("/pin three 🍌", "three"),
        ("/pin 3", "one emoji"),
        ("/pin 3 🍌🍎", "one emoji"),
        ("/pin 3 🐶", "keyboard"),
        ("/unpin 9", "9"),
    ],
)
async def test_a_pin_that_cannot_be_is_refused(desk, words, said):
    await desk.private(ADA, "/new", words)
    assert said in await desk.last(ADA)
    assert await rows(desk.store, schema.pins) == []


async def test_a_symbol_is_pinned_to_one_position_only(desk):
    await desk.private(ADA, "/new", "/pin 3 🍌", "/pin 4 🍌")
    assert [(pin.position, pin.symbol) for pin in await rows(desk.store, schema.pins)] == [(3, "🍌")]


async def test_pins_are_shown_and_let_go_one_by_one_or_all(desk):
    # when
    await desk.private(ADA, "/new", "/pin 3 🍌", "/pin 4 🍎", "/pin", "/unpin 3", "/unpin all", "/pin")

    # then
    said = [each for each in await desk.hears(ADA) if each != "[card]"]
    assert "⬜⬜🍌🍎⬜⬜" in said[2]
    assert "⬜⬜⬜🍎⬜⬜" in said[3]
    assert "Nothing is pinned" in said[4]
    assert "Nothing is pinned" in said[5]


@pytest.mark.parametrize("words", ["/pin 3 🍌", "/unpin", "/hint", "/giveup", "/board"])
async def test_without_a_game_there_is_nothing_to_help_with(desk, words):
    await desk.private(ADA, words)
    assert "No game is on" in await desk.last(ADA)


async def test_a_hint_in_a_group_goes_to_the_chat_of_who_asked(desk):
    # given
    await desk.private(ADA, "/start")
    await desk.group(ADA, "/new", "/hint")

    # then
    assert "is in the code" in await desk.last(ADA)
    assert "private chat" in await desk.last(FRUIT)
    assert not any(symbol in said for said in await desk.hears(FRUIT) for symbol in SECRET)


async def test_a_hint_for_somebody_the_bot_cannot_write_to_costs_nothing(desk):
    # when
    await desk.group(ADA, "/new", "/hint")

    # then
    assert "/start" in await desk.last(FRUIT)
    assert await rows(desk.store, schema.hints) == []


async def test_two_hints_name_two_symbols_and_a_third_is_refused(desk):
    # when
    await desk.private(ADA, "/new", "/hint", "/hint", "/hint")

    # then
    asked = await rows(desk.store, schema.hints)
    assert len({hint.symbol for hint in asked}) == 2
    assert {hint.symbol for hint in asked} <= set(SECRET)
    assert "hints" in await desk.last(ADA)


async def test_a_majority_of_those_who_have_guessed_gives_up(desk):
    # given
    await desk.group(ADA, "/new", NEAR)
    await desk.group(BO, NEAR)
    await desk.group(CY, NEAR)

    # when
    await desk.group(ADA, "/giveup")
    first = await desk.last(FRUIT)
    await desk.group(ADA, "/giveup")
    again = (await desk.game(FRUIT)).state
    await desk.group(BO, "/giveup")

    # then
    assert "Ada" in first
    assert "2" in first
    assert again == "open"
    assert (await desk.game(FRUIT)).state == "closed"


async def test_who_has_not_guessed_has_no_vote_and_an_admin_needs_none(desk):
    # given: Bo is an admin
    desk.admins[FRUIT] = [BO]
    await desk.group(ADA, "/new", NEAR)
    await desk.group(CY, "/giveup")
    before = (await desk.game(FRUIT)).state

    # when
    await desk.group(BO, "/giveup")

    # then
    assert before == "open"
    assert (await desk.game(FRUIT)).state == "closed"


async def test_verify_proves_the_last_game_and_keeps_the_running_one_sealed(desk):
    # given
    await desk.private(ADA, "/new", "/giveup", "/new", "/verify")
    first, second = await desk.games()

    # then
    said = await desk.last(ADA)
    assert first.commitment in said
    assert second.commitment not in said
    assert "The one that is on stays sealed" in said


async def test_rules_name_the_symbols_of_the_game_that_is_on(desk):
    # when
    await desk.private(ADA, "/rules", "/new easy animals", "/rules")

    # then
    said = [each for each in await desk.hears(ADA) if each != "[card]"]
    assert "apple" in said[0]
    assert "dog" in said[1]
    assert "apple" not in said[1]


async def test_ping_says_how_long_the_message_took(desk):
    # given
    update = desk.message(ADA, "/ping")
    update["message"]["date"] -= 2

    # when
    await desk.take(update)

    # then
    assert "2000 ms" in await desk.last(ADA)


async def test_stats_and_top_count_what_was_settled(desk):
    # given
    await desk.group(ADA, "/new", NEAR)
    await desk.group(BO, MISS, SECRET)
    await desk.score()

    # when
    await desk.group(BO, "/top", "/top global all", "/top today", "/leaderboard month", "/stats")

    # then: Bo won, Ada came second
    chat, everybody, today, month, mine = (await desk.hears(FRUIT))[-5:]
    assert [scope in said for scope, said in zip(("Fruit", "Everybody"), (chat, everybody), strict=True)] == [
        True
    ] * 2
    assert all("1. Bo · 600" in said and "2. Ada · 560" in said for said in (chat, everybody, today, month))
    assert "1 win" in mine


async def test_in_private_top_is_the_board_of_everybody(desk):
    await desk.private(ADA, "/top chat week")
    assert "Everybody" in await desk.last(ADA)


@pytest.mark.parametrize("words", ["/invite", "/join ABCDEF", "/leave", "/privacy"])
async def test_what_is_private_is_not_done_in_a_group(desk, words):
    await desk.group(ADA, words)
    assert "@codemojex_bot" in await desk.last(FRUIT)
    assert await rows(desk.store, schema.members) == []


async def test_start_in_a_group_greets_it(desk):
    await desk.group(ADA, "/start@codemojex_bot")
    assert "Hello, everybody" in await desk.last(FRUIT)
