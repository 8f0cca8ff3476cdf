"""What a request is refused with, in Telegram's words."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"

WEBHOOK_SET = "Conflict: terminated by setWebhook request"
WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active;"
    " use deleteWebhook to delete the webhook first"
)


class Refusal(Exception):
    """A request is answered ``ok: false`` with this status, description and parameters."""

    def __init__(self, status: int, description: str, parameters: dict[str, Any] | None = None) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters


class CannotDo(ValueError):
    """A simulated person asked for something no Telegram client offers."""


def bad_request(what: str) -> Refusal:
    return Refusal(400, f"Bad Request: {what}")


def not_modelled(what: str) -> Refusal:
    """Telegram might accept this; the local one refuses rather than pretend."""
    return Refusal(400, f"Bad Request: the local Telegram does not model {what}")


def forbidden(what: str) -> Refusal:
    return Refusal(403, f"Forbidden: {what}")


def too_many(retry_after_s: int) -> Refusal:
    text = f"Too Many Requests: retry after {retry_after_s}"
    return Refusal(429, text, {"retry_after": retry_after_s})


def migrated(to_chat_id: int) -> Refusal:
    text = "Bad Request: group chat was upgraded to a supergroup chat"
    return Refusal(400, text, {"migrate_to_chat_id": to_chat_id})


_USUAL = {
    400: "Bad Request: chat not found",
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    404: "Not Found",
    409: CONFLICT,
}


def usual(status: int) -> str:
    """The description Telegram most often sends with ``status``."""
    return _USUAL.get(status) or HTTPStatus(status).phrase
