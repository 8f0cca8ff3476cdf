"""Whatever costs something has a pace: a flood is told once, and nobody else notices it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.flows.test_links import friends

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FLOOD = "That's a lot at once"

# So slow that no flow outlasts it: what is left after the first few is refused.
pytestmark = pytest.mark.game(acts_per_second=0.01)


def told(seat) -> int:
    """How often the bot has said that these are too many."""
    return sum(FLOOD in text for text in seat.chat.texts)


@pytest.mark.parametrize(
    "text",
    [
        *("/new", "/board", "/top global all", "/stats", "/verify", "/settings", "/invite", "/pin 3 🍌"),
        *("/rules", "/help", "/privacy", "/leave", "/nonsense", "hello there"),
    ],
)
async def test_commands_and_chatter_are_slowed_down_and_told_once(game, text):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says(*[text] * 14)

    # then
    assert told(ada) == 1
    assert len(ada.chat.messages) <= 11


async def test_who_has_been_quiet_may_go_on(game):
    # given
    ada = await game.person("Ada")
    await ada.says(*["/ping"] * 14)

    # when
    await game.pass_time(minutes=2)
    await ada.says("/ping")

    # then
    assert FLOOD not in ada.last


@pytest.mark.game(acts_per_second=1)
async def test_what_waited_at_telegram_is_no_flood(game):
    # given
    ada = await game.person("Ada")
    then = game.clock() - timedelta(minutes=1)

    # when: a minute of commands arrives at once
    for n in range(20):
        await ada.says("/ping", at=then + timedelta(seconds=3 * n))

    # then
    assert told(ada) == 0
    assert len(ada.chat.messages) == 20


async def test_codes_of_rooms_cannot_be_tried_one_after_the_other(game):
    # given
    code = await friends(game)
    mallory = await game.person("Mallory")

    # when
    await mallory.says(*(f"/join ZZZZZ{letter}" for letter in "23456"))
    await mallory.starts("r_ZZZZZ7")
    await mallory.says(f"/join {code}")
    await mallory.starts(f"r_{code}")

    # then
    assert sum("no room" in text for text in mallory.chat.texts) == 5
    assert told(mallory) == 1
    assert not (await game.person("Ada")).saw("joined your room")

    # and when
    await game.pass_time(hours=6)
    await mallory.says(f"/join {code}")

    # then
    assert f"room {code}" in mallory.last


async def test_exports_have_a_pace_of_their_own(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says(*["/privacy export"] * 5)

    # then
    assert sum(message.raw.get("document") is not None for message in ada.chat.messages) == 3
    assert told(ada) == 1


@pytest.mark.parametrize("text", ["🍎🍎🍎", "/guess 🍎🍌", "🐶🐱🐭🐹🐰🦊"])
async def test_what_is_no_guess_is_explained_some_times_only(game, text):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says(*[text] * 14)

    # then
    assert told(ada) == 1
    assert len(ada.chat.messages) <= 12
    # and a guess has a pace of its own
    await ada.guesses(NEAR)
    assert "560/600" in "\n".join(ada.chat.texts)


async def test_taps_are_slowed_down_told_once_and_each_is_answered(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    card = ada.chat.messages[-1]

    # when
    toasts = [await ada.presses("🍎" if n % 2 else "⌫", on=card) for n in range(36)]

    # then
    assert sum(FLOOD in toast for toast in toasts) == 1
    assert all(toast == "" for toast in toasts[31:])
    assert sorted(game.answers()) == sorted(game.presses())


async def test_a_flood_delays_nobody_else(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.bo.says("/new")

    # when
    async with game.hurry():
        await group.ada.says(*["/board"] * 30, *["/top"] * 30)
        await group.bo.guesses(group.secret)

    # then
    assert group.winner == "Bo"
    assert sum(FLOOD in text for text in group.texts) == 1


async def test_people_who_write_as_their_group_do_not_share_a_pace_with_those_of_another(game):
    # given
    first = await game.group("Fruit", admins=["Ada"], supergroup=True)
    second = await game.group("Sport", admins=["Bo"], supergroup=True)
    await first.ada.says(*["/ping"] * 14, send_as=first.group)

    # when
    await second.bo.says("/ping", send_as=second.group)

    # then
    assert sum(FLOOD in text for text in first.texts) == 1
    assert second.texts
    assert FLOOD not in second.last


async def test_commands_for_another_bot_cost_nothing_here(game):
    # given
    group = await game.group("Fruit", "Ada")

    # when
    await group.ada.says(*["/play@other_bot"] * 14, *["what a day"] * 14)
    await group.ada.says("/ping")

    # then
    assert not any(FLOOD in text for text in group.texts)
