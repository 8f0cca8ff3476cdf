"""Boards of many games: of a chat and of everybody, by day, week, month and for all time; and one's own numbers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240

# A Monday that is the last day of its month.
pytestmark = pytest.mark.game(at=datetime(2026, 11, 30, 12, tzinfo=UTC))


async def plays(game, group, *scores):
    """One game: Ada opens, everybody guesses once, the clock ends it."""
    await group.ada.says("/new")
    for seat, guess in scores:
        await seat.guesses(guess)
    await game.pass_time(minutes=15)


async def test_points_of_games_are_added_up_for_the_chat_and_for_everybody(game):
    # given
    fruit = await game.group("Fruit", "Bo", admins=["Ada"])
    other = await game.group("Other", "Bo", admins=["Ada"])
    await plays(game, fruit, (fruit.ada, NEAR), (fruit.bo, FAR))
    await plays(game, fruit, (fruit.ada, FAR), (fruit.bo, FAR))
    await plays(game, other, (other.bo, NEAR))

    # when
    await fruit.ada.says("/top chat all")
    here = fruit.last
    await fruit.ada.says("/top global all")

    # then
    assert here.index("Ada") < here.index("Bo")
    assert "800 points" in here
    assert "480 points" in here
    assert fruit.last.index("Bo") < fruit.last.index("Ada")
    assert "1040 points" in fruit.last.replace(",", "").replace("\u202f", "").replace("\xa0", "")


@pytest.mark.parametrize(
    ("days", "shown"),
    [
        (0, {"today": True, "week": True, "month": True, "all": True}),
        (1, {"today": False, "week": True, "month": False, "all": True}),
        (7, {"today": False, "week": False, "month": False, "all": True}),
    ],
)
async def test_each_period_has_a_board_of_its_own(game, days, shown):
    # given
    ada = await game.person("Ada")
    await ada.says("/new 15")
    await ada.guesses(NEAR)
    await game.pass_time(minutes=15)

    # when
    await game.pass_time(days=days)
    found = {}
    for period in shown:
        await ada.says(f"/top {period}")
        found[period] = "560" in ada.last

    # then
    assert found == shown


async def test_a_good_guess_and_giving_up_brings_no_points(game):
    # given
    ada = await game.person("Ada")
    group = await game.group("Fruit", "Bo", admins=["Ada"])

    # when: over and over, alone and as an admin of a group
    for seat in (ada, ada, group.ada):
        await seat.says("/new")
        await seat.guesses(NEAR)
        await seat.says("/giveup")
    await group.bo.says("/top global all")

    # then
    assert "Ada" not in group.last

    # when: the same guess in a game that goes its way
    await plays(game, group, (group.ada, NEAR))
    await group.bo.says("/top global all")

    # then
    assert "Ada" in group.last
    assert "560 points" in group.last


async def test_hints_are_taken_off_what_counts(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new 15")
    await ada.guesses(NEAR)

    # when
    await ada.says("/hint")
    await game.pass_time(minutes=15)
    await ada.says("/top all")

    # then
    assert "500 points" in ada.last


async def test_somebody_far_down_sees_their_own_place(game):
    # given
    group = await game.group("Fruit", *[f"Player{n}" for n in range(12)], admins=["Ada"])
    await plays(
        game, group, *((seat, NEAR) for name, seat in group.seats.items() if name != "Ada"), (group.ada, FAR)
    )

    # when
    await group.ada.says("/top")

    # then
    assert "Player0" in group.last
    assert "13" in group.last
    assert "240" in group.last


async def test_stats_count_games_wins_guesses_and_the_best(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.guesses(FAR, ada.chat.secret)
    await ada.says("/new")
    await ada.guesses(NEAR)
    await ada.says("/giveup")

    # when
    await ada.says("/stats")

    # then
    for words in ("2 games", "1 win", "3 guesses", "600"):
        assert words in ada.last
