"""Rooms that friends join: one secret, each in their own chat."""

from __future__ import annotations

import pytest

from codemojex.store import schema
from tests.bot.desk import ADA, BO, CY, MISS, NEAR, SECRET
from tests.play.makers import rows


async def code_of(desk):
    [code] = {row.code for row in await rows(desk.store, schema.rooms) if row.kind == "link"}
    return code


@pytest.fixture
async def room(desk):
    """Ada's room, with Bo in it; its code."""
    await desk.private(ADA, "/invite")
    code = await code_of(desk)
    await desk.private(BO, f"/join {code.lower()}")
    return code


async def test_an_invitation_leads_there_by_code_and_by_link(desk):
    # when
    await desk.private(ADA, "/invite", "/invite")

    # then: the same room both times
    code = await code_of(desk)
    first, second = await desk.hears(ADA)
    assert first == second
    assert code in first
    assert f"https://t.me/codemojex_bot?start=r_{code}" in first


async def test_who_comes_by_the_link_is_in_and_the_others_hear_of_it(desk, room):
    # when
    await desk.private(CY, f"/start r_{room}")

    # then
    assert "Ada, Bo" in await desk.last(CY)
    assert "Cy joined" in await desk.last(ADA)
    assert "Cy joined" in await desk.last(BO)


async def test_joining_twice_changes_nothing_and_is_told_to_nobody(desk, room):
    # given
    before = await desk.hears(ADA)

    # when
    await desk.private(BO, f"/join {room}")

    # then
    assert await desk.hears(ADA) == before
    assert len(await rows(desk.store, schema.members)) == 2


@pytest.mark.parametrize("words", ["/join", "/join XXXXXX", "/start r_XXXXXX", "/join <b>"])
async def test_a_code_of_no_room_is_refused(desk, words):
    await desk.private(ADA, words)
    assert "room" in await desk.last(ADA)
    assert await rows(desk.store, schema.members) == []


async def test_a_game_is_dealt_to_everybody_in_the_room_and_all_play_it(desk, room):
    # when
    await desk.private(BO, "/new")
    await desk.private(ADA, NEAR)
    await desk.private(BO, MISS)

    # then
    assert [(await desk.hears(who))[-1] for who in (ADA, BO)] == ["[card]"] * 2
    assert await desk.guesses() == [NEAR, MISS]
    assert len(await desk.games()) == 1
    assert [row.chat_id for row in await rows(desk.store, schema.guesses)] == [ADA, BO]


async def test_the_board_names_the_others_and_their_bests_and_none_of_their_guesses(desk, room):
    # given
    await desk.private(BO, "/new")
    await desk.private(ADA, NEAR)
    await desk.score()

    # when
    await desk.private(BO, "/board")

    # then
    said = await desk.last(BO)
    assert "Ada · 560/600" in said
    assert NEAR not in said


async def test_who_comes_later_gets_the_game_that_is_on(desk, room):
    # when
    await desk.private(BO, "/new")
    await desk.private(CY, f"/join {room}")
    await desk.private(CY, SECRET)

    # then
    assert await desk.guesses() == [SECRET]


async def test_a_vote_is_told_to_everybody_in_the_room(desk, room):
    # given
    await desk.private(ADA, "/new", NEAR)
    await desk.private(BO, NEAR)

    # when
    await desk.private(BO, "/giveup")

    # then
    for who in (ADA, BO):
        assert "Bo wants to give up" in await desk.last(who)

    # and when
    await desk.private(ADA, "/giveup")

    # then
    assert [game.state for game in await desk.games()] == ["closed"]


async def test_an_admin_of_some_group_does_not_decide_in_a_room_of_friends(desk, room):
    # given
    desk.admins[ADA] = [ADA]
    await desk.private(ADA, "/new", NEAR)
    await desk.private(BO, NEAR)

    # when
    await desk.private(ADA, "/giveup")

    # then
    assert [game.state for game in await desk.games()] == ["open"]


async def test_who_leaves_plays_alone_again_and_the_others_hear_of_it(desk, room):
    # given
    await desk.private(ADA, "/new")

    # when
    await desk.private(BO, "/leave", "/new", SECRET, "/leave")

    # then
    assert "Bo left" in await desk.last(ADA)
    assert "in no room" in await desk.last(BO)
    assert (await desk.game(BO)).room_id == (await desk.games())[1].room_id
    assert await desk.guesses() == [SECRET]


async def test_who_joins_another_room_has_left_the_first(desk, room):
    # given
    await desk.private(CY, "/invite")
    [other] = {row.code for row in await rows(desk.store, schema.rooms) if row.code not in (None, room)}

    # when
    await desk.private(BO, f"/join {other}")

    # then
    assert "Bo left" in await desk.last(ADA)
    assert "Bo joined" in await desk.last(CY)
