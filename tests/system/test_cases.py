"""Updates that broke other people's bots, replayed through the intake: what is right stands in each file.

The files in `cases/` are raw updates as Telegram sends them, and what it answers.
"""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from telegram import Bot

from codemojex.bot.introduction import introduce
from codemojex.bot.poller import Poller
from codemojex.bot.source import UpdateSource
from codemojex.doctor import privacy_finding
from codemojex.game.keyboards import keyboard
from codemojex.game.parsing import parse_guess
from codemojex.game.refusals import TooLong
from codemojex.localtg import LocalTelegram
from codemojex.ops.readiness import of_updates
from codemojex.store import schema
from codemojex.texts import catalogs
from tests.bot.desk import ADA, BO, NEAR, SECRET, Desk
from tests.play.makers import rows
from tests.system.deployment import until
from tests.system.operator import operator

CASES = Path(__file__).with_name("cases")
FRUIT = -1_009_000_000_001
# The updates of the cases were sent then.
THEN = datetime.fromtimestamp(1_796_000_000, UTC)


def case(name: str) -> list[dict[str, Any]]:
    """The updates of one case."""
    return json.loads((CASES / f"{name}.json").read_text("utf-8"))["updates"]


@pytest.fixture
async def desk(store) -> Desk:
    """Ada's private chat with an open game."""
    made = Desk(store, now=THEN)
    await made.private(ADA, "/new")
    return made


@pytest.fixture
async def in_group(desk) -> Desk:
    """The group of the cases with an open game, too."""
    await desk.group(BO, "/new")
    return desk


@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "with a restart between"])
async def test_an_update_sent_twice_is_one_guess(desk, restarted):
    # given
    first, second = case("duplicate-update")
    await desk.take(first)

    # when
    if restarted:
        desk.restart()
    await desk.take(second)

    # then
    assert await desk.guesses() == [SECRET]
    assert len(desk.queued) == 1
    assert desk.intake.counts["duplicate"] == 1


async def test_an_update_twice_in_one_batch_is_one_guess(desk):
    # when
    await desk.take(*case("duplicate-update"))

    # then
    assert await desk.guesses() == [SECRET]
    assert len(desk.queued) == 1


async def test_a_message_under_a_second_update_id_is_one_guess(desk):
    # given
    first, second = case("duplicate-update")

    # when
    await desk.take(first, second | {"update_id": 900_002})

    # then
    assert await desk.guesses() == [SECRET]
    assert len(desk.queued) == 1


async def test_an_edited_message_is_no_guess_and_its_writer_is_told_so_once(desk):
    # given
    (edited,) = case("edited-guess")
    before = len(await desk.hears(ADA))

    # when: edited twice
    await desk.take(edited)
    await desk.take(edited | {"update_id": 900_081})

    # then
    assert await desk.guesses() == []
    [said] = (await desk.hears(ADA))[before:]
    assert "edited message" in said


async def test_variation_selectors_and_invisible_characters_change_no_guess(desk):
    # when
    await desk.take(*case("variation-selectors"))

    # then
    assert await desk.guesses() == [SECRET]


async def test_a_lone_dice_is_passed_over(desk):
    # given
    updates = case("lone-dice")
    before = await desk.hears(ADA)

    # when
    await desk.take(*updates)

    # then
    assert await desk.outcomes(updates) == ["ignored"]
    assert (await desk.guesses(), await desk.hears(ADA)) == ([], before)


async def test_an_unknown_kind_of_update_is_noted_and_holds_nobody_up(desk):
    # given
    updates = case("unknown-update")

    # when
    await desk.take(*updates, desk.message(ADA, SECRET))

    # then
    assert await desk.outcomes(updates) == ["unknown"]
    assert await desk.guesses() == [SECRET]


async def test_a_chain_of_joiners_is_refused_at_once_and_the_next_guess_is_taken(in_group):
    # given: the chain of the case at the length in which it was sent
    desk = in_group
    chain, guess = case("joiner-chain")
    chain["message"]["text"] = text = "\u200d".join("🍎" * 2_001)
    game = await desk.game(FRUIT)
    before = len(await desk.hears(FRUIT))

    # when
    with capture_logs() as logged:
        await desk.take(chain, guess)

    # then: it is no guess, and is neither worked through nor written down
    assert await desk.guesses() == [SECRET]
    assert [row.game_id for row in await rows(desk.store, schema.guesses)] == [game.id]
    assert await desk.outcomes([chain, guess]) == ["refused", "handled"]
    [said] = (await desk.hears(FRUIT))[before:]
    assert "too long" in said
    assert len(str(logged)) < 1_000

    # and: in less than ten milliseconds of this thread
    costs = []
    for _ in range(5):
        started = time.thread_time()
        with pytest.raises(TooLong) as refusal:
            parse_guess(text, keyboard())
        catalogs.of("en").refused(refusal.value)
        costs.append(time.thread_time() - started)
    assert min(costs) < 0.01


async def test_a_chain_of_joiners_that_just_fits_is_not_six_symbols(desk):
    # when
    await desk.private(ADA, "\u200d".join("🍎" * 128))

    # then
    assert await desk.guesses() == []
    assert "I count 1" in await desk.last(ADA)


async def test_a_double_tap_is_one_guess_and_both_taps_are_answered(in_group):
    # given: six symbols are chosen
    desk = in_group
    game = await desk.game(FRUIT)
    for key in range(6):
        await desk.tap(ADA, f"g:{game.id}:{key}:-", FRUIT)
    first, second = (_of_game(tap, game.id) for tap in case("double-tap"))

    # when: in one batch
    await desk.take(first, second)

    # then
    assert await desk.guesses() == [SECRET]
    assert len(desk.queued) == 1
    said = {answer.id: answer.text or "" for answer in desk.answers}
    assert "on its way" in said["7000000001"]
    assert "on its way" not in said["7000000002"]


async def test_a_double_tap_on_a_versioned_keyboard_is_one_guess(desk):
    # given: Ada's own buttons
    [game] = await desk.games()
    for key in range(6):
        await desk.tap(ADA, f"g:{game.id}:{key}:0")

    # when: the second tap carries the version of the first
    said = [await desk.tap(ADA, f"g:{game.id}:submit:0") for _ in range(2)]

    # then
    assert await desk.guesses() == [SECRET]
    assert "on its way" in said[0]
    assert "old" in said[1]


async def test_taps_on_a_game_that_never_was_are_answered_and_change_nothing(in_group):
    # when
    desk = in_group
    await desk.take(*case("double-tap"))

    # then
    assert {answer.id for answer in desk.answers} >= {"7000000001", "7000000002"}
    assert await desk.guesses() == []
    assert await rows(desk.store, schema.poison) == []


async def test_names_are_shown_as_they_are_whatever_stands_in_them(in_group):
    # given: Zoë has won a game
    desk = in_group
    (asked,) = case("html-names")
    zoe = asked["message"]["from"]
    await desk.take(_sent_by(desk, zoe, SECRET))
    await desk.score()

    # when
    await desk.take(asked)

    # then: on the board of the chat, escaped once
    written = json.loads((await desk.notices(FRUIT))[-1].data)["text"]
    assert "&lt;3&lt;/a&gt; &amp;&quot;Zoë" in written or '&lt;3&lt;/a&gt; &amp;"Zoë' in written
    assert "A &amp; B &lt;i&gt;" in written
    assert "<3</a> &\"Zoë'" in await desk.last(FRUIT)


async def test_senders_behind_a_chat_score_nothing_and_are_told_once(in_group):
    # given
    desk = in_group
    updates = case("placeholder-senders")
    anonymous, as_channel, forwarded, posted = updates
    before = len(await desk.hears(FRUIT))

    # when: twice, under other ids
    await desk.take(*updates)
    await desk.take(*(_again(update) for update in updates))

    # then: each of the two people behind them once; the linked channel and the channel post never
    said = (await desk.hears(FRUIT))[before:]
    assert ["anonymous" in each for each in said] == [True, True]
    assert await desk.guesses() == []
    assert await desk.outcomes([anonymous, as_channel]) == ["handled", "handled"]
    assert await desk.outcomes([forwarded, posted]) == ["ignored", "ignored"]
    assert {row.id for row in await rows(desk.store, schema.players)} == {ADA, BO}


async def test_an_anonymous_admin_uses_the_admin_commands_of_the_chat(in_group):
    # given: a game that others play
    desk = in_group
    await desk.group(BO, NEAR)
    anonymous = case("placeholder-senders")[0]

    # when
    await desk.take(_worded(anonymous, "/settings mode pegs", 1), _worded(anonymous, "/giveup", 2))

    # then
    assert (await rows(desk.store, schema.chats))[0].mode == "pegs"
    assert (await desk.game(FRUIT)).state == "closed"


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 0, 1), (1, 0, 1, 0)], ids=str)
async def test_a_group_that_becomes_a_supergroup_keeps_everything_in_any_order(store, order):
    # given: a group with settings, a game and a guess that waits to be told
    desk = Desk(store, now=THEN)
    old, new = -4_000_000_001, -1_009_000_000_002
    notices = case("supergroup-migration")
    await desk.take(desk.message(BO, "/new", old), desk.message(BO, NEAR, old))
    [game] = await desk.games()

    # when
    for turn, which in enumerate(order):
        await desk.take(_again(notices[which], 10 * turn))

    # then: the game goes on under the new id, where message ids begin anew
    await desk.take(_with_id(desk.message(ADA, SECRET, new), 2))
    await desk.take(_with_id(desk.message(ADA, NEAR, new), 3))
    assert await desk.guesses() == [NEAR, SECRET, NEAR]
    assert [row.id for row in await desk.games()] == [game.id]
    [room] = await rows(store, schema.rooms)
    assert room.chat_id == new
    assert {row.chat_id for row in await desk.notices()} == {new}
    assert await rows(store, schema.poison) == []


async def test_privacy_mode_is_told_at_the_start_by_doctor_and_in_the_greeting(desk):
    # given
    me = json.loads((CASES / "privacy-mode.json").read_text("utf-8"))["api_replies"][0]["result"]
    assert me["can_read_all_group_messages"] is False

    # when
    with capture_logs() as logged:
        await introduce(_Silent(desk.bot), polls=True)  # type: ignore[arg-type]
    await desk.take(desk.member(FRUIT, ADA, "left", "member"))
    finding = privacy_finding(me["can_read_all_group_messages"])

    # then
    assert any("privacy mode is on" in line["event"] and "/setprivacy" in line["event"] for line in logged)
    assert "/setprivacy" in finding.cure
    greeting = await desk.last(FRUIT)
    assert "privacy mode" in greeting
    assert "/guess" in greeting


async def test_with_privacy_mode_on_guess_and_replies_to_the_board_work(in_group):
    # given: what reaches the bot then
    desk = in_group
    board = {"message_id": 90, "date": 1, "chat": {"id": FRUIT, "type": "supergroup", "title": "Fruit"}}
    board["from"] = {"id": desk.bot.id, "is_bot": True, "first_name": "codemojex"}

    # when
    await desk.group(ADA, f"/guess {NEAR}")
    await desk.group(BO, SECRET, reply_to_message=board)

    # then
    assert await desk.guesses() == [NEAR, SECRET]


async def test_the_bot_that_lost_stands_by_says_so_once_and_takes_over(watched):
    # given: one that polls
    first = watched.start("bot")
    office = await operator(watched, first)
    await office.waits_for(200, "updates", "polling")
    await asyncio.sleep(10)  # then it is in office

    # when: another comes, and asks twice
    second = watched.start("bot")
    loser = await operator(watched, second)
    answer = await loser.waits_for(503, "updates", "standing by")
    await asyncio.sleep(22)

    # then: it stays so, for a reason that is told, and is talked about once
    assert (await loser.ready()).of("updates") == (False, "standing by")
    assert "another process polls with this token" in answer.reason("updates")
    assert (await office.ready()).status == 200
    assert second.said.count("standing by") == 1
    assert "standing by" not in first.said
    assert (await loser.figures())["codemojex_ready{updates}"] == 0

    # and when: the one in office leaves
    assert first.stop() == 0
    ada = await watched.person("Ada")
    await ada.send("/ping")

    # then
    await ada.hears("I'm here")
    await loser.waits_for(200, "updates", "polling")
    assert second.said.count("polling now") == 1
    assert (await loser.figures())["codemojex_ready{updates}"] == 1


async def test_what_telegram_tells_the_loser_is_understood(desk):
    # given
    [conflict] = json.loads((CASES / "two-pollers.json").read_text("utf-8"))["api_replies"]
    assert conflict["error_code"] == 409
    async with LocalTelegram() as telegram:
        telegram.fail_next("getUpdates", status=409, description=conflict["description"])
        source = UpdateSource(telegram.url, telegram.token)
        await source.open()
        poller = Poller(source, desk.intake)

        # when
        polling = asyncio.create_task(poller.run())
        await until(lambda: _is(poller.standby), "it stands by")
        state = of_updates(poller, time.monotonic())
        poller.stop()
        await polling
        await source.close()

    # then
    assert (state.ready, state.state) == (False, "standing by")
    assert "another process" in state.reason


async def _is(value: bool) -> bool:
    return value


class _Silent:
    """A bot that tells Telegram nothing."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot.bot

    async def delete_webhook(self, **_: Any) -> bool:
        return True

    async def set_my_commands(self, *_: Any, **__: Any) -> bool:
        return True


def _of_game(tap: dict[str, Any], game_id: int) -> dict[str, Any]:
    """A tap of the case, on the shared buttons of a game."""
    query = tap["callback_query"] | {"data": f"g:{game_id}:submit:-"}
    return tap | {"callback_query": query}


def _again(update: dict[str, Any], by: int = 1_000) -> dict[str, Any]:
    """The same once more, as something new."""
    kind = next(name for name in update if name != "update_id")
    moved = update[kind] | {"message_id": update[kind]["message_id"] + by}
    return {"update_id": update["update_id"] + by, kind: moved}


def _worded(update: dict[str, Any], text: str, by: int) -> dict[str, Any]:
    """A message of the case with other words."""
    again = _again(update, by)
    length = len(text.split()[0])
    again["message"] |= {"text": text, "entities": [{"type": "bot_command", "offset": 0, "length": length}]}
    return again


def _sent_by(desk: Desk, who: dict[str, Any], text: str) -> dict[str, Any]:
    update = desk.message(ADA, text, FRUIT)
    update["message"]["from"] = who
    return update


def _with_id(update: dict[str, Any], message_id: int) -> dict[str, Any]:
    update["message"]["message_id"] = message_id
    return update
