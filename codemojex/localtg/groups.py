"""Groups, supergroups and forums: who is in them, their topics, and the day one becomes another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from codemojex.localtg.chats import Chat, Status, TopicState
from codemojex.localtg.errors import CannotDo
from codemojex.localtg.members import ANONYMOUS, change, member
from codemojex.localtg.model import Message, Raw
from codemojex.localtg.window import Window
from codemojex.localtg.world import World

if TYPE_CHECKING:
    from codemojex.localtg.people import Person

_FIRST_SUPERGROUP = 1_002_000_000_000
_ICON_COLOUR = 7322096


class Room(Window):
    """A chat that several people share: a group or a channel."""

    def __init__(self, world: World, chat: Chat, owner: Person) -> None:
        world.chats[chat.id] = chat
        super().__init__(world, chat.id, str(chat.raw["title"]))
        if chat.kind != "group":
            world.counters.begin(chat.box)
        self.owner = owner
        chat.members[owner.id] = Status.CREATOR

    @property
    def chat(self) -> Chat:
        """The chat as the server keeps it."""
        return self._chat()

    @property
    def bot_status(self) -> Status:
        return self.chat.bot

    def status(self, person: Person) -> Status:
        """What a person is here."""
        return self.chat.members.get(person.id, Status.LEFT)

    def promote(self, person: Person, by: Person | None = None) -> None:
        """Make somebody an admin."""
        self._turn(person, Status.ADMINISTRATOR, by)

    def demote(self, person: Person, by: Person | None = None) -> None:
        """Make an admin an ordinary member again."""
        self._turn(person, Status.MEMBER, by)

    def promote_bot(self, by: Person | None = None) -> None:
        """Make the bot an admin: it sees every message from now on; a channel needs no more to have it."""
        if self.chat.kind != "channel" and not self.chat.bot.present:
            raise CannotDo(f"the bot is not in {self.name}: add_bot() first")
        self._turn_bot(Status.ADMINISTRATOR, by)

    def demote_bot(self, by: Person | None = None) -> None:
        """Make the bot an ordinary member again."""
        if not self.chat.bot.admin:
            raise CannotDo(f"the bot is no admin of {self.name}")
        self._turn_bot(Status.MEMBER, by)

    # -- inside --------------------------------------------------------------------------------

    def _turn(self, person: Person, status: Status, by: Person | None) -> None:
        chat, actor = self.chat, by or self.owner
        before = self.status(person)
        if before is Status.CREATOR:
            raise CannotDo(f"{person.name} owns {self.name}")
        if status.admin and not before.present:
            raise CannotDo(f"{person.name} is not in {self.name}")
        chat.members[person.id] = status
        if chat.bot.admin and before is not status:
            user = person.user.raw()
            old, new = (member(chat, user, each) for each in (before, status))
            self._world.update("chat_member", change(chat, actor.user.raw(), self._world.now(), old, new))

    def _turn_bot(self, status: Status, by: Person | None, shown: Status | None = None) -> None:
        chat, actor = self.chat, by or self.owner
        before, bot = chat.bot, self._world.bot_raw
        if status is before:
            raise CannotDo(f"the bot is {status} of {self.name} already")
        chat.bot = status
        if status.present:
            chat.known = True
        old, new = member(chat, bot, before), member(chat, bot, shown or status)
        self._world.update("my_chat_member", change(chat, actor.user.raw(), self._world.now(), old, new))

    def _service(self, content: Raw, by: Person) -> Message:
        message = self._world.post(self.chat, by.user.raw(), content)
        return self._world.publish(self.chat, message, by.id)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a forum; ``id`` is its ``message_thread_id``."""

    group: Group = field(repr=False)
    id: int
    name: str

    @property
    def messages(self) -> list[Message]:
        """What was said here, oldest first, without the message that opened it."""
        mine = [message for message in self.group.messages if message.thread_id == self.id]
        return [message for message in mine if message.message_id != self.id]

    async def wait_for(self, wanted: Callable[[Message], bool] | str, *, timeout_s: float = 30.0) -> Message:
        """As `Group.wait_for`, of the bot's messages in this topic."""
        test = wanted if callable(wanted) else lambda message: wanted in message.text
        return await self.group.wait_for(
            lambda message: message.thread_id == self.id and test(message), timeout_s=timeout_s
        )

    def close(self) -> None:
        """Let nobody write here but admins."""
        self.group.chat.topics[self.id].closed = True

    def reopen(self) -> None:
        self.group.chat.topics[self.id].closed = False

    def delete(self) -> None:
        """Remove the topic and everything in it; the bot is not told."""
        chat = self.group.chat
        for message in [*self.messages, chat.topics[self.id].opening]:
            chat.messages.pop(message.message_id, None)
        del chat.topics[self.id]


class Group(Room):
    """A group or supergroup, with topics if it is a forum."""

    successor: Group | None = None
    """The supergroup this group became."""

    @property
    def forum(self) -> bool:
        return bool(self.chat.raw.get("is_forum"))

    def topic(self, name: str, by: Person | None = None) -> Topic:
        """Open a topic; a message says so.

        Raises:
            CannotDo: this is no forum.
        """
        if not self.forum:
            raise CannotDo(f"{self.name} has no topics: make it with forum=True")
        chat, actor = self.chat, by or self.owner
        created: Raw = {"forum_topic_created": {"name": name, "icon_color": _ICON_COLOUR}}
        opening = self._world.post(chat, actor.user.raw(), created)
        opening.raw.update(message_thread_id=opening.message_id, is_topic_message=True)
        chat.topics[opening.message_id] = TopicState(opening)
        self._world.publish(chat, opening, actor.id)
        return Topic(self, opening.message_id, name)

    def join(self, person: Person, by: Person | None = None) -> None:
        """Somebody comes, by themselves or added by another."""
        if self.status(person).present:
            raise CannotDo(f"{person.name} is in {self.name} already")
        self._turn(person, Status.MEMBER, by or person)
        self._service({"new_chat_members": [person.user.raw()]}, by or person)

    def leave(self, person: Person, by: Person | None = None) -> None:
        """Somebody goes, by themselves or removed by another."""
        if not self.status(person).present:
            raise CannotDo(f"{person.name} is not in {self.name}")
        self._turn(person, Status.LEFT if by is None else Status.KICKED, by or person)
        self._service({"left_chat_member": person.user.raw()}, by or person)

    def settle(self, *, bot: bool, known: bool, sees_all: bool | None) -> None:
        """Put the bot into a group that was just made, or leave it out."""
        if bot and known:
            self.chat.bot, self.chat.known = Status.MEMBER, True
            self.chat.sees_all = not self._world.options.privacy
        elif bot:
            self.add_bot()
        if sees_all is not None:
            self.chat.sees_all = sees_all

    def add_bot(self, by: Person | None = None, *, admin: bool = False) -> None:
        """Bring the bot in; it hears of it, and a message says so."""
        if self.chat.bot.present and self.chat.known:
            raise CannotDo(f"the bot is in {self.name} already")
        actor = by or self.owner
        self.chat.sees_all = not self._world.options.privacy
        self._turn_bot(Status.ADMINISTRATOR if admin else Status.MEMBER, actor)
        self._service({"new_chat_members": [self._world.bot_raw]}, actor)

    def remove_bot(self, by: Person | None = None) -> None:
        """Throw the bot out; it hears of it, and every later send is refused with 403."""
        actor = by or self.owner
        self._service({"left_chat_member": self._world.bot_raw}, actor)
        # A small group only ever says "left"; the words of the refusal are the same all the same.
        shown = Status.LEFT if self.chat.kind == "group" else Status.KICKED
        self._turn_bot(Status.KICKED, actor, shown)

    def upgrade(self, by: Person | None = None, *, new_first: bool = False) -> Group:
        """Become a supergroup: a new chat with a new id, whose message ids start again at 1.

        The bot is told by two messages, one in each chat, and that it is in the new one; the old chat
        takes nothing any more.

        Args:
            new_first: the news of the new chat comes before that of the old one.

        Returns:
            The supergroup.

        Raises:
            CannotDo: it is a supergroup already.
        """
        if self.chat.kind != "group" or self.successor is not None:
            raise CannotDo(f"{self.name} is a supergroup already")
        old, actor = self.chat, by or self.owner
        identity = supergroup_id(self._world)
        new = Chat({"id": identity, "title": self.name, "type": "supergroup"}, bot=old.bot)
        new.members, new.sees_all, new.known = dict(old.members), old.sees_all, old.known
        self.successor = Group(self._world, new, self.owner)
        if new_first:
            self.successor._begin(old.id, actor)
        self._service({"migrate_to_chat_id": identity}, actor)
        old.migrated_to = identity
        if not new_first:
            self.successor._begin(old.id, actor)
        return self.successor

    def _begin(self, old_id: int, actor: Person) -> None:
        chat = self.chat
        status, chat.bot = chat.bot, Status.LEFT
        if status.present:
            self._turn_bot(status, actor)
        content: Raw = {"sender_chat": chat.raw, "migrate_from_chat_id": old_id}
        message = self._world.post(chat, ANONYMOUS, content)
        self._world.publish(chat, message, actor.id)


def supergroup_id(world: World) -> int:
    """An id no supergroup or channel had before."""
    return -(_FIRST_SUPERGROUP + world.counters.next("supergroup"))
