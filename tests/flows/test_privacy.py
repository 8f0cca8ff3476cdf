"""What is stored about somebody: said, handed over, forgotten."""

from __future__ import annotations

import json

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240

# The answer that they are forgotten, and the mark that keeps the command from being done twice.
LEFT = {"notices.chat_id", "updates.chat_id"}


async def test_it_is_said_what_is_stored(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/privacy")

    # then
    assert "What I store about you" in ada.last


async def test_everything_is_handed_over_as_a_file(game):
    # given
    ada = await game.person("Ada", username="lovelace")
    await ada.says("/new")
    await ada.guesses(NEAR)

    # when
    await ada.says("/privacy export")

    # then
    stored = json.loads(game.document(ada.chat.messages[-1]))
    text = json.dumps(stored, ensure_ascii=False)
    for known in (str(ada.id), "Ada", "lovelace", NEAR):
        assert known in text
    assert ada.chat.secret not in text
    assert ada.chat.played.nonce not in text


async def test_forgetting_asks_first(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says("/privacy forget")
    asked = ada.last
    await ada.presses("Keep everything")

    # then
    assert "Shall I forget you?" in asked
    assert ada.chat.played.open


async def test_who_is_forgotten_leaves_their_guesses_behind_without_a_name(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.bo.guesses(NEAR)
    await group.ada.guesses(FAR)
    bo = group.bo.alone

    # when
    await bo.says("/privacy forget yes")

    # then
    assert "You are forgotten" in bo.last
    assert [each.symbols for each in await group.guessed()] == [NEAR, FAR]
    assert bo.id not in {each.player_id for each in await group.guessed()}
    await group.ada.says("/board")
    assert "560" in await group.board()
    assert "Bo" not in await group.board()
    assert set(await game.mentions(bo.id)) <= LEFT


async def test_a_game_alone_is_given_up_and_the_button_does_it(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.guesses(NEAR)
    await ada.says("/privacy forget")

    # when
    await ada.presses("Forget me")

    # then
    assert not game.games[0].open
    assert set(await game.mentions(ada.id)) <= LEFT


async def test_who_comes_back_begins_anew(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.guesses(ada.chat.secret)
    await ada.says("/privacy forget yes")

    # when
    await ada.says("/stats")
    stats = ada.last
    await ada.says("/new")
    await ada.guesses(NEAR)

    # then
    assert "haven't finished a game yet" in stats
    assert "560/600" in ada.last
