"""Ids of people who asked to be forgotten: their guesses stay in games that others played, under such an id."""

from __future__ import annotations

import secrets

# Telegram's ids, of people and of chats, are not below this: they have 52 bits.
LOWEST_CHAT = -(1 << 53)
_MANY = 1 << 60


def pseudonym() -> int:
    """An id that tells nothing of whose it is, and that nobody has."""
    return LOWEST_CHAT - 1 - secrets.randbelow(_MANY)


def is_pseudonym(id: int) -> bool:
    """True of an id made here: neither a person nor a chat, and nothing can be sent to it."""
    return id < LOWEST_CHAT
