"""The puzzle of the day: one code for everybody, days by the local date of a message, streaks and what is shared."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from codemojex.game.keyboards import Level, Mode, keyboard

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
pytestmark = pytest.mark.game(at=NOON)


async def begins(game, name, **about):
    """Somebody begins the puzzle of the day."""
    seat = await game.person(name, **about)
    await seat.says("/daily")
    return seat


def missing(played) -> str:
    """A guess with the six symbols that are not in the secret."""
    return "".join(symbol for symbol in played.keyboard if symbol not in played.secret)


def misses(played, n: int) -> list[str]:
    """So many guesses with those symbols, each in another order."""
    return ["".join(six) for six in itertools.islice(itertools.permutations(missing(played)), n)]


async def test_everybody_has_the_same_secret_eight_guesses_and_pegs(game):
    # when
    ada, bo = await begins(game, "Ada"), await begins(game, "Bo")

    # then
    (played,) = game.games
    assert (played.kind, played.day) == ("daily", "2026-12-01")
    assert (played.level, played.mode) == (Level.NORMAL, Mode.PEGS)
    assert played.keyboard == "".join(keyboard(played.theme, Level.NORMAL).chars)
    assert played.closes_at is None
    await ada.guesses(played.secret[1] + played.secret[0] + played.secret[2:])
    assert "4 in place · 2 elsewhere" in ada.last
    await bo.guesses(*misses(played, 8))
    assert "That was your last guess" in bo.last
    assert len(await game.guesses_of(played)) == 9


async def test_a_crack_does_not_end_it_for_the_others(game):
    # given
    ada, bo = await begins(game, "Ada"), await begins(game, "Bo")
    secret = game.games[0].secret

    # when
    await ada.guesses(secret)
    still = game.games[0].open
    await bo.guesses(missing(game.games[0]), secret)

    # then
    assert still
    assert ada.saw("Cracked with one guess")
    assert bo.saw("Cracked in 2 guesses")
    assert game.games[0].open


async def test_nobody_is_told_the_secret_before_the_day_is_over(game):
    # given
    ada, bo = await begins(game, "Ada"), await begins(game, "Bo")
    played = game.games[0]

    # when
    await bo.guesses(*misses(played, 8))

    # then
    assert not bo.saw(played.secret)
    assert not bo.saw(played.nonce)
    assert not ada.saw(played.secret)


async def test_it_closes_ten_minutes_after_its_day_and_whoever_cracked_first_has_won(game):
    # given
    ada, bo, cy = [await begins(game, name) for name in ("Ada", "Bo", "Cy")]
    secret = game.games[0].secret
    await bo.guesses(secret)
    await ada.guesses(secret)
    await cy.guesses(missing(game.games[0]))

    # when
    await game.pass_time(hours=12, minutes=9)
    still = game.games[0].open
    await game.pass_time(minutes=2)

    # then
    assert still
    assert not game.games[0].open
    assert game.name_of(game.games[0].winner_id) == "Bo"
    assert all(seat.saw(f"The code: {secret}") for seat in (ada, bo, cy))


async def test_a_message_of_yesterday_counts_for_yesterday_while_it_may_be_on_its_way(game):
    # given
    ada = await begins(game, "Ada")
    played = game.games[0]
    await game.pass_time(hours=12, minutes=5)

    # when
    await ada.guesses(played.secret, at=NOON + timedelta(hours=11, minutes=59))

    # then
    assert [each.symbols for each in await game.guesses_of(played)] == [played.secret]
    assert ada.saw("Cracked with one guess")


async def test_after_that_it_is_told_that_the_day_is_over(game):
    # given
    ada = await begins(game, "Ada")
    played = game.games[0]
    await game.pass_time(hours=13)

    # when
    await ada.guesses(played.secret, at=NOON + timedelta(hours=11, minutes=59))

    # then
    assert "The puzzle of December 1 is over" in ada.last
    assert await game.guesses_of(played) == []


async def test_a_message_of_today_is_not_for_the_puzzle_of_yesterday(game):
    # given
    ada = await begins(game, "Ada")
    played = game.games[0]
    await game.pass_time(hours=12, minutes=1)

    # when
    await ada.guesses(played.secret)

    # then
    assert await game.guesses_of(played) == []
    assert "The puzzle of December 1 is over" in ada.last


async def test_who_was_through_with_it_is_not_told_the_next_day_that_it_is_over(game):
    # given
    ada = await begins(game, "Ada")
    await ada.guesses(game.games[0].secret)
    await game.pass_time(hours=12, minutes=1)

    # when
    await ada.guesses(game.games[0].secret)

    # then
    assert "No game is on" in ada.last


async def test_a_game_that_is_refused_leaves_guesses_with_the_puzzle(game):
    # given: a game of her own is on, and she is in the daily
    ada = await game.person("Ada")
    await ada.says("/new hard animals", "/daily")

    # when
    await ada.says("/new")
    refused = ada.last
    await ada.guesses(missing(game.games[1]))

    # then
    assert "A game is on already" in refused
    own, daily = game.games
    assert (len(await game.guesses_of(own)), len(await game.guesses_of(daily))) == (0, 1)


async def test_a_new_game_takes_the_guesses_and_says_so(game):
    # given
    ada = await begins(game, "Ada")

    # when
    await ada.says("/new")
    await ada.guesses(game.games[-1].secret)

    # then
    assert ada.saw("You left today's puzzle")
    assert ada.chat.winner == "Ada"


async def test_a_game_that_friends_begin_meanwhile_says_that_guesses_are_for_the_puzzle(game):
    # given: Bo, in a room with Ada, is in the daily
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/invite")
    code = ada.last.split("/join ")[1][:6]
    await bo.says(f"/join {code}", "/daily")

    # when
    await ada.says("/new")
    told = bo.saw("You are in today's puzzle")
    await bo.guesses(missing(game.games[0]))
    await bo.says("/leave")
    await bo.guesses(game.games[-1].secret)

    # then
    assert told
    assert not ada.saw("You are in today's puzzle")
    daily, room = game.games
    assert len(await game.guesses_of(daily)) == 1
    assert room.winner_id == bo.id


async def test_a_day_after_the_other_makes_a_streak_and_a_day_left_out_ends_it(game):
    # given
    ada = await game.person("Ada")
    days = []
    for _ in range(3):
        await ada.says("/daily")
        await ada.guesses(game.games[-1].secret)
        await ada.says("/share")
        days.append(ada.last)
        await game.pass_time(days=1)

    # when: a day passes without a guess
    await game.pass_time(days=1)
    await ada.says("/daily")
    await ada.guesses(game.games[-1].secret)
    await ada.says("/share")
    shared = ada.last
    await ada.says("/stats")

    # then
    assert [f"🔥 {n} day" in text for n, text in enumerate(days, 1)] == [True] * 3
    assert "🔥 1 day" in shared
    assert "3" in ada.last


async def test_a_day_with_all_guesses_used_is_finished_too(game):
    # given
    ada = await begins(game, "Ada")

    # when
    await ada.guesses(*misses(game.games[0], 8))
    await ada.says("/share")

    # then
    assert "✗" in ada.last
    assert "🔥 1 day" in ada.last


async def test_what_is_shared_has_no_symbol_of_the_keyboard_and_only_once_it_is_finished(game):
    # given
    ada = await begins(game, "Ada")
    played = game.games[0]

    # when
    await ada.guesses(played.secret[1] + played.secret[0] + played.secret[2:])
    await ada.says("/share")
    before = ada.last
    await ada.guesses(played.secret)
    await ada.says("/share")

    # then
    assert "Finish today's puzzle first" in before
    assert "December 1" in ada.last
    assert "2/8" in ada.last
    assert not set(ada.last) & set(played.keyboard)


async def test_in_a_group_there_is_a_link_and_the_link_begins_it(game):
    # given
    group = await game.group("Fruit", "Ada")

    # when
    await group.ada.says("/daily")
    await group.ada.alone.starts("daily")

    # then
    assert "?start=daily" in group.last
    assert game.games[0].kind == "daily"
    assert group.ada.alone.saw("The puzzle of December 1")


async def test_it_cannot_be_given_up(game):
    # given
    ada = await begins(game, "Ada")

    # when
    await ada.says("/giveup")

    # then
    assert game.games[0].open


async def test_who_has_finished_it_plays_on_alone(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.says("/daily")
    await ada.guesses(game.games[-1].secret)

    # when
    await ada.says("/daily")
    again = ada.last
    await ada.guesses(ada.chat.secret)

    # then
    assert "You've had today's puzzle" in again
    assert ada.chat.winner == "Ada"


@pytest.mark.parametrize(
    ("begins_at", "hours"),
    [
        pytest.param("2026-03-28T23:00+00:00", 23, id="clocks go forward"),
        pytest.param("2026-10-24T22:00+00:00", 25, id="clocks go back"),
    ],
)
@pytest.mark.game(daily_tz="Europe/Berlin", at=datetime(2026, 3, 1, tzinfo=UTC))
async def test_a_day_of_23_or_25_hours_is_a_day(game, begins_at, hours):
    # given
    midnight = datetime.fromisoformat(begins_at)
    await game.pass_time(seconds=(midnight - game.clock()).total_seconds() + 1)
    ada = await begins(game, "Ada")

    # when
    await game.pass_time(hours=hours, seconds=-60)
    await ada.says("/daily")
    still = len(game.games)
    await game.pass_time(seconds=120)
    await ada.says("/daily")

    # then
    assert still == 1
    first, second = [datetime.fromisoformat(played.day) for played in game.games]
    assert second - first == timedelta(days=1)
