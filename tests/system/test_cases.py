"""Updates that broke other people's bots, replayed through the intake: what is right stands in each file.

The files in `cases/` are raw updates as Telegram sends them. Groups are not played in yet, so what comes from a
group must be harmless: dealt with once, nothing admitted, nobody disturbed.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from telegram import Bot, User

import emq
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.turn import Rules
from codemojex.play.guesses import Limits
from codemojex.store import schema
from codemojex.store.engine import Store
from codemojex.texts import Texts
from tests.play.makers import rows

CASES = Path(__file__).with_name("cases")
SIX = "🍎🍌🍇🍓🍒🍍"
ADA = 5_000_000_101
IN_GROUPS = ("double-tap", "html-names", "joiner-chain", "placeholder-senders", "supergroup-migration")


def case(name: str) -> list[dict[str, Any]]:
    """The updates of one case."""
    return json.loads((CASES / f"{name}.json").read_text("utf-8"))["updates"]


def written(text: str, update_id: int, message_id: int) -> dict[str, Any]:
    """An update with a private message of Ada's."""
    message: dict[str, Any] = {
        "message_id": message_id,
        "date": 1_796_000_000 + message_id,
        "chat": {"id": ADA, "type": "private", "first_name": "Ada"},
        "from": {"id": ADA, "is_bot": False, "first_name": "Ada"},
        "text": text,
    }
    if text.startswith("/"):
        message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
    return {"update_id": update_id, "message": message}


class Desk:
    """The intake on a database, and what it hands on after a commit."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.queued: list[tuple[str, bytes]] = []
        self.rereads = 0
        self.restart()

    def reread(self) -> None:
        self.rereads += 1

    def restart(self) -> None:
        """A new intake, which remembers nothing of the last one."""
        bot = Bot("7000000001:noTokenOfAnyBotInTheWorld0000000000")
        bot._bot_user = User(7_000_000_001, "codemojex", True, username="codemojex_bot")
        rules = Rules(Limits(), emq.mint, random.SystemRandom())
        after = AfterCommit(self.queued.extend, notices=lambda _: None, reread=self.reread)
        self.intake = Intake(self.store, bot, rules, Texts(), after)

    async def take(self, *updates: dict[str, Any]) -> None:
        await self.intake.take(updates)

    async def guesses(self) -> list[str]:
        return [row.symbols for row in await rows(self.store, schema.guesses)]

    async def answers(self) -> int:
        return len(await rows(self.store, schema.notices))

    async def outcomes(self, updates: Sequence[dict[str, Any]]) -> list[str]:
        """What the table `updates` says of these, in their order."""
        seen = {row.update_id: row.outcome for row in await rows(self.store, schema.updates)}
        return [seen.get(update["update_id"], "nothing") for update in updates]


@pytest.fixture
async def desk(store) -> Desk:
    """Ada's private chat with an open game."""
    made = Desk(store)
    await made.take(written("/new", 1, 1))
    return made


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
    assert await desk.guesses() == [SIX]
    assert len(desk.queued) == 1
    assert Counter(desk.intake.counts)["duplicate"] == 1


async def test_an_update_twice_in_one_batch_is_one_guess(desk):
    # when
    await desk.take(*case("duplicate-update"))

    # then
    assert await desk.guesses() == [SIX]
    assert len(desk.queued) == 1


async def test_a_message_under_a_second_update_id_is_one_guess(desk):
    # given
    first, second = case("duplicate-update")

    # when
    await desk.take(first, second | {"update_id": 900_002})

    # then
    assert await desk.guesses() == [SIX]
    assert len(desk.queued) == 1


async def test_an_edited_message_is_no_guess(desk):
    # given
    (edited,) = case("edited-guess")
    before = await desk.answers()

    # when
    await desk.take(edited)

    # then
    assert await desk.guesses() == []
    assert await desk.answers() <= before + 1  # at most one hint


async def test_variation_selectors_and_invisible_characters_change_no_guess(desk):
    # when
    await desk.take(*case("variation-selectors"))

    # then
    assert await desk.guesses() == [SIX]


async def test_a_lone_dice_is_passed_over(desk):
    # given
    updates = case("lone-dice")
    before = await desk.answers()

    # when
    await desk.take(*updates)

    # then
    assert await desk.outcomes(updates) == ["ignored"]
    assert (await desk.guesses(), await desk.answers()) == ([], before)


async def test_an_unknown_kind_of_update_is_noted_and_holds_nobody_up(desk):
    # given
    updates = case("unknown-update")

    # when
    await desk.take(*updates, written(SIX, 900_031, 31))

    # then
    assert await desk.outcomes(updates) == ["unknown"]
    assert await desk.guesses() == [SIX]


async def test_a_chain_of_joiners_costs_nothing(desk):
    # given: 2,000 joiners in Ada's own chat, and in a group
    in_group, _ = case("joiner-chain")
    chain = "\u200d".join("🍎" * 2_001)
    in_group["message"]["text"] = chain
    await desk.take(written("/help", 2, 2))  # statements are prepared

    # when
    began = time.perf_counter()
    await desk.take(written(chain, 3, 3), in_group)
    took_s = time.perf_counter() - began

    # then: refused long before its end, and what comes next is handled as usual
    assert took_s < 0.5
    assert await desk.guesses() == []
    await desk.take(written(SIX, 4, 4))
    assert await desk.guesses() == [SIX]


@pytest.mark.parametrize("name", IN_GROUPS)
async def test_what_comes_from_a_group_is_harmless(desk, name):
    # given
    updates = case(name)
    before = await desk.answers()

    # when: in one batch, and all of it again
    await desk.take(*updates, written(SIX, 950_000, 500))
    await desk.take(*updates)

    # then
    assert set(await desk.outcomes(updates)) <= {"ignored", "handled", "refused"}
    assert await rows(desk.store, schema.poison) == []
    assert await desk.guesses() == [SIX]  # Ada's own
    assert await desk.answers() <= before + len(updates)
