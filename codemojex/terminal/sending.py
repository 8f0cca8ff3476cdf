"""From a typed line to a message, as a Telegram client would send it."""

from __future__ import annotations

from collections.abc import Iterable

from codemojex.localtg import CannotDo, Person
from codemojex.terminal.letters import Letters

LONGEST = 4096
"""Code points Telegram takes in one message."""
EMPTY = "An empty line is not a message. Six emojis are a guess; /help says how."


def slip(line: str, letters: Letters, commands: Iterable[tuple[str, str]]) -> str | None:
    """What is wrong with a line that was likely meant as a guess and is none; such a line is not sent.

    The name of a command without its slash is for the bot, which knows what to say of it.
    """
    if line.strip().lower() in {name for name, _ in commands}:
        return None
    return letters.slip(line)


def prepare(line: str, letters: Letters) -> tuple[str, str | None]:
    """What to send for ``line``, and a note for the person when it was cut."""
    text = letters.translate(line.strip())
    if len(text) <= LONGEST:
        return text, None
    return text[:LONGEST], f"That line was cut to {LONGEST:,} characters, the most a message holds."


async def send(person: Person, text: str) -> str | None:
    """Send it; a note for the person when no client would."""
    if not text:
        return EMPTY
    try:
        await person.send(text)
    except CannotDo as wrong:
        return EMPTY if "empty message" in str(wrong) else f"That cannot be sent: {wrong}."
    return None
