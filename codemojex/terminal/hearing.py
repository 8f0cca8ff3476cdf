"""What of the bot's doings is worth showing: a message as a whole, of an edit what it changed, and remarks on both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from codemojex.localtg import Event, EventKind, Message, Person
from codemojex.terminal.buttons import Buttons
from codemojex.terminal.keeping import keep
from codemojex.terminal.letters import Letters
from codemojex.texts.slots import NOTHING_CHOSEN

_LINK = re.compile(r"t\.me/\w+\?start=")


@dataclass(frozen=True, slots=True)
class Heard:
    """An event, and what to show of it.

    Attributes:
        lines: which lines of the message, from 0; None: all of them.
        buttons: rows of labels with their numbers.
        remarks: what the terminal itself says below it.
    """

    event: Event
    lines: frozenset[int] | None = None
    buttons: Sequence[Sequence[str]] = ()
    remarks: Sequence[str] = ()


class Hearing:
    """Follows a person's inbox.

    Args:
        downloads: the folder for files that the bot sends; None keeps none.
        talkative: say what links and buttons are good for; for people, not for pipes.
    """

    def __init__(
        self, person: Person, letters: Letters, downloads: Path | None = None, *, talkative: bool = True
    ) -> None:
        self.buttons = Buttons(letters)
        self._person = person
        self._letters = letters
        self._downloads = downloads
        self._talkative = talkative
        self._heard = 0
        self._shown: dict[int, Message] = {}
        self._link_told = False

    @property
    def up_to_date(self) -> bool:
        """Whether everything was heard."""
        return self._heard == len(self._person.inbox)

    def news(self) -> Iterator[Heard]:
        """What has happened since it was asked last; of several edits of one message the last."""
        events = self._person.inbox[self._heard :]
        self._heard += len(events)
        for event in _without_overtaken(events):
            heard = self._hear(event)
            self.buttons.note(event)
            if heard is not None:
                yield heard

    def _hear(self, event: Event) -> Heard | None:
        message = event.message
        if event.kind is EventKind.ANSWER:
            return Heard(event) if event.detail else None
        if message is None or event.kind not in (EventKind.MESSAGE, EventKind.EDITED):
            return None
        before, self._shown[message.message_id] = self._shown.get(message.message_id), message
        if event.kind is EventKind.MESSAGE or before is None:
            lines = self._worth(message)
            if lines is not None and not lines:
                return None
            return Heard(event, lines, self.buttons.rows(message), self._remarks(message))
        return self._changed(event, before, message)

    def _worth(self, message: Message) -> frozenset[int] | None:
        """Which lines tell something here; None: all. Six empty places are for those who tap: here one types."""
        lines = message.text.split("\n")
        if not self.buttons.composes(message) or not any(NOTHING_CHOSEN in line for line in lines):
            return None
        told = [at for at, line in enumerate(lines) if NOTHING_CHOSEN not in line]
        while told and not lines[told[-1]]:
            told.pop()
        return frozenset(told)

    def _changed(self, event: Event, before: Message, message: Message) -> Heard | None:
        composer = self.buttons.composes(before) or self.buttons.composes(message)
        if composer and self.buttons.pressed != message.message_id:
            return None  # it follows what was typed, and the prompt shows that already
        lines = changed(before.text, message.text)
        rows = self.buttons.rows(message)
        rows = rows if rows != self.buttons.rows(before) else []
        return Heard(event, lines, rows) if lines or rows else None

    def _remarks(self, message: Message) -> list[str]:
        words, said = self._letters.words(), []
        if "document" in message.raw and self._downloads is not None:
            try:
                file = self._person.document(message)
                said.append(words.saved(str(keep(self._downloads, file.name, file.content))))
            except OSError as error:
                said.append(words.unsaved(error.strerror or type(error).__name__))
        if self._talkative and self.buttons.labels(message):
            said.append(words.press())
        if self._talkative and not self._link_told and _LINK.search(message.text):
            self._link_told = True
            said.append(words.link())
        return said


def changed(before: str, after: str) -> frozenset[int]:
    """The numbers of the lines in ``after`` that were not there before, blank ones left out."""
    old, new = before.split("\n"), after.split("\n")
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    fresh = [at for tag, _, _, begin, end in steps if tag != "equal" for at in range(begin, end)]
    return frozenset(at for at in fresh if new[at].strip())


def _without_overtaken(events: Iterable[Event]) -> list[Event]:
    kept: list[Event] = []
    later: set[int | None] = set()
    for event in reversed(list(events)):
        if event.kind is EventKind.EDITED:
            if event.message_id in later:
                continue
            later.add(event.message_id)
        kept.append(event)
    return kept[::-1]
