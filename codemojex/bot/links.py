"""Deep links: addresses that open the bot with a word for `/start`."""

from __future__ import annotations

import re

from telegram import Bot

DAILY = "daily"

_ROOM = "r_"
_CODE = re.compile(r"r_([A-Za-z0-9]{1,12})")


def daily_link(bot: Bot) -> str:
    """Opens the puzzle of the day."""
    return _link(bot, DAILY)


def room_link(bot: Bot, code: str) -> str:
    """Opens the bot and joins the room with ``code``."""
    return _link(bot, f"{_ROOM}{code}")


def code_in(payload: str) -> str | None:
    """The code of a room in what `/start` was given; None for anything else."""
    found = _CODE.fullmatch(payload)
    return None if found is None else found[1]


def _link(bot: Bot, payload: str) -> str:
    return f"https://t.me/{bot.username}?start={payload}"
