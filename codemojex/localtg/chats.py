"""A chat as the server keeps it: who is there, what the bot may do, every message and its history."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from codemojex.localtg.errors import bad_request, forbidden, migrated
from codemojex.localtg.model import Message, Raw

_MOST_STATES = 1_000


class Status(StrEnum):
    """What somebody is in a chat, in the Bot API's words."""

    CREATOR = "creator"
    ADMINISTRATOR = "administrator"
    MEMBER = "member"
    LEFT = "left"
    KICKED = "kicked"

    @property
    def present(self) -> bool:
        return self not in (Status.LEFT, Status.KICKED)

    @property
    def admin(self) -> bool:
        return self in (Status.CREATOR, Status.ADMINISTRATOR)


@dataclass(slots=True)
class TopicState:
    """A forum topic; its id is that of the message that opened it."""

    opening: Message
    closed: bool = False


@dataclass(slots=True)
class Chat:
    """A chat the bot knows; a private one begins with the person's first message."""

    raw: Raw
    messages: dict[int, Message] = field(default_factory=dict)
    """As they stand, by id, oldest first."""
    versions: dict[int, list[Message]] = field(default_factory=dict)
    """The states of each message, the first one first; kept for deleted messages too."""
    members: dict[int, Status] = field(default_factory=dict)
    """Every person who is or was there, by user id."""
    bot: Status = Status.MEMBER
    known: bool = True
    """False as long as the bot has never been there."""
    sees_all: bool = False
    """True when privacy mode was off as the bot came."""
    topics: dict[int, TopicState] = field(default_factory=dict)
    reactions: dict[int, dict[int, list[str]]] = field(default_factory=dict)
    """Message id -> user id -> emojis."""
    migrated_to: int | None = None
    linked: int | None = None
    """Of a channel: its discussion group; of a group: the channel it belongs to."""

    @property
    def id(self) -> int:
        return int(self.raw["id"])

    @property
    def kind(self) -> str:
        """``private``, ``group``, ``supergroup`` or ``channel``."""
        return str(self.raw["type"])

    @property
    def box(self) -> str:
        """Whose message counter it draws from: supergroups and channels have their own."""
        return f"message:{self.id}" if self.kind in ("supergroup", "channel") else "message"

    def keep(self, message: Message, most: int) -> None:
        """Hold a new message or a new state of one; beyond ``most`` messages the oldest is forgotten."""
        self.messages[message.message_id] = message
        states = self.versions.setdefault(message.message_id, [])
        states.append(message)
        if len(states) > _MOST_STATES:
            del states[1]
        if len(self.versions) > most:
            oldest = next(iter(self.versions))
            del self.versions[oldest]
            self.messages.pop(oldest, None)
            self.reactions.pop(oldest, None)

    def check_reachable(self) -> None:
        """Let the bot in, or say why not.

        Raises:
            Refusal: 400 with ``migrate_to_chat_id`` for a group that was upgraded, 403 for a chat that
                blocked the bot or does not have it as a member.
        """
        if self.migrated_to is not None:
            raise migrated(self.migrated_to)
        if self.bot.present:
            return
        if self.kind == "private":
            raise forbidden("bot was blocked by the user")
        if self.bot is Status.KICKED:
            raise forbidden(f"bot was kicked from the {self.kind} chat")
        raise forbidden(f"bot is not a member of the {self.kind} chat")

    def check_writable(self) -> None:
        """As `check_reachable`; in a channel only admins write."""
        self.check_reachable()
        if self.kind == "channel" and not self.bot.admin:
            raise bad_request("need administrator rights in the channel chat")
