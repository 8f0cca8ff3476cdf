"""Rooms joined by a code: one secret, everybody in their own chat, names and bests but never guesses."""

from __future__ import annotations

import re

import pytest

from tests.play.makers import WRONG

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240


async def friends(game, *names):
    """Ada's room, with everybody named in it; the code."""
    ada = await game.person("Ada")
    await ada.says("/invite")
    code = re.search(r"start=r_([2-9A-HJ-NP-Z]{6})", ada.last)[1]
    for name in names:
        await (await game.person(name)).starts(f"r_{code}")
    return code


async def test_friends_play_one_secret_in_their_own_chats(game):
    # given
    await friends(game, "Bo", "Cy")
    ada, bo, cy = [await game.person(name) for name in ("Ada", "Bo", "Cy")]

    # when
    await ada.says("/new")
    await bo.guesses(NEAR)
    await cy.guesses(game.games[-1].secret)

    # then
    assert game.games[-1].kind == "link"
    assert len(game.games) == 1
    assert game.name_of(game.games[-1].winner_id) == "Cy"
    assert all(seat.saw("A new code is hidden") for seat in (ada, bo, cy))
    assert ada.saw("Cy cracked the code")
    assert bo.saw("Cy cracked the code")
    assert cy.saw("Cracked with your very first guess")


async def test_members_see_names_and_bests_and_never_a_guess_of_another(game):
    # given
    await friends(game, "Bo")
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new")

    # when
    await bo.guesses(NEAR)
    await ada.guesses(FAR)
    await ada.says("/board")

    # then
    assert "Bo" in ada.last
    assert "560/600" in ada.last
    assert not ada.saw(NEAR)
    assert not bo.saw(FAR)


@pytest.mark.parametrize("written", ["/join {code}", "/join {lower}", "/start r_{code}"])
async def test_a_code_is_typed_or_followed(game, written):
    # given
    code = await friends(game)
    bo = await game.person("Bo")

    # when
    await bo.says(written.format(code=code, lower=code.lower()))

    # then
    assert f"room {code}" in bo.last
    assert (await game.person("Ada")).saw("Bo joined your room")


async def test_a_wrong_code_is_refused(game):
    # given
    bo = await game.person("Bo")

    # when
    await bo.says("/join")
    asked = bo.last
    await bo.says("/join ZZZZZZ")

    # then
    assert "Which room?" in asked
    assert "ZZZZZZ" in bo.last
    assert game.games == []


async def test_who_leaves_plays_alone_again(game):
    # given
    await friends(game, "Bo")
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new")

    # when
    await bo.says("/leave")
    left = bo.last
    await bo.says("/new animals")
    await bo.guesses(bo.chat.secret)

    # then
    assert "You left room" in left
    assert ada.saw("Bo left your room")
    assert bo.chat.winner == "Bo"
    assert [each.open for each in game.games if each.kind == "link"] == [True]


async def test_a_room_has_twelve_guesses_each_and_fifteen_minutes(game):
    # given
    await friends(game, "Bo")
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new")
    played = game.games[-1]

    # when
    await bo.guesses(*WRONG[:13])

    # then
    assert len(await game.guesses_of(played)) == 12
    assert "all 12 guesses" in bo.last
    assert (played.closes_at - played.opened_at).total_seconds() == 15 * 60


async def test_a_room_gives_up_by_majority_and_everybody_is_told(game):
    # given
    await friends(game, "Bo", "Cy")
    ada, bo, cy = [await game.person(name) for name in ("Ada", "Bo", "Cy")]
    await ada.says("/new")
    for seat in (ada, bo, cy):
        await seat.guesses(FAR)

    # when
    await ada.says("/giveup")
    still = game.games[-1].open
    await bo.says("/giveup")

    # then
    assert still
    assert game.games[-1].closed_reason == "gave_up"
    assert all(seat.saw("given up") and seat.saw(game.games[-1].secret) for seat in (ada, bo, cy))


@pytest.mark.parametrize(
    "payload",
    [
        "r_",
        "r_'--",
        "r_%00",
        "r_ABC/../..",
        "R_{code}",
        "r_{code}x",
        "daily2",
        "g:1:0:0",
        "s:mode:pegs",
        "A" * 64,
    ],
)
async def test_a_link_that_nobody_made_leads_nowhere(game, payload):
    # given
    code = await friends(game)
    mallory = await game.person("Mallory")

    # when
    await mallory.starts(payload.format(code=code))

    # then
    assert mallory.chat.texts
    assert not (await game.person("Ada")).saw("joined your room")
    assert game.games == []


async def test_who_has_left_a_room_plays_in_it_no_more(game):
    # given
    await friends(game, "Bo")
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new")
    played = game.games[-1]
    await bo.says("/leave")

    # when
    answers = [await bo.forges(f"g:{played.id}:{key}:0") for key in ("0", "submit", "clear")]

    # then
    assert all("not your game" in answer for answer in answers)
    assert await game.guesses_of(played) == []
