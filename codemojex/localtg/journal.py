"""The request log: what a bot asked for and what it was told. It never holds the token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the Bot API."""

    method: str
    """As documented (``sendMessage``), or as asked when there is no such method."""
    params: Mapping[str, Any]
    """As they arrived, structures still as JSON text when they came in a form."""
    status: int
    """HTTP status; 0 when no answer was given."""
    reply: Mapping[str, Any] | None
    """The answer's body; of a lost answer, the one that would have been sent. None when nothing was done."""
    at: datetime
    fault: str | None = None

    @property
    def chat_id(self) -> int | None:
        value = self.params.get("chat_id")
        try:
            return None if value is None else int(value)
        except ValueError:
            return None

    def without(self, secret: str) -> Request:
        """The same request with every occurrence of ``secret`` replaced."""
        return replace(
            self,
            method=self.method.replace(secret, "<token>"),
            params=_without(secret, self.params),
            reply=_without(secret, self.reply),
        )


def _without(secret: str, value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(secret, "<token>")
    if isinstance(value, list):
        return [_without(secret, item) for item in value]
    if isinstance(value, dict):
        return {_without(secret, key): _without(secret, item) for key, item in value.items()}
    return value
