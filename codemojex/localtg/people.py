"""Simulated people: what they do becomes updates, what the bot does reaches their inbox."""

from __future__ import annotations

import re
from datetime import datetime

from codemojex.localtg.channels import Channel
from codemojex.localtg.chats import Chat, Status
from codemojex.localtg.errors import CannotDo
from codemojex.localtg.groups import Room, Topic
from codemojex.localtg.members import change, member
from codemojex.localtg.model import EventKind, Message, Raw, User
from codemojex.localtg.reactions import is_allowed, reaction_change
from codemojex.localtg.threads import placed
from codemojex.localtg.window import Window
from codemojex.localtg.world import Callback, World
from codemojex.localtg.writing import author, forwarded, rewritten, thrown, written

_PAYLOAD = re.compile(r"[A-Za-z0-9_-]{0,64}")


class Person(Window):
    """Somebody with a Telegram account, who talks to the bot in private and in groups.

    As a window it shows the private chat, and the answers to the buttons this person pressed anywhere.
    """

    def __init__(self, world: World, user: User) -> None:
        super().__init__(world, user.id, user.first_name)
        self.user = user
        world.users[user.id] = user

    # -- what they do --------------------------------------------------------------------------

    async def send(
        self, text: str, *, reply_to: Message | int | None = None, at: datetime | None = None
    ) -> Message:
        """Write to the bot in private; as `say`."""
        return await self.say(None, text, reply_to=reply_to, at=at)

    async def say(
        self,
        where: Room | None,
        text: str,
        *,
        topic: Topic | None = None,
        reply_to: Message | int | None = None,
        send_as: Room | None = None,
        at: datetime | None = None,
    ) -> Message:
        """Write into a group, a channel (as its admin), or to the bot in private (None).

        A lone dice emoji becomes a dice without text, as clients make it.

        Args:
            text: 1 to 4,096 code points; trimmed as Telegram trims it.
            topic: of a forum; without one the message is in General, or in the topic of ``reply_to``.
            reply_to: a message of the same chat.
            send_as: the group itself (an anonymous admin) or one of their channels.
            at: the message's date; now when absent.

        Raises:
            CannotDo: no client would send this: empty, too long, to a blocked bot, by somebody who is not
                there or may not.
        """
        replied = None if reply_to is None else self._message(reply_to, where)
        return self._post(where, {**written(text), **self._placed(where, topic, replied)}, send_as, at)

    async def start(self, payload: str = "") -> Message:
        """Press Start, with a deep-link payload (up to 64 of ``A-Za-z0-9_-``)."""
        if not _PAYLOAD.fullmatch(payload):
            raise CannotDo("a deep link carries up to 64 of A-Z a-z 0-9 _ -")
        return await self.send(f"/start {payload}")

    async def dice(
        self,
        emoji: str = "🎲",
        value: int | None = None,
        at: datetime | None = None,
        *,
        where: Room | None = None,
    ) -> Message:
        """Send a lone dice emoji: it arrives as ``dice``, without text."""
        return self._post(where, thrown(emoji, value), None, at)

    async def forward(
        self, message: Message, where: Room | None = None, *, hidden: bool = False, topic: Topic | None = None
    ) -> Message:
        """Forward a message to a chat; ``hidden`` when its author hides their account in forwards."""
        content = {**forwarded(message, hidden=hidden), **self._placed(where, topic, None)}
        return self._post(where, content, None, None)

    async def edit(self, message: Message | int, text: str, *, where: Room | None = None) -> Message:
        """Change the text of an own earlier message; ``where`` it is, when only its number is given."""
        before, chat = self._message(message, where), self._chat_of(message, where)
        channel = chat.kind == "channel" and chat.members.get(self.id, Status.LEFT).admin
        if before.sender_id != self.id and not channel:
            raise CannotDo("only own messages can be edited")
        edited = self._world.keep(chat, rewritten(before, text, self._world.now()))
        return self._world.publish(chat, edited, self.id, edited=True)

    async def press(
        self,
        message: Message | int,
        button: str,
        *,
        where: Room | None = None,
        inaccessible: bool = False,
        expired: bool = False,
    ) -> str:
        """Press an inline button, found by its callback data or else its label.

        Args:
            message: the message as it was seen: a button that an edit took away since can still be
                pressed. A number finds it as it stands, in ``where`` or the private chat.
            inaccessible: the message is too old for the bot to see: no text, no keyboard, date 0.
            expired: the bot's answer will come too late.

        Returns:
            The id of the callback query.
        """
        chat = self._chat_of(message, where)
        seen = message if isinstance(message, Message) else self._message(message, where)
        data = seen.callback_data(button)
        if data is None:
            raise CannotDo(f"message {seen.message_id} has no button {button!r}")
        shown = self._message(message, where).raw
        if inaccessible:
            shown = {"chat": chat.raw, "message_id": seen.message_id, "date": 0}
        identity = str(self._world.counters.next("callback"))
        self._world.callbacks[identity] = Callback(chat.id, self.id, expired=expired)
        query = {
            "id": identity,
            "from": self.user.raw(),
            "message": shown,
            "chat_instance": str(-chat.id),
            "data": data,
        }
        self._world.update("callback_query", query)
        return identity

    async def react(self, message: Message | int, *emojis: str, where: Room | None = None) -> None:
        """React to a message with these emojis instead of those before; none takes them back."""
        unknown = [emoji for emoji in emojis if not is_allowed(emoji)]
        if unknown:
            raise CannotDo(f"{unknown[0]} is no reaction")
        chat, number = self._chat_of(message, where), self._message(message, where).message_id
        given = chat.reactions.setdefault(number, {})
        before, given[self.id] = given.get(self.id, []), list(emojis)
        self._world.tell(EventKind.REACTION, chat, chat.messages[number], " ".join(emojis), by=self.id)
        if chat.kind == "private" or chat.bot.admin:
            actor, at = self.user.raw(), self._world.now()
            changed = reaction_change(chat, number, actor, at, (before, list(emojis)))
            self._world.update("message_reaction", changed)

    async def delete(self, message: Message | int, *, where: Room | None = None) -> None:
        """Delete a message for everybody: an own one, any in private, any as an admin. No bot is told."""
        chat, found = self._chat_of(message, where), self._message(message, where)
        status = chat.members.get(self.id, Status.LEFT)
        if chat.kind != "private" and found.sender_id != self.id and not status.admin:
            raise CannotDo("only admins delete what others wrote")
        chat.messages.pop(found.message_id, None)
        self._world.tell(EventKind.DELETED, chat, found, by=self.id)

    async def block(self) -> None:
        """Block the bot: it hears of it, and every later send is refused with 403."""
        self._turn(Status.MEMBER, Status.KICKED)

    async def unblock(self) -> None:
        """Let the bot write again."""
        self._turn(Status.KICKED, Status.MEMBER)

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The bot's command menu as this person's client shows it: (name, description)."""
        for scope in ("all_private_chats", "default"):
            for language in (self.user.language_code or "", ""):
                found = self._world.commands.get((f'{{"type": "{scope}"}}', language))
                if found:
                    return [(each["command"], each["description"]) for each in found]
        return []

    # -- inside --------------------------------------------------------------------------------

    def _chat(self) -> Chat:
        return self._world.open_chat(self.user.private_chat())

    def _chat_of(self, message: Message | int, where: Room | None) -> Chat:
        if isinstance(message, Message) and message.chat_id in self._world.chats:
            chat = self._world.chats[message.chat_id]
        else:
            chat = self._chat() if where is None else where.chat
        return self._checked(chat)

    def _message(self, message: Message | int, where: Room | None) -> Message:
        number = message if isinstance(message, int) else message.message_id
        found = self._chat_of(message, where).messages.get(number)
        if found is None and isinstance(message, Message):
            return message
        if found is None:
            raise CannotDo(f"there is no message {number} in this chat")
        return found

    def _present(self, where: Room | None) -> Chat:
        return self._checked(self._chat() if where is None else where.chat)

    def _placed(self, where: Room | None, topic: Topic | None, replied: Message | None) -> Raw:
        chat = self._present(where)
        if topic is not None and topic.id not in chat.topics:
            raise CannotDo(f"the topic {topic.name} was deleted")
        found = placed(chat, None if topic is None else topic.id, replied)
        state = chat.topics.get(found.get("message_thread_id", 0))
        if state is not None and state.closed and not chat.members[self.id].admin:
            raise CannotDo("the topic is closed")
        return found

    def _checked(self, chat: Chat) -> Chat:
        if chat.kind != "private" and not chat.members.get(self.id, Status.LEFT).present:
            raise CannotDo(f"{self.name} is not in {chat.raw['title']}")
        return chat

    def _post(self, where: Room | None, content: Raw, send_as: Room | None, at: datetime | None) -> Message:
        chat = self._present(where)
        if chat.kind == "private" and not chat.bot.present:
            raise CannotDo("the bot is blocked; unblock it before writing")
        if chat.migrated_to is not None:
            raise CannotDo(f"{chat.raw['title']} became a supergroup; write there")
        sender, extra = author(chat, self.user, None if send_as is None else send_as.chat)
        moment = None if at is None else int(at.timestamp())
        message = self._world.post(chat, sender, {**extra, **content}, moment)
        self._world.publish(chat, message, self.id)
        if isinstance(where, Channel):
            where.forward(message, self.id)
        return message

    def _turn(self, before: Status, after: Status) -> None:
        chat, bot = self._chat(), self._world.bot_raw
        chat.bot = after
        old, new = member(chat, bot, before), member(chat, bot, after)
        self._world.update("my_chat_member", change(chat, self.user.raw(), self._world.now(), old, new))
