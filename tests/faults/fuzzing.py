"""Updates nobody should send: known ones with something in them replaced, removed, doubled or made enormous."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from tests.bot.desk import Desk

Raw = dict[str, Any]

_BATCH = 50
_FIRST = 10_000_000
CASES = Path(__file__).parents[1] / "system" / "cases"

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    -(2**70),
    1.5,
    1e308,
    "",
    " ",
    "x" * 5_000,
    "\x00",
    "\ud800",
    "\u202e/new",
    "🍎" * 300,
    "/guess " + "\u200d" * 500,
    "/join %s%s%n",
    "/start r_'; DROP TABLE guesses; --",
    "g:1:submit:-",
    "g:99999999999999999999:0:0",
    [],
    [[]],
    {},
    {"id": {}},
    [{"type": "bot_command", "offset": -5, "length": 10**9}],
)
TEXTS = (
    "🍎🍌🍇🍓🍒🍍",
    "/new",
    "/new blind hard 15",
    "/guess 🍎🍌🍇🍓🍒🍍",
    "/join AAAAAA",
    "/leave",
    "/daily",
    "/top",
    "/settings language ru",
    "/privacy export",
    "/pin 3 🍌",
    "/hint",
    "/giveup",
    "/start daily",
    "hello",
)


def seeds() -> list[Raw]:
    """Every update of the cases that broke other people's bots, and some of every kind."""
    found = [
        raw for path in sorted(CASES.glob("*.json")) for raw in json.loads(path.read_text("utf-8"))["updates"]
    ]
    for text in TEXTS:
        for chat in (
            {"id": 5_000_000_101, "type": "private"},
            {"id": -1_009_000_000_001, "type": "supergroup"},
        ):
            message = {
                "message_id": 1,
                "date": 1_796_000_000,
                "chat": chat | {"title": "Fruit"},
                "text": text,
            }
            message["from"] = {
                "id": 5_000_000_101,
                "is_bot": False,
                "first_name": "Ada",
                "language_code": "en",
            }
            if text.startswith("/"):
                length = len(text.split()[0])
                message["entities"] = [{"type": "bot_command", "offset": 0, "length": length}]
            found.append({"update_id": 1, "message": message})
    query = {"id": "1", "chat_instance": "-1", "data": "g:1:0:0", "from": found[-1]["message"]["from"]}
    found.append({"update_id": 1, "callback_query": query | {"message": found[-1]["message"]}})
    return found


def mutated(dice: random.Random, known: list[Raw]) -> Raw:
    """One of the known updates with up to four changes, or nothing like an update at all."""
    if dice.random() < 0.03:
        return {
            "update_id": dice.choice(ODD),
            dice.choice(("message", "poll", "x" * 90, "")): dice.choice(ODD),
        }
    raw = copy.deepcopy(dice.choice(known))
    for _ in range(dice.choice((0, 1, 1, 2, 4))):
        places = list(_places(raw))
        holder, key = dice.choice(places)
        match dice.randrange(5):
            case 0 if key != "update_id":
                del holder[key]
            case 1:
                other = dice.choice(list(_places(dice.choice(known))))
                holder[key] = copy.deepcopy(other[0][other[1]])
            case 2 if isinstance(holder, dict):
                holder[dice.choice(("sender_chat", "message_thread_id", "text", "from", "chat"))] = holder[
                    key
                ]
            case _:
                holder[key] = copy.deepcopy(dice.choice(ODD))
    return raw


def numbered(raw: Raw, number: int, dice: random.Random) -> Raw:
    """With ids of its own, most of the time, so that it is not taken for a repeat."""
    if type(raw.get("update_id")) is int:
        raw["update_id"] = number
    message = raw.get("message")
    if isinstance(message, dict) and type(message.get("message_id")) is int and dice.random() < 0.95:
        message["message_id"] = number
    return raw


def _places(raw: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value inside, as its holder and key."""
    items = raw.items() if isinstance(raw, dict) else enumerate(raw)
    for key, value in list(items):
        yield raw, key
        if isinstance(value, dict | list):
            yield from _places(value)


async def pester(desk: Desk, neighbour: int, updates: int, dice: random.Random) -> list[Raw]:
    """Give the intake so many odd updates in batches, with a guess of a neighbour in each; those guesses."""
    known, number, guesses = seeds(), _FIRST, []
    while number < _FIRST + updates:
        batch = [numbered(mutated(dice, known), number + n, dice) for n in range(_BATCH)]
        number += _BATCH
        if len(guesses) % 10 == 9:
            batch.insert(0, desk.message(neighbour, "/new"))
        guesses.append(desk.message(neighbour, TEXTS[0]))
        batch.insert(dice.randrange(len(batch)), guesses[-1])
        with capture_logs():
            await desk.take(*batch)
    return guesses
