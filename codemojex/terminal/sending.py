"""From a typed line to a message, as a Telegram client would send it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from codemojex.localtg import CannotDo, Person
from codemojex.terminal.buttons import Buttons, Press
from codemojex.terminal.letters import Letters

LONGEST = 4096
"""Code points Telegram takes in one message."""

# As a client that opens a link to the bot; /join takes codes, and people give it the whole link.
_LINK = re.compile(r"(?:/join(?:@\w+)?\s+)?(?:https?://)?(?:t|telegram)\.me/\w+\?start=([A-Za-z0-9_-]{1,64})")


def slip(line: str, letters: Letters, commands: Iterable[tuple[str, str]]) -> str | None:
    """What is wrong with a line that was likely meant as a guess and is none; such a line is not sent.

    The name of a command without its slash is for the bot, which knows what to say of it.
    """
    if len(line) > LONGEST or line.strip().lower() in {name for name, _ in commands}:
        return None
    return letters.slip(line)


def prepare(line: str, letters: Letters) -> tuple[str, str | None]:
    """What to send for ``line``, and a note for the person when it was cut."""
    text = line.strip()
    if len(text) > LONGEST:
        return text[:LONGEST], letters.words().cut(LONGEST)
    link = _LINK.fullmatch(text)
    return (letters.translate(text) if link is None else f"/start {link[1]}"), None


async def send(person: Person, text: str, letters: Letters) -> str | None:
    """Send it; a note for the person when no client would."""
    words = letters.words()
    if not text:
        return words.empty()
    try:
        await person.send(text)
    except CannotDo as wrong:
        return words.empty() if "empty message" in str(wrong) else words.refused(str(wrong))
    return None


async def press(person: Person, buttons: Buttons, line: str) -> Press | str | None:
    """Press the button that ``line`` names; what was pressed, a note when there is none, None when it names none."""
    found = buttons.read(line)
    if isinstance(found, Press):
        await person.press(found.message, found.data)
    return found
