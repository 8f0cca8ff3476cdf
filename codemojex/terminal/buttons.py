"""Buttons under the bot's messages, by number: a number, or ``/press`` with it or with a label, presses one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codemojex.localtg import Event, EventKind, Message
from codemojex.terminal.letters import Letters

_PRESS = re.compile(r"/press(?:@\w+)?(?:\s+(\S.*?))?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*([1-9][0-9]?)\s*")


@dataclass(frozen=True, slots=True)
class Press:
    """A button of a message, as it was seen."""

    message: Message
    data: str
    label: str


class Buttons:
    """What can be pressed now.

    A keyboard of emojis to put a guess together with is not numbered: whoever types has the prompt for it. Its
    buttons can be pressed by their labels all the same.
    """

    def __init__(self, letters: Letters) -> None:
        self._letters = letters
        self._numbered: Message | None = None
        self._newest: Message | None = None
        self._last_said = 0
        self.pressed = 0
        """The number of the message that a button was pressed under last."""

    def note(self, event: Event) -> None:
        """Keep in mind what an event puts up or takes away."""
        message = event.message
        if message is None or event.kind not in (EventKind.MESSAGE, EventKind.EDITED, EventKind.DELETED):
            return
        gone = event.kind is EventKind.DELETED
        if event.kind is EventKind.MESSAGE:
            self._last_said = message.message_id
        self._newest = _now(self._newest, message, bool(_pressable(message)) and not gone)
        self._numbered = _now(self._numbered, message, bool(self.labels(message)) and not gone)

    def composes(self, message: Message) -> bool:
        """Whether its keyboard puts a guess together."""
        return any(self._letters.is_symbol(str(button["text"])) for row in message.keyboard for button in row)

    def rows(self, message: Message) -> list[list[str]]:
        """The labels with their numbers, as they are drawn; what only opens an address has none."""
        if self.composes(message):
            return []
        number, rows = 0, []
        for row in message.keyboard:
            said = []
            for button in row:
                if "callback_data" in button:
                    number += 1
                    said.append(f"[{number} {button['text']}]")
                else:
                    said.append(f"[{button['text']}] {button.get('url', '')}".rstrip())
            rows.append(said)
        return rows

    def labels(self, message: Message) -> list[str]:
        """The labels of the buttons that have a number, the first is number 1."""
        return [] if self.composes(message) else [label for label, _ in _pressable(message)]

    def read(self, line: str) -> Press | str | None:
        """What a typed line presses; a remark where there is no such button; None when it is no press at all.

        A number alone counts while its buttons are the last thing the bot said.
        """
        alone, asked = _NUMBER.fullmatch(line), _PRESS.fullmatch(line)
        numbered = self._numbered
        if alone is not None:
            if numbered is None or numbered.message_id != self._last_said:
                return None
            return self._find(alone[1])
        return None if asked is None else self._find(asked[1] or "")

    def _find(self, said: str) -> Press | str:
        numbered = self._numbered
        if numbered is not None:
            for number, (label, data) in enumerate(_pressable(numbered), 1):
                if said.casefold() in (str(number), label.casefold()):
                    return self._press(numbered, data, label)
        symbols = self._letters.symbols(said) or [said]
        for label, data in [] if self._newest is None else _pressable(self._newest):
            if self._newest is not None and label in (said, symbols[0]):
                return self._press(self._newest, data, label)
        labels = [] if numbered is None else self.labels(numbered)
        named = [f"{number} {label}" for number, label in enumerate(labels, 1)]
        return self._letters.words().no_button(said, named)

    def _press(self, message: Message, data: str, label: str) -> Press:
        self.pressed = message.message_id
        return Press(message, data, label)


def _pressable(message: Message) -> list[tuple[str, str]]:
    return [
        (str(button["text"]), str(button["callback_data"]))
        for row in message.keyboard
        for button in row
        if "callback_data" in button
    ]


def _now(before: Message | None, message: Message, has: bool) -> Message | None:
    """Which message counts after this one: a new one with buttons does, one that has lost them does not."""
    if has and (before is None or message.message_id >= before.message_id):
        return message
    return None if before is not None and before.message_id == message.message_id and not has else before
