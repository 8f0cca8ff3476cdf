"""What the control API shows, as JSON."""

from __future__ import annotations

import base64

from codemojex.localtg.courier import Delivery
from codemojex.localtg.files import Upload
from codemojex.localtg.groups import Room
from codemojex.localtg.journal import Request
from codemojex.localtg.model import Event, Raw


def event(found: Event) -> Raw:
    return {
        "kind": found.kind.value,
        "at": found.at.timestamp(),
        "chat_id": found.chat_id,
        "text": found.text,
        "flag": found.flag,
        "by": found.by,
        "to": found.to,
        "message": None if found.message is None else found.message.raw,
    }


def request(found: Request) -> Raw:
    return {
        "method": found.method,
        "params": dict(found.params),
        "status": found.status,
        "reply": found.reply,
        "at": found.at.timestamp(),
        "fault": found.fault,
    }


def room(found: Room) -> Raw:
    chat = found.chat
    return {
        **chat.raw,
        "bot": chat.bot.value,
        "members": {str(user): status.value for user, status in chat.members.items()},
        "topics": sorted(chat.topics),
        "migrated_to": chat.migrated_to,
    }


def delivery(found: Delivery) -> Raw:
    return {
        "update_id": found.update_id,
        "status": found.status,
        "wrong": found.wrong,
        "at": found.at.timestamp(),
    }


def file(found: Upload) -> Raw:
    return {"name": found.name, "mime": found.mime, "base64": base64.b64encode(found.content).decode()}
