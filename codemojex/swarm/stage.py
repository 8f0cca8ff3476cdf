"""The local Telegram as players use it: one in this process, or one that runs already, through its control API."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

import aiohttp

from codemojex.localtg import EventKind, Group, LocalTelegram, Person
from codemojex.settings import BadSettings

_KEY = re.compile(r"g:(\d+):(\d+):")
_SEEN = (EventKind.MESSAGE, EventKind.EDITED)
_WAIT_S = 5.0

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Buttons:
    """A game's buttons, as a client shows them."""

    game_id: int
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of the bot, new or edited.

    Attributes:
        buttons: None where there are none.
    """

    chat_id: int
    text: str
    edited: bool
    buttons: Buttons | None


class Stage(Protocol):
    """Where players write, and hear the bot."""

    async def person(self, name: str) -> int:
        """Somebody new; their id."""

    async def group(self, title: str, owner: int, members: list[int]) -> int:
        """A group with the bot in it, which sees every message; its id."""

    async def say(self, person_id: int, chat_id: int, text: str) -> int:
        """A message to the bot in private (the chat has the person's id), or to a group; its number."""

    def hear(self) -> AsyncIterator[Heard]:
        """Everything the bot says from now on, anywhere."""


class OwnStage:
    """A local Telegram in this process."""

    def __init__(self, telegram: LocalTelegram) -> None:
        self._telegram = telegram
        self._people: dict[int, Person] = {}
        self._groups: dict[int, Group] = {}

    async def person(self, name: str) -> int:
        """As the protocol says."""
        made = self._telegram.person(name, language_code="en")
        self._people[made.id] = made
        return made.id

    async def group(self, title: str, owner: int, members: list[int]) -> int:
        """As the protocol says."""
        people = [self._people[id] for id in members]
        made = self._telegram.group(title, people, owner=self._people[owner], privacy=False, known=True)
        self._groups[made.id] = made
        return made.id

    async def say(self, person_id: int, chat_id: int, text: str) -> int:
        """As the protocol says."""
        where = None if chat_id == person_id else self._groups[chat_id]
        return (await self._people[person_id].say(where, text)).message_id

    async def hear(self) -> AsyncIterator[Heard]:
        """As the protocol says."""
        async for event in self._telegram.events():
            if event.by is None and event.kind in _SEEN and event.message is not None:
                yield heard(event.chat_id, event.message.raw, edited=event.kind is EventKind.EDITED)


class GivenStage:
    """A local Telegram of another process.

    Args:
        url: its address, without a path.
    """

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._root = f"{url.rstrip('/')}/control"
        self._session = session

    async def person(self, name: str) -> int:
        """As the protocol says."""
        return int((await self._ask("POST", "people", {"name": name, "language_code": "en"}))["id"])

    async def group(self, title: str, owner: int, members: list[int]) -> int:
        """As the protocol says."""
        body = {"title": title, "owner": owner, "members": members, "privacy": False, "known": True}
        return int((await self._ask("POST", "groups", body))["id"])

    async def say(self, person_id: int, chat_id: int, text: str) -> int:
        """As the protocol says."""
        body: Raw = {"text": text} if chat_id == person_id else {"text": text, "chat": chat_id}
        return int((await self._ask("POST", f"people/{person_id}/say", body))["message_id"])

    async def hear(self) -> AsyncIterator[Heard]:
        """As the protocol says."""
        since = int((await self._ask("GET", "events?since=-1"))["next"])
        while True:
            found = await self._ask("GET", f"events?since={since}&wait={_WAIT_S}")
            since = int(found["next"])
            for event in found["events"]:
                if event["by"] is None and event["kind"] in _SEEN and event["message"] is not None:
                    edited = event["kind"] == EventKind.EDITED
                    yield heard(event["chat_id"], event["message"], edited=edited)

    async def _ask(self, method: str, path: str, body: Raw | None = None) -> Any:
        try:
            async with self._session.request(method, f"{self._root}/{path}", json=body) as answer:
                found = await answer.json(content_type=None)
                if answer.status != 200:
                    raise BadSettings(f"the local Telegram refuses: {found.get('error', answer.status)}")
                return found
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise BadSettings(
                f"--telegram: no local Telegram answers at {self._root.removesuffix('/control')} "
                f"({type(error).__name__}). Start one: python -m codemojex.localtg --port 8081"
            ) from error


def heard(chat_id: int, message: Raw, *, edited: bool) -> Heard:
    """A message of the bot as a player reads it."""
    rows = (message.get("reply_markup") or {}).get("inline_keyboard", ())
    return Heard(chat_id, str(message.get("text", "")), edited, _buttons(rows))


def _buttons(rows: Any) -> Buttons | None:
    symbols, game_id = [], 0
    for row in rows:
        for button in row:
            found = _KEY.match(button.get("callback_data", ""))
            if found is not None:
                game_id = int(found[1])
                symbols.append(str(button["text"]))
    return Buttons(game_id, tuple(symbols)) if symbols else None
