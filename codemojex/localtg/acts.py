"""What the control API lets people and groups do, by the last part of its path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from codemojex.localtg.errors import CannotDo
from codemojex.localtg.groups import Group, Room, Topic
from codemojex.localtg.model import Message, Raw
from codemojex.localtg.people import Person

if TYPE_CHECKING:
    from codemojex.localtg.telegram import LocalTelegram


@dataclass(frozen=True, slots=True)
class Asked:
    """The body of a control request, its ids resolved."""

    telegram: LocalTelegram
    body: Raw

    def person(self, name: str) -> Person | None:
        """The person whose id stands under ``name``; None when nothing does."""
        return self.telegram.people[self.body[name]] if self.body.get(name) is not None else None

    def room(self, name: str = "chat") -> Room | None:
        """The group or channel whose id stands under ``name``; None is the private chat."""
        return self.telegram.rooms[self.body[name]] if self.body.get(name) is not None else None

    def topic(self) -> Topic | None:
        room, number = self.room(), self.body.get("topic")
        if number is None:
            return None
        if not isinstance(room, Group):
            raise CannotDo("topics are in groups")
        return Topic(room, number, "")

    def moment(self) -> datetime | None:
        return datetime.fromtimestamp(self.body["at"], UTC) if "at" in self.body else None

    def message(self, holder: str = "chat") -> Message:
        """The message with the number under ``message_id``, of the chat with the id under ``holder``."""
        return self.telegram.world.chats[self.body[holder]].messages[self.body["message_id"]]


async def _say(person: Person, asked: Asked) -> Raw:
    body = asked.body
    said = await person.say(
        asked.room(),
        body["text"],
        topic=asked.topic(),
        reply_to=body.get("reply_to"),
        send_as=asked.room("send_as"),
        at=asked.moment(),
    )
    return said.raw


async def _start(person: Person, asked: Asked) -> Raw:
    return (await person.start(asked.body.get("payload", ""))).raw


async def _dice(person: Person, asked: Asked) -> Raw:
    emoji, value = asked.body.get("emoji", "🎲"), asked.body.get("value")
    return (await person.dice(emoji, value, where=asked.room())).raw


async def _edit(person: Person, asked: Asked) -> Raw:
    return (await person.edit(asked.body["message_id"], asked.body["text"], where=asked.room())).raw


async def _press(person: Person, asked: Asked) -> Raw:
    body = asked.body
    identity = await person.press(
        body["message_id"],
        body["button"],
        where=asked.room(),
        inaccessible=bool(body.get("inaccessible")),
        expired=bool(body.get("expired")),
    )
    return {"callback_query_id": identity}


async def _react(person: Person, asked: Asked) -> Raw:
    await person.react(asked.body["message_id"], *asked.body["emojis"], where=asked.room())
    return {"ok": True}


async def _delete(person: Person, asked: Asked) -> Raw:
    await person.delete(asked.body["message_id"], where=asked.room())
    return {"ok": True}


async def _forward(person: Person, asked: Asked) -> Raw:
    message, hidden = asked.message("from"), bool(asked.body.get("hidden"))
    return (await person.forward(message, asked.room(), hidden=hidden, topic=asked.topic())).raw


async def _block(person: Person, asked: Asked) -> Raw:
    await person.block()
    return {"ok": True}


async def _unblock(person: Person, asked: Asked) -> Raw:
    await person.unblock()
    return {"ok": True}


OF_PEOPLE: dict[str, Callable[[Person, Asked], Awaitable[Any]]] = {
    "send": _say,
    "say": _say,
    "start": _start,
    "dice": _dice,
    "edit": _edit,
    "press": _press,
    "react": _react,
    "delete": _delete,
    "forward": _forward,
    "block": _block,
    "unblock": _unblock,
}


def _topic(group: Group, asked: Asked) -> Raw:
    topic = group.topic(asked.body["name"], asked.person("by"))
    return {"id": topic.id, "name": topic.name}


def _moved(act: Callable[[Group, Person, Person | None], None]) -> Callable[[Group, Asked], Raw]:
    def move(group: Group, asked: Asked) -> Raw:
        act(group, asked.telegram.people[asked.body["person"]], asked.person("by"))
        return {"ok": True}

    return move


def _bot(act: Callable[[Group, Person | None], None]) -> Callable[[Group, Asked], Raw]:
    def turn(group: Group, asked: Asked) -> Raw:
        act(group, asked.person("by"))
        return {"ok": True}

    return turn


def _add_bot(group: Group, asked: Asked) -> Raw:
    group.add_bot(asked.person("by"), admin=bool(asked.body.get("admin")))
    return {"ok": True}


def _upgrade(group: Group, asked: Asked) -> Raw:
    return {"id": group.upgrade(asked.person("by"), new_first=bool(asked.body.get("new_first"))).id}


OF_GROUPS: dict[str, Callable[[Group, Asked], Raw]] = {
    "topics": _topic,
    "promote": _moved(Group.promote),
    "demote": _moved(Group.demote),
    "join": _moved(Group.join),
    "leave": _moved(Group.leave),
    "add_bot": _add_bot,
    "remove_bot": _bot(Group.remove_bot),
    "promote_bot": _bot(Group.promote_bot),
    "demote_bot": _bot(Group.demote_bot),
    "upgrade": _upgrade,
}
