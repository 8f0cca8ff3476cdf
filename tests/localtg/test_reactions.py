"""Reactions: one of a bot, of the emojis Telegram takes; those of people where a bot may see them."""

from __future__ import annotations

import json

import pytest
import telegram
from telegram.constants import ReactionEmoji
from telegram.error import BadRequest

from codemojex.localtg import CannotDo, EventKind, LocalTelegram, Person
from codemojex.localtg.reactions import ALLOWED, is_allowed
from tests.localtg.conftest import Call


def test_the_emojis_are_those_the_stock_client_lists() -> None:
    assert {emoji.value.replace("\ufe0f", "") for emoji in ReactionEmoji} == ALLOWED


@pytest.mark.parametrize("emoji", ["❤", "❤\ufe0f", "👍", "🤷\u200d♂\ufe0f"])
def test_a_variation_selector_makes_no_difference(emoji: str) -> None:
    assert is_allowed(emoji)


async def test_the_bot_reacts_changes_its_mind_and_takes_it_back(ada: Person, bot: telegram.Bot) -> None:
    # given
    said = await ada.send("🍎")

    # when / then
    for emoji in ("🔥", "🎉", None):
        assert await bot.set_message_reaction(ada.id, said.message_id, emoji)
        assert ada.reactions(said) == {bot.id: [emoji] if emoji else []}
    events = [event for event in ada.inbox if event.kind is EventKind.REACTION]
    assert [event.detail for event in events] == ["🔥", "🎉", ""]


@pytest.mark.parametrize(
    ("reaction", "why"),
    [
        ([{"type": "emoji", "emoji": "🍎"}], "REACTION_INVALID"),
        ([{"type": "emoji", "emoji": "🔥"}, {"type": "emoji", "emoji": "👍"}], "REACTIONS_TOO_MANY"),
        ([{"type": "paid"}], 'does not model reactions of type "paid"'),
        ([{"type": "other"}], "invalid reaction type"),
        (["🔥"], "can't parse reaction types"),
        ([{"type": "emoji", "emoji": "🔥", "big": 1}], 'knows no field "big"'),
    ],
)
async def test_a_bad_reaction_is_refused(ada: Person, call: Call, reaction: list[object], why: str) -> None:
    said = await ada.send("x")
    status, body = await call(
        "setMessageReaction", chat_id=ada.id, message_id=said.message_id, reaction=json.dumps(reaction)
    )
    assert status == 400
    assert why in body["description"]
    assert ada.reactions(said) == {}


async def test_only_a_message_that_exists_takes_a_reaction(ada: Person, bot: telegram.Bot) -> None:
    await ada.send("x")
    with pytest.raises(BadRequest, match="Message to react not found"):
        await bot.set_message_reaction(ada.id, 99, "🔥")


async def test_reactions_of_people_reach_a_bot_that_asks_and_may_see_them(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    await bot.get_updates(timeout=0, allowed_updates=["message_reaction"])
    fruit = tg.group("Fruit", [ada], known=True)
    board = await bot.send_message(fruit.id, "board")

    # when
    await ada.react(board.message_id, "👍", where=fruit)
    fruit.promote_bot()
    await ada.react(board.message_id, "🔥", where=fruit)

    # then
    (update,) = await bot.get_updates(timeout=0)
    assert update.message_reaction is not None
    old, new = update.message_reaction.old_reaction, update.message_reaction.new_reaction
    assert [getattr(each[0], "emoji", "") for each in (old, new)] == ["👍", "🔥"]
    with pytest.raises(CannotDo, match="🍎 is no reaction"):
        await ada.react(board.message_id, "🍎", where=fruit)
