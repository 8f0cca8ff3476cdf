"""People as they are: blocks and returns, strange names, large ids, groups that grow into supergroups."""

from __future__ import annotations

import pytest

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240


async def test_who_blocks_the_bot_is_left_alone_until_they_write_again(game):
    # given
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new 5")
    await bo.says("/new")
    await ada.blocks()

    # when: her clock runs out meanwhile
    await game.pass_time(minutes=6)
    await bo.guesses(NEAR)
    tried = [each for each in game.telegram.requests if each.chat_id == ada.id and each.status == 403]
    await ada.unblocks()
    await ada.says("/new")

    # then
    assert len(tried) <= 1
    assert "560/600" in bo.last
    assert ada.chat.played.open
    assert ada.saw("A new code is hidden")


async def test_a_block_in_the_middle_of_a_room_delays_nobody(game):
    # given
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/invite")
    await bo.starts(ada.last.partition("start=")[2].split()[0])
    await ada.says("/new")
    await bo.blocks()

    # when
    await ada.guesses(game.games[-1].secret)

    # then
    assert ada.saw("Cracked with your very first guess")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<b>Bo</b> & co", "<b>Bo</b> &"),
        ("\u202eoB", "oB"),
        ("\u200b\u2060", "Player"),
        ("\u3164", "Player"),
        ("B" * 64, "BBBBBBBBBB"),
        ("[link](tg://user?id=1)", "[link](tg://"),
        ("{name} $name %s", "{name} $na"),
        ("Zoë\u0301", "Zo"),
    ],
)
async def test_a_name_is_shown_literally(game, name, shown):
    # given
    group = await game.group("Fruit", "Ada", name)
    await group.ada.says("/new")

    # when
    await group[name].guesses(NEAR)
    await group[name].guesses(group.secret)

    # then: the board has room for its beginning
    for text in (await group.board(), group.last):
        assert shown in text.replace("\u2060", "")  # keeps clients from making links of it
        assert "\u202e" not in text


async def test_a_blank_name_is_told_apart_by_its_last_four_digits(game):
    # given
    group = await game.group("Fruit", "Ada", "\u200b")
    blank = group["\u200b"]
    await group.ada.says("/new")

    # when
    await blank.guesses(NEAR)

    # then
    assert f"Player {str(blank.id)[-4:]}" in await group.board()


async def test_ids_beyond_32_bits_go_all_the_way(game):
    # given
    large = 2**52 - 1
    ada = await game.person("Ada", id=large)

    # when
    await ada.says("/new")
    await ada.guesses(ada.chat.secret)

    # then
    assert ada.chat.played.winner_id == large
    assert ada.saw("Cracked with your very first guess")


@pytest.mark.parametrize("new_first", [False, True], ids=["old chat first", "new chat first"])
async def test_a_group_that_becomes_a_supergroup_keeps_its_game_and_its_settings(game, new_first):
    # given
    group = await game.group("Fruit", "Bo", admins=["Ada"])
    await group.ada.says("/settings mode pegs", "/new classic")
    await group.bo.guesses(FAR)

    # when
    became = await group.upgrades(new_first=new_first)
    await became.bo.guesses(NEAR)
    await game.pass_time(minutes=15)
    await became.ada.says("/top chat all")
    top = became.last
    await became.ada.says("/new")

    # then
    first, second = became.games
    assert [each.symbols for each in await game.guesses_of(first)] == [FAR, NEAR]
    assert second.mode == "pegs"
    assert "560" in top
    assert became.saw("560")


async def test_a_group_that_becomes_a_supergroup_is_not_greeted_again(game):
    # given
    group = await game.group("Fruit", "Bo", admins=["Ada"])
    await group.ada.says("/new")

    # when
    became = await group.upgrades()

    # then
    assert group.saw("Hello, everybody!")
    assert not became.saw("Hello, everybody!")


async def test_a_migration_that_is_learnt_of_while_sending_keeps_the_game_too(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new 5")
    await group.bo.guesses(FAR)

    # when: nobody tells the bot, and then its clock runs out
    became = await group.upgrades(told=False)
    await game.pass_time(minutes=6)

    # then
    assert "Time's up" in became.last
    assert became.games[-1].closed_reason == "clock"


async def test_somebody_who_joins_later_plays_along(game):
    # given
    group = await game.group("Fruit", "Ada")
    await group.ada.says("/new")

    # when
    cy = await group.joins("Cy")
    await cy.guesses(group.secret)

    # then
    assert group.winner == "Cy"


async def test_a_bot_thrown_out_leaves_the_game_and_comes_back_to_it(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new 30")

    # when
    group.group.remove_bot()
    await game.rest()
    await game.pass_time(minutes=5)
    group.group.add_bot()
    await game.rest()
    await group.bo.guesses(group.secret)

    # then
    assert group.winner == "Bo"
