"""The daily through the bot: begun by command or link, by the day of the message's own time."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest

import emq
from codemojex.play import settlement
from codemojex.play.days import day_before, day_end
from codemojex.store import schema
from tests.bot.desk import ADA, BO, FRUIT, NEAR, SECRET, T0, Desk
from tests.play.makers import rows


async def secret_of(desk) -> str:
    [game] = [game for game in await desk.games() if game.guess_limit == 8]
    return game.secret


def wrong(secret: str, n: int) -> str:
    """The nth of the orders of the secret's symbols, from 1; none of them is the secret."""
    return "".join(next(itertools.islice(itertools.permutations(secret), n, None)))


@pytest.mark.parametrize("words", ["/daily", "/start daily"])
async def test_guesses_go_to_the_puzzle_of_the_day_once_it_is_begun(desk, words):
    # given: a game of her own is on
    await desk.private(ADA, "/new", NEAR)

    # when
    await desk.private(ADA, words)
    await desk.private(ADA, wrong(await secret_of(desk), 1))

    # then
    own, daily = await desk.games()
    guesses = await rows(desk.store, schema.guesses)
    assert [guess.game_id for guess in guesses] == [own.id, daily.id]
    assert (daily.mode, daily.level) == ("pegs", "normal")


async def test_everybody_has_the_same_puzzle(desk):
    # when
    await desk.private(ADA, "/daily")
    await desk.private(BO, "/daily")

    # then
    assert len(await desk.games()) == 1


async def test_leave_goes_back_to_the_own_game(desk):
    # given
    await desk.private(ADA, "/new", "/daily", "/leave", NEAR)

    # then
    own, _ = await desk.games()
    assert [guess.game_id for guess in await rows(desk.store, schema.guesses)] == [own.id]


async def test_a_new_game_takes_the_guesses_even_while_the_daily_is_begun(desk):
    await desk.private(ADA, "/daily", "/new", NEAR)
    _, own = await desk.games()
    assert [guess.game_id for guess in await rows(desk.store, schema.guesses)] == [own.id]


async def test_after_the_last_guess_plain_guesses_are_for_the_own_game_again(desk):
    # given
    await desk.private(ADA, "/new", "/daily")
    secret = await secret_of(desk)

    # when: eight wrong ones and one more, in one batch
    await desk.private(ADA, *(wrong(secret, n) for n in range(1, 9)), SECRET)

    # then
    own, daily = await desk.games()
    guesses = await rows(desk.store, schema.guesses)
    assert [guess.game_id for guess in guesses] == [daily.id] * 8 + [own.id]


async def test_a_finished_day_is_shared_without_a_symbol_and_not_begun_again(desk):
    # given
    await desk.private(ADA, "/daily", "/share")
    early = await desk.last(ADA)
    secret = await secret_of(desk)
    await desk.private(ADA, wrong(secret, 1), secret)
    await desk.score()

    # when
    await desk.private(ADA, "/share", "/daily")

    # then
    shared, again = (await desk.hears(ADA))[-2:]
    assert "Finish today" in early
    assert "2/8" in shared
    assert not set(secret) & set(shared)
    assert "had today" in again
    assert (await rows(desk.store, schema.players))[0].streak == 1


async def test_the_day_is_that_of_the_message_however_late_it_arrives(desk):
    # given: five minutes to midnight; Ada has begun
    desk.now = T0.replace(hour=23, minute=55)
    await desk.private(ADA, "/daily")
    secret = await secret_of(desk)
    in_time, too_late = desk.message(ADA, wrong(secret, 1)), desk.message(ADA, wrong(secret, 2))

    # when: one arrives within the grace, one is of the next day
    desk.now += timedelta(minutes=10)
    too_late["message"]["date"] = int(desk.now.timestamp())
    await desk.take(in_time, too_late)

    # then: the late one is for a game of her own, and there is none
    assert len(await desk.guesses()) == 1
    assert await desk.outcomes([in_time, too_late]) == ["handled", "refused"]


async def test_yesterday_is_shared_until_today_is_finished(desk):
    # given
    await desk.private(ADA, "/daily")
    await desk.private(ADA, await secret_of(desk))
    await desk.score()

    # when
    desk.now += timedelta(days=1)
    await desk.private(ADA, "/share")
    yesterday = await desk.last(ADA)
    desk.now += timedelta(days=1)
    await desk.private(ADA, "/share")

    # then
    assert "November 29" in yesterday
    assert "Finish today" in await desk.last(ADA)


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)], ids=["23 hours", "25 hours"]
)
async def test_days_on_which_clocks_change_are_days(store, day, hours):
    # given: midnight in Berlin, as UTC
    begins = day_end(day_before(day), "Europe/Berlin")
    desk = Desk(store, now=begins, tz="Europe/Berlin")

    # when: at the first and the last moment of the day, and after it
    for seconds in (0, hours * 3_600 - 1, hours * 3_600):
        desk.now = begins + timedelta(seconds=seconds)
        await desk.private(ADA, "/daily")

    # then
    assert [room.day for room in await rows(store, schema.rooms) if room.kind == "daily"][:1] == [day]
    assert len(await desk.games()) == 2


async def test_the_daily_cannot_be_given_up(desk):
    await desk.private(ADA, "/daily", "/giveup")
    assert [game.state for game in await desk.games()] == ["open"]
    assert "by itself" in await desk.last(ADA)


async def test_a_group_is_told_where_the_daily_is_played(desk):
    await desk.group(ADA, "/daily")
    assert "https://t.me/codemojex_bot?start=daily" in await desk.last(FRUIT)
    assert await desk.games() == []


async def test_buttons_of_the_daily_make_guesses(desk):
    # given
    await desk.private(ADA, "/daily")
    [game] = await desk.games()

    # when
    for key in range(6):
        await desk.tap(ADA, f"g:{game.id}:{key}:0")
    said = await desk.tap(ADA, f"g:{game.id}:submit:0")

    # then
    assert "on its way" in said
    assert len(await desk.guesses()) == 1


async def test_a_finished_daily_is_verified_once_it_is_over(desk):
    # given
    await desk.private(ADA, "/daily")
    [game] = await desk.games()
    await desk.private(ADA, wrong(game.secret, 1))
    await desk.score()
    desk.now += timedelta(days=1)
    await desk.store.transact(lambda tx: settlement.settle(tx, game.id, desk.now, emq.mint))

    # when
    await desk.private(ADA, "/verify")

    # then
    assert game.commitment in await desk.last(ADA)
