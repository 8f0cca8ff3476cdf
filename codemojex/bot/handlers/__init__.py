"""What each update does. A handler calls one use case; a refusal is raised and answered elsewhere."""

from __future__ import annotations

from codemojex.bot.handlers import (
    aids,
    asides,
    buttons,
    chats,
    days,
    endings,
    friends,
    games,
    greetings,
    guessing,
    preferences,
    privacy,
    records,
)
from codemojex.bot.handlers.places import Handler

__all__ = ["Handler", "handlers"]


def handlers() -> list[Handler]:
    """The handlers in the order they are asked; the first that takes an update is the only one."""
    return [
        *guessing.commands(),
        *games.handlers(),
        *endings.handlers(),
        *aids.handlers(),
        *friends.handlers(),
        *days.handlers(),
        *records.handlers(),
        *preferences.handlers(),
        *privacy.handlers(),
        *greetings.handlers(),
        *buttons.handlers(),
        *chats.handlers(),
        *asides.handlers(),
        *guessing.messages(),
    ]
