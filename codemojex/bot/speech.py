"""The language of each update: its chat's, looked up once for a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.bot.marks import RawUpdate, chat_of, is_id, kind_of, part
from codemojex.play import languages
from codemojex.texts import Texts, catalogs


@dataclass(frozen=True, slots=True)
class Speech:
    """Who is spoken to in which language.

    Attributes:
        chosen: chat id -> language, of chats that are known.
    """

    chosen: Mapping[int, str]

    @classmethod
    async def of(cls, tx: AsyncConnection, batch: Sequence[RawUpdate]) -> Speech:
        """What the database says about the chats of ``batch``."""
        ids = {id for raw in batch if is_id(id := chat_of(raw).get("id"))}
        return cls(await languages.known(tx, ids))

    def texts(self, raw: RawUpdate) -> Texts:
        """The sentences for the chat of an update; a person met for the first time is believed."""
        chat = chat_of(raw)
        id = chat.get("id")
        code = self.chosen.get(id) if is_id(id) else None
        if code is None and chat.get("type") == "private":
            told = part(part(raw, kind_of(raw)), "from").get("language_code")
            code = told if isinstance(told, str) else None
        return catalogs.of(code)
