"""What the page keeps between two runs: who there is, and what was said; the game itself lives in the database."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import structlog

from codemojex.localtg import Event, Group, Message, Person
from codemojex.localtg.chats import Chat
from codemojex.localtg.model import Raw
from codemojex.web.crowd import Crowd
from codemojex.web.showing import SHOWN_MESSAGES

log = structlog.get_logger(__name__)
_SAVE_EVERY_S = 2.0


class Album:
    """A file with the people, groups and messages of a crowd.

    Args:
        path: None keeps nothing.
    """

    def __init__(self, crowd: Crowd, path: Path | None) -> None:
        self._crowd, self._path = crowd, path
        self._changed = False
        crowd.telegram.world.listen(None, self._hear)

    def restore(self) -> None:
        """Bring back what was kept; a file that cannot be read is left alone and nothing comes back."""
        if self._path is None or not self._path.exists():
            return
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            for raw in kept["people"]:
                self._person(raw)
            for raw in kept["groups"]:
                self._group(raw)
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("what was said before is not shown", file=str(self._path), error=type(error).__name__)

    def save(self) -> None:
        """Write what there is now; when that is not possible, the next time tries again."""
        if self._path is None:
            return
        people = [self._of_person(each) for each in self._crowd.people.values()]
        groups = [_of_group(each) for each in self._crowd.groups.values()]
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_text(json.dumps({"people": people, "groups": groups}, ensure_ascii=False), "utf-8")
            fresh.replace(self._path)
            self._changed = False
        except OSError as error:
            log.warning("what is said is not kept", file=str(self._path), error=error.strerror)

    async def keep(self) -> None:
        """Save soon after something happened, and once more when cancelled."""
        with contextlib.suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(_SAVE_EVERY_S)
                if self._changed:
                    self.save()
        self.save()

    # -- inside ----------------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        self._changed = True

    def _person(self, raw: Raw) -> None:
        known = bool(raw["chat"]["messages"])
        person = self._crowd.telegram.person(raw["name"], raw["id"], raw["language"], known=known)
        if known:
            self._fill(self._crowd.telegram.world.chats[person.id], raw["chat"])

    def _group(self, raw: Raw) -> None:
        people = self._crowd.people
        members = [people[each] for each in raw["members"]]
        telegram = self._crowd.telegram
        group = telegram.group(raw["title"], members, owner=people[raw["owner"]], known=True, id=raw["id"])
        self._fill(group.chat, raw["chat"])

    def _fill(self, chat: Chat, kept: Raw) -> None:
        """Put back what was said; what the bot of that run said is this bot's, which may go on editing it."""
        bot = self._crowd.telegram.world.bot
        for raw in kept["messages"]:
            chat.keep(Message(_said_by(bot.raw(), raw)), SHOWN_MESSAGES)
        for number, given in kept["reactions"].items():
            users = {int(user): emojis for user, emojis in given.items()}
            chat.reactions[int(number)] = {
                user if user in self._crowd.people else bot.id: emojis for user, emojis in users.items()
            }

    def _of_person(self, person: Person) -> Raw:
        chat = self._crowd.telegram.world.chats.get(person.id)
        return {
            "id": person.id,
            "name": person.name,
            "language": person.user.language_code,
            "chat": {"messages": [], "reactions": {}} if chat is None else _of_chat(chat),
        }


def _of_group(group: Group) -> Raw:
    members = [user for user, status in group.chat.members.items() if status.present]
    return {
        "id": group.id,
        "title": group.name,
        "owner": group.owner.id,
        "members": [user for user in members if user != group.owner.id],
        "chat": _of_chat(group.chat),
    }


def _of_chat(chat: Chat) -> Raw:
    newest = list(chat.messages.values())[-SHOWN_MESSAGES:]
    reactions = {each.message_id: chat.reactions.get(each.message_id) for each in newest}
    return {
        "messages": [each.raw for each in newest],
        "reactions": {number: given for number, given in reactions.items() if given},
    }


def _said_by(bot: Raw, kept: Any) -> Any:
    """The same with ``bot`` wherever a bot is named: a local Telegram has one, under another id in each run."""
    if isinstance(kept, dict):
        return bot if kept.get("is_bot") else {name: _said_by(bot, each) for name, each in kept.items()}
    return [_said_by(bot, each) for each in kept] if isinstance(kept, list) else kept
