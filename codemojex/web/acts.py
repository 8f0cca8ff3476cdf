"""What people do at the page. Each act is checked by the local Telegram as any client's would be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from codemojex.localtg import CannotDo, Group, Message, Person
from codemojex.localtg.model import Raw
from codemojex.web import showing
from codemojex.web.crowd import Crowd
from codemojex.web.feed import Feed

Text = Annotated[str, Field(max_length=10_000)]
Word = Annotated[str, Field(max_length=200)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NewPerson(_Asked):
    name: Word = ""
    language: Literal["en", "ru"] = "en"


class NewGroup(_Asked):
    title: Word
    owner: int
    members: list[int] = Field(max_length=200)


class Words(_Asked):
    person: int
    chat: int
    text: Text
    reply_to: int | None = None


class Link(_Asked):
    person: int
    payload: Word


class Press(_Asked):
    person: int
    chat: int
    message: int
    data: Word


class Reaction(_Asked):
    person: int
    chat: int
    message: int
    emojis: list[Word] = Field(max_length=3)


class Edit(_Asked):
    person: int
    chat: int
    message: int
    text: Text


class Removal(_Asked):
    person: int
    chat: int
    message: int


class Acts:
    """The acts by name; each takes the asked for values and gives what the page needs to go on."""

    def __init__(self, crowd: Crowd, feed: Feed) -> None:
        self._crowd, self._feed = crowd, feed
        self._telegram = crowd.telegram
        self.by_name: dict[str, tuple[type[_Asked], Callable[..., Awaitable[Raw]]]] = {
            "person": (NewPerson, self._person_comes),
            "group": (NewGroup, self._group_opens),
            "say": (Words, self._say),
            "start": (Link, self._start),
            "press": (Press, self._press),
            "react": (Reaction, self._react),
            "edit": (Edit, self._edit),
            "delete": (Removal, self._delete),
        }

    async def do(self, name: str, body: bytes) -> Raw:
        """Do it.

        Raises:
            KeyError: there is no such act.
            ValidationError: the body is not what it takes.
            CannotDo: no client would, or could; the text says why.
        """
        shape, act = self.by_name[name]
        return await act(shape.model_validate_json(body))

    # -- who and where ---------------------------------------------------------------------------

    async def _person_comes(self, asked: NewPerson) -> Raw:
        person = self._crowd.meet(asked.name, asked.language)
        self._feed.put("person", person=showing.person(person))
        self._feed.put("chat", chat=showing.private(self._telegram, person))
        self._crowd.join(person)
        return {"person": person.id}

    async def _group_opens(self, asked: NewGroup) -> Raw:
        members = [self._person(each) for each in dict.fromkeys(asked.members)]
        group = self._crowd.gather(asked.title, self._person(asked.owner), members)
        return {"chat": group.id}

    # -- in a chat -------------------------------------------------------------------------------

    async def _say(self, asked: Words) -> Raw:
        person, room = self._place(asked.person, asked.chat)
        said = await person.say(room, asked.text, reply_to=asked.reply_to)
        return {"message": said.message_id}

    async def _start(self, asked: Link) -> Raw:
        return {"message": (await self._person(asked.person).start(asked.payload)).message_id}

    async def _press(self, asked: Press) -> Raw:
        person, room = self._place(asked.person, asked.chat)
        seen = self._as_seen(room or person, asked.message, asked.data)
        press = await person.press(seen, asked.data, where=room)
        self._feed.pressed(press, person.id)
        return {"press": press}

    async def _react(self, asked: Reaction) -> Raw:
        person, room = self._place(asked.person, asked.chat)
        await person.react(asked.message, *asked.emojis, where=room)
        return {}

    async def _edit(self, asked: Edit) -> Raw:
        person, room = self._place(asked.person, asked.chat)
        await person.edit(asked.message, asked.text, where=room)
        return {}

    async def _delete(self, asked: Removal) -> Raw:
        person, room = self._place(asked.person, asked.chat)
        await person.delete(asked.message, where=room)
        return {}

    # -- inside ----------------------------------------------------------------------------------

    def _person(self, identity: int) -> Person:
        found = self._crowd.people.get(identity)
        if found is None:
            raise CannotDo("there is nobody with this id")
        return found

    def _place(self, person_id: int, chat_id: int) -> tuple[Person, Group | None]:
        """Somebody, and the group they are in; None is their private chat."""
        person = self._person(person_id)
        if chat_id == person.id:
            return person, None
        group = self._crowd.groups.get(chat_id)
        if group is None or not group.status(person).present:
            raise CannotDo(f"{person.name} is not in this chat")
        return person, group

    def _as_seen(self, window: Person | Group, number: int, data: str) -> Message | int:
        """The message as it stood when it had this button: an edit on its way may have taken it away."""
        states = reversed(window.history(number))
        return next((state for state in states if state.callback_data(data) == data), number)
