"""The composer's buttons: each tap is answered, a guess counts once, and nobody taps into somebody else's game."""

from __future__ import annotations

import pytest

from codemojex.play.guesses import Limits
from codemojex.play.keys import Action, Tap, tap_data
from codemojex.store import schema
from tests.bot.desk import ADA, BO, CY, FRUIT, NEAR, SECRET, Desk
from tests.play.makers import rows


async def chosen(desk, who, game_id, version="0", chat=None, keys=range(6)):
    """Tap these keys of the keyboard, one after the other; what the last tap was answered with."""
    said = ""
    for key in keys:
        said = await desk.tap(who, f"g:{game_id}:{key}:{version}", chat)
    return said


async def test_a_guess_is_put_together_and_sent_with_buttons(desk):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)

    # when
    said = [
        await chosen(desk, ADA, game.id, keys=(0, 1)),
        await desk.tap(ADA, f"g:{game.id}:del:0"),
        await desk.tap(ADA, f"g:{game.id}:clear:0"),
        await chosen(desk, ADA, game.id),
        await desk.tap(ADA, f"g:{game.id}:submit:0"),
    ]

    # then
    assert [each[:2] for each in said[:2]] == ["🍎🍌", "🍎⬜"]
    assert said[2].startswith("⬜")
    assert said[3] == SECRET
    assert "on its way" in said[4]
    assert await desk.guesses() == [SECRET]
    [guess] = await rows(desk.store, schema.guesses)
    assert guess.message_id < 0


async def test_the_card_is_refreshed_once_however_often_it_is_tapped(desk):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)

    # when
    await chosen(desk, ADA, game.id)

    # then: one notice waits, for the newest state
    assert await desk.hears(ADA) == ["[card]"]


async def test_the_next_guess_needs_the_buttons_of_the_next_version(desk):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)
    await chosen(desk, ADA, game.id)
    await desk.tap(ADA, f"g:{game.id}:submit:0")

    # when
    old = await desk.tap(ADA, f"g:{game.id}:3:0")
    new = await chosen(desk, ADA, game.id, "1", keys=(3,))

    # then
    assert "old" in old
    assert new[0] == "🍓"


async def test_everybody_in_a_group_has_a_draft_of_their_own(desk):
    # given
    await desk.group(ADA, "/new")
    game = await desk.game(FRUIT)

    # when
    await chosen(desk, ADA, game.id, "-", FRUIT)
    shown = await chosen(desk, BO, game.id, "-", FRUIT, (1, 0, 2, 3, 4, 5))
    await desk.tap(BO, f"g:{game.id}:submit:-", FRUIT)
    await desk.tap(ADA, f"g:{game.id}:submit:-", FRUIT)

    # then
    assert shown == NEAR
    assert await desk.guesses() == [NEAR, SECRET]


async def test_a_draft_that_is_not_full_is_refused_over_the_button(desk):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)
    await chosen(desk, ADA, game.id, keys=(0, 1))

    # when
    said = await desk.tap(ADA, f"g:{game.id}:submit:0")

    # then: a toast of plain text, no message
    assert "six emojis" in said
    assert "<" not in said
    assert await desk.hears(ADA) == ["[card]"]


@pytest.mark.parametrize(
    "data",
    ["", "x", "g:0:1:0", "g:99:1:0", "g:{game}:12:0", "g:{game}:99:-", "g:{game}:1:7", "g:9223372036854775808:1:0",
     "g:{game}:submit", "s:language:xx", "s:mode:blind:more", "p:yes", "\u202eg:{game}:1:0", "g:{game}:1:٠"],
)  # fmt: skip
async def test_whatever_a_button_sends_is_answered_and_changes_nothing(desk, data):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)

    # when
    await desk.tap(ADA, data.format(game=game.id))

    # then
    drafts = await rows(desk.store, schema.drafts)
    assert [draft.symbols for draft in drafts] in ([], [""])
    assert await desk.guesses() == []
    assert await rows(desk.store, schema.poison) == []


async def test_nobody_taps_into_the_game_of_somebody_else(desk):
    # given: Ada's game alone, and one in a room of Bo's
    await desk.private(ADA, "/new")
    alone = await desk.game(ADA)
    await desk.private(BO, "/invite", "/new")
    together = (await desk.games())[-1]

    # when
    said = [await desk.tap(CY, f"g:{game.id}:1:0") for game in (alone, together)]
    said += [await desk.tap(CY, f"g:{game.id}:1:-", FRUIT) for game in (alone, together)]

    # then
    assert ["not your game" in each for each in said] == [True] * 4
    assert await rows(desk.store, schema.drafts) == []


async def test_a_tap_on_a_message_too_old_to_be_seen_is_taken(desk):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)
    tap = desk.callback(ADA, f"g:{game.id}:1:0")
    tap["callback_query"]["message"] = {
        "message_id": 3,
        "date": 0,
        "chat": tap["callback_query"]["message"]["chat"],
    }

    # when
    await desk.take(tap)

    # then
    assert desk.answers[-1].text.startswith("🍌")


async def test_a_tap_without_any_message_is_answered(desk):
    # given
    tap = desk.callback(ADA, "g:1:1:0")
    del tap["callback_query"]["message"]

    # when
    await desk.take(tap)

    # then
    assert [answer.id for answer in desk.answers] == [tap["callback_query"]["id"]]


async def test_a_tap_delivered_twice_is_answered_twice_and_counts_once(desk):
    # given
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)
    await chosen(desk, ADA, game.id)
    tap = desk.callback(ADA, f"g:{game.id}:submit:0")

    # when
    await desk.take(tap)
    await desk.take(tap)

    # then
    assert len([answer for answer in desk.answers if answer.id == tap["callback_query"]["id"]]) == 2
    assert await desk.guesses() == [SECRET]


async def test_a_tap_that_is_set_aside_is_answered_all_the_same(desk):
    # given: an id that no database holds
    tap = desk.callback(ADA, "g:1:1:0")
    tap["callback_query"]["from"]["id"] = 2**70

    # when
    await desk.take(tap)

    # then
    assert await desk.outcomes([tap]) == ["poison"]
    assert [answer.id for answer in desk.answers] == [tap["callback_query"]["id"]]


async def test_taps_count_for_the_pace_of_a_player(store):
    # given: two at once, and no more
    desk = Desk(store, limits=Limits(per_second=1, burst=2))
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)

    # when
    said = []
    for version, keys in enumerate([(0, 1, 2, 3, 5, 4), (0, 1, 2, 4, 3, 5), range(6)]):
        await chosen(desk, ADA, game.id, version, keys=keys)
        said.append(await desk.tap(ADA, f"g:{game.id}:submit:{version}"))

    # then: the third is refused, and its draft is kept
    assert ["Easy" in each for each in said] == [False, False, True]
    drafts = await rows(store, schema.drafts)
    assert [(draft.version, draft.symbols) for draft in drafts] == [(2, SECRET)]


def test_the_longest_data_of_a_button_fits():
    assert len(tap_data(Tap(2**63 - 1, Action.SUBMIT, 10_000)).encode()) <= 64
