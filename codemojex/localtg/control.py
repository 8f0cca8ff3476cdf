"""The control API: people, faults and the log over HTTP, for tests in other processes.

JSON in, JSON out, under ``/control/``; loopback only, so it asks for no password.

    POST   /control/people                 {"name", "id"?, "language_code"?, "username"?, "known"?}
    GET    /control/people
    POST   /control/people/<id>/send       {"text", "reply_to"?, "at"?}     at: unix seconds
    POST   /control/people/<id>/start      {"payload"?}
    POST   /control/people/<id>/dice       {"emoji"?, "value"?}
    POST   /control/people/<id>/edit       {"message_id", "text"}
    POST   /control/people/<id>/press      {"message_id", "button", "inaccessible"?, "expired"?}
    POST   /control/people/<id>/block      {}
    POST   /control/people/<id>/unblock    {}
    GET    /control/people/<id>/inbox      ?since=N   what the bot did, from index N
    GET    /control/chats/<id>             the messages of a chat as they stand
    POST   /control/updates                {"updates": [raw update, ...]}
    GET    /control/pending                updates not confirmed yet
    GET    /control/requests               ?method=M  the request log
    POST   /control/faults                 {"kind", "method"?, "chat_id"?, "times"?, "status"?, ...}
    DELETE /control/faults                 no more faults; hanging requests are let go
    GET    /control/health                 {"url", "bot_id", "pending", "requests"}
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import fields as dataclass_fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiohttp.web_request import BaseRequest

from codemojex.localtg.errors import CannotDo, Refusal
from codemojex.localtg.faults import Fault, FaultKind
from codemojex.localtg.journal import Request
from codemojex.localtg.model import Event, Message
from codemojex.localtg.people import Person

if TYPE_CHECKING:
    from codemojex.localtg.telegram import LocalTelegram

Raw = dict[str, Any]
_Act = Callable[[Person, Raw], Awaitable[Any]]


class _Wrong(Exception):
    """The control request itself is wrong: status and a sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Control:
    """Answers ``/control/...`` for one local Telegram."""

    def __init__(self, telegram: LocalTelegram) -> None:
        self._telegram = telegram

    async def answer(self, request: BaseRequest) -> web.Response:
        """One control request; errors come back as ``{"error": sentence}``."""
        try:
            status, found = 200, await self._answer(request)
        except _Wrong as wrong:
            status, found = wrong.status, {"error": str(wrong)}
        except (CannotDo, KeyError, TypeError, ValueError) as wrong:
            status, found = 400, {"error": f"{type(wrong).__name__}: {wrong}"}
        except Refusal as refusal:
            status, found = refusal.status, {"error": refusal.description}
        return web.json_response(found, status=status)

    async def _answer(self, request: BaseRequest) -> Any:
        _, root, *parts = request.path.split("/")
        if root != "control":
            raise _Wrong(404, "the Bot API is at /bot<token>/<method>, the control API under /control/")
        body = json.loads(await request.read() or b"{}") if request.method == "POST" else {}
        match request.method, parts:
            case "POST", ["people"]:
                return self._telegram.person(**body).user.raw()
            case "POST", ["people", identity, act] if act in _ACTS:
                return await _ACTS[act](self._person(identity), body)
            case "POST", ["updates"]:
                return self._telegram.inject(*body["updates"])
            case "POST", ["faults"]:
                self._telegram.faults.add(_fault(body))
                return {"ok": True}
            case "DELETE", ["faults"]:
                self._telegram.faults.heal()
                self._telegram.release()
                return {"ok": True}
            case "GET", _:
                return self._look(parts, dict(request.query))
        raise _Wrong(404, f"no {request.method} {request.path}")

    def _look(self, parts: list[str], query: dict[str, str]) -> Any:
        telegram = self._telegram
        match parts:
            case ["health"]:
                return {
                    "url": telegram.url,
                    "bot_id": telegram.world.bot.id,
                    "pending": len(telegram.world.updates),
                    "requests": telegram.requests_seen,
                }
            case ["people"]:
                return [person.user.raw() for person in telegram.people.values()]
            case ["people", identity, "inbox"]:
                return [_event(event) for event in self._person(identity).inbox[int(query.get("since", 0)) :]]
            case ["chats", identity]:
                return [message.raw for message in telegram.chat(int(identity)).messages.values()]
            case ["pending"]:
                return telegram.pending()
            case ["requests"]:
                wanted = query.get("method")
                return [_request(each) for each in telegram.requests if wanted in (None, each.method)]
        raise _Wrong(
            404, "no such thing to look at; the module docstring of codemojex.localtg.control lists all"
        )

    def _person(self, identity: str) -> Person:
        person = self._telegram.people.get(int(identity))
        if person is None:
            raise _Wrong(404, f"there is no person {identity}: POST /control/people first")
        return person


async def _send(person: Person, body: Raw) -> Raw:
    at = datetime.fromtimestamp(body["at"], UTC) if "at" in body else None
    return (await person.send(body["text"], reply_to=body.get("reply_to"), at=at)).raw


async def _start(person: Person, body: Raw) -> Raw:
    return (await person.start(body.get("payload", ""))).raw


async def _dice(person: Person, body: Raw) -> Raw:
    return (await person.dice(body.get("emoji", "🎲"), body.get("value"))).raw


async def _edit(person: Person, body: Raw) -> Raw:
    return (await person.edit(body["message_id"], body["text"])).raw


async def _press(person: Person, body: Raw) -> Raw:
    flags = {name: bool(body.get(name)) for name in ("inaccessible", "expired")}
    return {"callback_query_id": await person.press(body["message_id"], body["button"], **flags)}


async def _block(person: Person, body: Raw) -> Raw:
    await person.block()
    return {"ok": True}


async def _unblock(person: Person, body: Raw) -> Raw:
    await person.unblock()
    return {"ok": True}


_ACTS: dict[str, _Act] = {
    "send": _send,
    "start": _start,
    "dice": _dice,
    "edit": _edit,
    "press": _press,
    "block": _block,
    "unblock": _unblock,
}


def _fault(body: Raw) -> Fault:
    known = {each.name for each in dataclass_fields(Fault) if each.init}
    unknown = sorted(set(body) - known)
    if unknown:
        raise _Wrong(400, f"a fault has no {unknown[0]!r}; it has {', '.join(sorted(known))}")
    return Fault(**{**body, "kind": FaultKind(body["kind"])})


def _message(message: Message | None) -> Raw | None:
    return None if message is None else message.raw


def _event(event: Event) -> Raw:
    return {
        "kind": event.kind.value,
        "at": event.at.timestamp(),
        "chat_id": event.chat_id,
        "text": event.text,
        "flag": event.flag,
        "message": _message(event.message),
    }


def _request(request: Request) -> Raw:
    return {
        "method": request.method,
        "params": dict(request.params),
        "status": request.status,
        "reply": request.reply,
        "at": request.at.timestamp(),
        "fault": request.fault,
    }
