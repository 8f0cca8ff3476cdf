"""The control API: people, groups, faults and the log over HTTP, for tests in other processes.

JSON in, JSON out, under ``/control/``; loopback only, so it asks for no password. ``chat`` is the id of a
group or channel and may be left out for the private chat; ``by`` is who does it, the owner when left out.

    POST   /control/people                 {"name", "id"?, "language_code"?, "username"?, "known"?}
    GET    /control/people
    POST   /control/people/<id>/send       {"text", "reply_to"?, "at"?, "chat"?, "topic"?, "send_as"?}
                                           at: unix seconds; topic: thread id; send_as: group or channel id
    POST   /control/people/<id>/say        the same
    POST   /control/people/<id>/start      {"payload"?}
    POST   /control/people/<id>/dice       {"emoji"?, "value"?, "chat"?}
    POST   /control/people/<id>/edit       {"message_id", "text", "chat"?}
    POST   /control/people/<id>/press      {"message_id", "button", "chat"?, "inaccessible"?, "expired"?}
    POST   /control/people/<id>/react      {"message_id", "emojis": [...], "chat"?}
    POST   /control/people/<id>/delete     {"message_id", "chat"?}
    POST   /control/people/<id>/forward    {"message_id", "from": chat id, "chat"?, "topic"?, "hidden"?}
    POST   /control/people/<id>/block      {}
    POST   /control/people/<id>/unblock    {}
    GET    /control/people/<id>/inbox      ?since=N   what the bot did, from index N
    POST   /control/groups                 {"title", "members"?: [id], "admins"?: [id], "owner"?: id,
                                            "supergroup"?, "forum"?, "privacy"?, "bot"?, "known"?}
    GET    /control/groups
    POST   /control/groups/<id>/topics     {"name", "by"?}   -> {"id", "name"}
    POST   /control/groups/<id>/<change>   {"person", "by"?}   change: promote, demote, join or leave
    POST   /control/groups/<id>/add_bot    {"by"?, "admin"?}
    POST   /control/groups/<id>/<turn>     {"by"?}   turn: remove_bot, promote_bot or demote_bot
    POST   /control/groups/<id>/upgrade    {"by"?, "new_first"?}   -> {"id": of the supergroup}
    GET    /control/groups/<id>/inbox      ?since=N   what the bot did there; channels too
    POST   /control/channels               {"title", "admins"?: [id], "owner"?: id, "bot"?, "group"?: linked}
    POST   /control/privacy                {"on"}   BotFather's switch, for groups the bot joins from now on
    GET    /control/chats/<id>             the messages of a chat as they stand
    GET    /control/chats/<id>/history/<message id>   every state of a message
    GET    /control/chats/<id>/reactions/<message id>   {"user id": [emoji, ...]}
    GET    /control/files/<file id>        {"name", "mime", "base64"}
    POST   /control/updates                {"updates": [raw update, ...]}
    GET    /control/pending                updates not confirmed yet
    GET    /control/deliveries             every try to hand an update to the webhook
    GET    /control/requests               ?method=M  the request log
    POST   /control/faults                 {"kind", "method"?, "chat_id"?, "times"?, "status"?, ...}
    DELETE /control/faults                 no more faults; hanging requests are let go
    GET    /control/events                 ?since=N&wait=S  what the bot did in any chat, from number N on; at most
                                           1,000; waits up to S seconds for the first; N = -1: nothing, only "next"
                                           -> {"next": M, "events": [...]}
    GET    /control/health                 {"url", "bot_id", "pending", "requests"}
"""

from __future__ import annotations

import json
from dataclasses import fields as dataclass_fields
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiohttp.web_request import BaseRequest

from codemojex.localtg import shown
from codemojex.localtg.acts import OF_GROUPS, OF_PEOPLE, Asked
from codemojex.localtg.errors import CannotDo, Refusal
from codemojex.localtg.faults import Fault, FaultKind
from codemojex.localtg.groups import Group
from codemojex.localtg.model import Raw
from codemojex.localtg.people import Person

if TYPE_CHECKING:
    from codemojex.localtg.telegram import LocalTelegram


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
        match request.method:
            case "GET" if parts == ["events"]:
                since, wait = int(request.query.get("since", 0)), float(request.query.get("wait", 0))
                number, events = await self._telegram.chronicle.after(since, wait)
                return {"next": number, "events": [shown.event(event) for event in events]}
            case "GET":
                return self._look(parts, dict(request.query))
            case "DELETE" if parts == ["faults"]:
                self._telegram.faults.heal()
                self._telegram.release()
                return {"ok": True}
            case "POST":
                return await self._act(
                    parts, Asked(self._telegram, json.loads(await request.read() or b"{}"))
                )
        raise _Wrong(404, f"no {request.method} {request.path}")

    async def _act(self, parts: list[str], asked: Asked) -> Any:
        telegram, body = self._telegram, asked.body
        match parts:
            case ["people"]:
                return telegram.person(**body).user.raw()
            case ["people", identity, act] if act in OF_PEOPLE:
                return await OF_PEOPLE[act](self._person(identity), asked)
            case ["groups"]:
                return shown.room(telegram.group(**self._cast(body, "members", "admins")))
            case ["groups", identity, act] if act in OF_GROUPS:
                return OF_GROUPS[act](self._group(identity), asked)
            case ["channels"]:
                return self._channel(body)
            case ["privacy"]:
                telegram.set_privacy(bool(body["on"]))
                return {"ok": True}
            case ["updates"]:
                return telegram.inject(*body["updates"])
            case ["faults"]:
                telegram.faults.add(_fault(body))
                return {"ok": True}
        raise _Wrong(404, f"no POST /control/{'/'.join(parts)}")

    def _look(self, parts: list[str], query: dict[str, str]) -> Any:
        telegram, since = self._telegram, int(query.get("since", 0))
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
                return [shown.event(event) for event in self._person(identity).inbox[since:]]
            case ["groups"]:
                return [shown.room(group) for group in telegram.groups.values()]
            case ["groups", identity, "inbox"]:
                return [shown.event(event) for event in telegram.rooms[int(identity)].inbox[since:]]
            case ["chats", identity, *more]:
                return self._chat(int(identity), more)
            case ["files", identity]:
                return shown.file(telegram.world.files[identity])
            case ["pending"]:
                return telegram.pending()
            case ["deliveries"]:
                return [shown.delivery(each) for each in telegram.deliveries]
            case ["requests"]:
                wanted = query.get("method")
                return [shown.request(each) for each in telegram.requests if wanted in (None, each.method)]
        raise _Wrong(404, "nothing to see there; the docstring of codemojex.localtg.control lists what is")

    def _chat(self, identity: int, more: list[str]) -> Any:
        chat = self._telegram.chat(identity)
        match more:
            case []:
                return [message.raw for message in chat.messages.values()]
            case ["history", number]:
                return [message.raw for message in chat.versions[int(number)]]
            case ["reactions", number]:
                return {str(user): emojis for user, emojis in chat.reactions.get(int(number), {}).items()}
        raise _Wrong(404, f"a chat has no {more[0]}")

    def _channel(self, body: Raw) -> Raw:
        linked = body.pop("group", None)
        channel = self._telegram.channel(**self._cast(body, "admins"))
        if linked is not None:
            channel.link(self._group(str(linked)))
        return shown.room(channel)

    def _cast(self, body: Raw, *several: str) -> Raw:
        """The body with people in place of their ids."""
        found = dict(body)
        for name in several:
            found[name] = [self._person(str(each)) for each in body.get(name, ())]
        if body.get("owner") is not None:
            found["owner"] = self._person(str(body["owner"]))
        return found

    def _person(self, identity: str) -> Person:
        person = self._telegram.people.get(int(identity))
        if person is None:
            raise _Wrong(404, f"there is no person {identity}: POST /control/people first")
        return person

    def _group(self, identity: str) -> Group:
        group = self._telegram.groups.get(int(identity))
        if group is None:
            raise _Wrong(404, f"there is no group {identity}: POST /control/groups first")
        return group


def _fault(body: Raw) -> Fault:
    known = {each.name for each in dataclass_fields(Fault) if each.init}
    unknown = sorted(set(body) - known)
    if unknown:
        raise _Wrong(400, f"a fault has no {unknown[0]!r}; it has {', '.join(sorted(known))}")
    return Fault(**{**body, "kind": FaultKind(body["kind"])})
