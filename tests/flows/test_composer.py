"""The composer: a guess put together with buttons, alone and in a group, and what is pressed too late or twice."""

from __future__ import annotations

import pytest

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560


async def test_a_guess_is_put_together_with_buttons(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    answer = await ada.composes(ada.chat.secret)

    # then
    assert ada.chat.secret in answer
    assert ada.chat.winner == "Ada"


async def test_the_buttons_are_the_keyboard_six_a_row_and_three_to_change_and_send(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/new easy")

    # then
    rows = [[button["text"] for button in row] for row in ada.chat.messages[-1].keyboard]
    assert rows == [list("🍎🍌🍇🍓🍒🍍"), list("🍋🍉"), ["⌫", "🗑", "✅"]]
    for row in ada.chat.messages[-1].keyboard:
        assert all(len(button["callback_data"].encode()) <= 64 for button in row)


async def test_the_message_shows_the_guess_so_far_and_the_last_symbol_or_all_can_be_taken_back(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    for button in "🍎🍌🍇":
        await ada.presses(button)
    three = ada.last
    await ada.presses("⌫")
    two = ada.last
    await ada.presses("🗑")

    # then
    assert "Your guess: 🍎🍌🍇" in three
    assert "Your guess: 🍎🍌⬜" in two
    assert "Your guess: ⬜" in ada.last
    assert len(ada.chat.messages) == 1


async def test_a_symbol_in_the_guess_already_and_an_unfinished_guess_change_nothing(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.presses("🍎")
    await ada.presses("🍎")
    shown = ada.last
    answer = await ada.presses("✅")

    # then
    assert "Your guess: 🍎⬜" in shown
    assert answer
    assert await ada.chat.guessed() == []


async def test_a_second_tap_on_submit_is_answered_and_counts_once(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    for button in NEAR:
        await ada.presses(button)
    seen = ada.chat.messages[-1]

    # when: the same buttons twice, faster than an answer comes
    async with game.hurry():
        await ada.presses("✅", on=seen)
        await ada.presses("✅", on=seen)

    # then
    assert [each.symbols for each in await ada.chat.guessed()] == [NEAR]
    assert sorted(game.answers()) == sorted(game.presses())


async def test_buttons_of_an_earlier_guess_are_old(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    old = ada.chat.messages[-1]
    await ada.composes(NEAR)

    # when
    answer = await ada.presses("🍎", on=old)

    # then
    assert "buttons are old" in answer
    assert "560/600" in "\n".join(ada.chat.texts)
    assert "Your guess: ⬜" in ada.last  # the composer came again below the result


async def test_pins_are_shown_and_filled_in(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/pin 1 🍎", "/pin 6 🍍")

    # when
    await ada.composes("🍌🍇🍓🍒")

    # then
    assert ada.saw("📌 🍎 at 1")
    assert ada.chat.winner == "Ada"


async def test_in_a_group_everybody_has_a_guess_of_their_own_and_nobody_sees_it(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    board = await group.board()

    # when: they tap in turns
    for ada, bo in zip(NEAR, "🍍🍒🍓🍇🍌🍎", strict=True):
        await group.ada.presses(ada)
        toast = await group.bo.presses(bo)
    unchanged = await group.board()
    await group.ada.presses("✅")
    await group.bo.presses("✅")

    # then
    assert toast.startswith("🍍🍒🍓🍇🍌🍎")
    assert unchanged == board
    assert {each.player_id: each.symbols for each in await group.guessed()} == {
        group.ada.id: NEAR,
        group.bo.id: "🍍🍒🍓🍇🍌🍎",
    }


async def test_buttons_of_a_game_that_is_over_change_nothing(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    old = group.messages[-1]
    await group.ada.says("/giveup", "/new")

    # when
    answer = await group.bo.presses("🍎", on=old)

    # then
    assert answer
    assert await group.guessed() == []


@pytest.mark.parametrize(
    "data",
    [
        "",
        "g",
        "g:1",
        "g:1:0:0:0",
        "g:99:0:-",
        "g:0:0:-",
        "g:1:99:-",
        "g:1:submit:77",
        "g:-1:0:0",
        "🍎",
        "g:1:0:9" * 9,
    ],
)
async def test_data_that_no_button_had_is_answered_and_changes_nothing(game, data):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    before = await ada.chat.guessed(), ada.chat.played

    # when
    await ada.forges(data)

    # then
    assert (await ada.chat.guessed(), ada.chat.played) == before
    assert sorted(game.answers()) == sorted(game.presses())


async def test_nobody_plays_in_a_game_of_others(game):
    # given: Ada's own game, and a group in which Cy is not
    ada, cy = await game.person("Ada"), await game.person("Cy")
    group = await game.group("Fruit", "Bo")
    await group.bo.says("/new")
    await ada.says("/new")
    await cy.says("/new")

    # when
    answers = [await cy.forges(f"g:{played.id}:0:-") for played in (group.played, ada.chat.played)]
    answers += [await cy.forges(f"g:{played.id}:submit:0") for played in (group.played, ada.chat.played)]

    # then
    assert all("not your game" in answer for answer in answers)


async def test_a_press_on_a_message_too_old_to_be_seen_is_answered(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    answer = await ada.presses("🍎", inaccessible=True)

    # then
    assert "🍎" in answer


async def test_an_answer_that_comes_too_late_harms_nobody(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.presses("🍎", expired=True)
    await ada.presses("🍌")

    # then
    assert "Your guess: 🍎🍌" in ada.last


async def test_a_draft_is_its_players_alone(game):
    # given: Ada's guess is almost complete
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    for button in group.secret[:5]:
        await group.ada.presses(button)

    # when: Bo forges what would end it, change it and send it
    played = group.played
    for key in ("5", "del", "clear", "submit"):
        await group.bo.forges(f"g:{played.id}:{key}:-")

    # then: he has touched his own
    assert await group.guessed() == []
    await group.ada.presses(group.secret[5])
    await group.ada.presses("✅")
    assert [(each.player_id, each.symbols) for each in await group.guessed()] == [
        (group.ada.id, group.secret)
    ]


async def test_buttons_of_settings_and_privacy_are_not_anybodys_to_forge(game):
    # given
    group = await game.group("Fruit", "Bo", admins=["Ada"])
    await group.bo.says("/new")
    await group.bo.guesses(NEAR)

    # when
    answers = [await group.bo.forges(data) for data in ("s:mode:blind", "s:language:ru", "s:mode:nonsense")]
    await group.bo.forges("p:forget")

    # then
    assert "Only admins" in answers[0]
    assert "Only admins" in answers[1]
    assert "don't know that setting" in answers[2]
    assert [each.player_id for each in await group.guessed()] == [group.bo.id]
