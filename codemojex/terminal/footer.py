"""The line under the prompt: the keyboard with its letters, and what the keys do."""

from __future__ import annotations

from prompt_toolkit.application.current import get_app
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from codemojex.terminal.letters import SYMBOLS, Letters

STYLE = Style.from_dict(
    {
        "prompt": "bold ansigreen",
        "hint": "ansibrightblack",
        "bottom-toolbar": "noreverse bg:ansidefault",
        "letter": "bold ansiyellow",
        "used": "ansibrightblack",
        "keys": "ansibrightblack",
        "leave": "bold ansiyellow",
        "slot": "ansibrightblack",
    }
)


def footer(letters: Letters, typed: str, leaving: bool) -> StyleAndTextTuples:
    """The keyboard, wrapped to the width of the terminal; symbols already typed are dimmed."""
    used = set(letters.symbols(typed) or ())
    columns = get_app().output.get_size().columns
    found: StyleAndTextTuples = []
    room = 0
    for letter, char, _ in letters.row():
        width = get_cwidth(letter) + get_cwidth(char) + 1
        if room < width:
            found.append(("", "\n " if found else " "))
            room = columns - 1
        room -= width
        found.append(("class:used", f"{letter}  ") if char in used else ("class:letter", letter))
        if char not in used:
            found.append(("", char))
        found.append(("", " "))
    words = letters.words()
    found.append(("class:leave", f"\n {words.leave()}") if leaving else ("class:keys", f"\n {words.keys()}"))
    return found


def preview(letters: Letters, typed: str) -> StyleAndTextTuples:
    """The guess so far as emojis, pins in their places, when what is typed reads as one."""
    found = letters.symbols(typed)
    if not found or len(found) > SYMBOLS + 1:
        return []
    pins, rest = letters.pins(), iter(found)
    if len(found) > pins.count(None):
        pins = []  # six are a whole guess
    places = [pin or next(rest, None) for pin in pins] or [*found, *[None] * (SYMBOLS - len(found))]
    shown: StyleAndTextTuples = [("", "  ")]
    for at, place in enumerate(places):
        gap = " " if at == 0 or places[at - 1] is None else ""
        shown.append(("class:slot", " ·") if place is None else ("", f"{gap}{place}"))
    return shown
