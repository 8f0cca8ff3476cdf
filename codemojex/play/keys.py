"""The composer's buttons: six symbols a row, then delete, clear and submit.

A button carries ``g:<game>:<key>:<version>``. What comes back from Telegram is whatever somebody sent: reading
it proves its form and nothing else; whether the game is open and theirs is for the use case to find out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from codemojex.game.keyboards import Keyboard

MOST_BYTES = 64  # Telegram's limit of callback data
_A_ROW = 6
_FORM = re.compile(r"g:([1-9]\d{0,18}):(\d{1,2}|del|clear|submit):(\d{1,9}|-)", re.ASCII)


class Action(StrEnum):
    """A button that is no symbol."""

    DELETE = "del"
    CLEAR = "clear"
    SUBMIT = "submit"


_FACES = {Action.DELETE: "⌫", Action.CLEAR: "🗑", Action.SUBMIT: "✅"}


@dataclass(frozen=True, slots=True)
class Tap:
    """What a button stands for.

    Attributes:
        key: the place of a symbol on the game's keyboard, from 0, or an action.
        version: of the draft it was made for; None on buttons that several people share.
    """

    game_id: int
    key: int | Action
    version: int | None


@dataclass(frozen=True, slots=True)
class CallbackAnswer:
    """What a tap is answered with.

    Attributes:
        id: Telegram's id of the tap.
        text: at most 200 characters of plain text, or None: nothing is to be said.
        alert: shown until it is put away, where a toast would be gone too soon.
    """

    id: str
    text: str | None = None
    alert: bool = False


def tap_data(tap: Tap) -> str:
    """The callback data of a button."""
    version = "-" if tap.version is None else tap.version
    data = f"g:{tap.game_id}:{tap.key}:{version}"
    if len(data.encode()) > MOST_BYTES:
        raise ValueError(f"callback data has at most {MOST_BYTES} bytes")
    return data


def read_tap(data: str | None) -> Tap | None:
    """The button behind callback data; None for anything that is none of ours."""
    found = _FORM.fullmatch(data or "")
    if found is None:
        return None
    game, key, version = found.groups()
    if int(game) >= 2**63:
        return None
    return Tap(
        int(game), int(key) if key.isdigit() else Action(key), None if version == "-" else int(version)
    )


def key_rows(game_id: int, keyboard: Keyboard, version: int | None) -> dict[str, Any]:
    """Telegram's ``reply_markup`` for a game: its symbols, then the actions.

    Args:
        version: of the one draft these buttons are for; None where everybody in a group has their own.
    """
    symbols = [
        _button(symbol.char, Tap(game_id, place, version)) for place, symbol in enumerate(keyboard.symbols)
    ]
    actions = [_button(face, Tap(game_id, action, version)) for action, face in _FACES.items()]
    return {"inline_keyboard": [*_rows(symbols), actions]}


def _button(face: str, tap: Tap) -> dict[str, str]:
    return {"text": face, "callback_data": tap_data(tap)}


def _rows(buttons: Sequence[dict[str, str]]) -> list[Sequence[dict[str, str]]]:
    return [buttons[start : start + _A_ROW] for start in range(0, len(buttons), _A_ROW)]
