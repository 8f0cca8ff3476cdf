"""What was said in every chat of a test, in order, as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass, field

from codemojex.localtg import Event, EventKind

_DID = {
    EventKind.MESSAGE: "",
    EventKind.EDITED: ", edited",
    EventKind.DELETED: ", deleted",
    EventKind.ANSWER: ", toast",
    EventKind.REACTION: ", reaction",
    EventKind.ACTION: ", action",
}
_INDENT = "\n" + " " * 6


@dataclass
class Transcript:
    """One line for each thing said or done; a message of several lines is indented."""

    lines: list[str] = field(default_factory=list)

    def did(self, chat: str, who: str, what: str) -> None:
        """A person did something that no event tells of."""
        self.lines.append(f"{chat} | {who} {what}")

    def heard(self, chat: str, who: str, event: Event) -> None:
        """Something happened in a chat."""
        number = "" if event.message_id is None else f" #{event.message_id}"
        text = (event.detail or event.text or _service(event)).replace("\n", _INDENT)
        self.lines.append(f"{chat} | {who}{_DID[event.kind]}{number}: {text}{_buttons(event)}")

    def __str__(self) -> str:
        return "\n".join(self.lines) or "(nothing was said)"


def _service(event: Event) -> str:
    """What Telegram itself tells: who came, who left."""
    raw = {} if event.message is None else event.message.raw
    came = ", ".join(each["first_name"] for each in raw.get("new_chat_members", ()))
    left = raw.get("left_chat_member")
    return f"({came} came)" if came else f"({left['first_name']} left)" if left else ""


def _buttons(event: Event) -> str:
    rows = [] if event.message is None else event.message.keyboard
    return "".join(_INDENT + " ".join(f"[{button['text']}]" for button in row) for row in rows)
