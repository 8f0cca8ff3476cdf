"""The Bot API over HTTP: one request in, checks, faults, one answer out, one line in the log."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web
from aiohttp.web_request import BaseRequest

from codemojex.localtg import fields
from codemojex.localtg.budgets import Budgets
from codemojex.localtg.errors import CannotDo, Refusal, bad_request
from codemojex.localtg.faults import Fault, FaultKind, Faults
from codemojex.localtg.files import Upload, attach, uploaded
from codemojex.localtg.journal import Request
from codemojex.localtg.methods import METHODS, Method
from codemojex.localtg.world import World

Raw = dict[str, Any]
_TOKEN = re.compile(r"\d{1,19}:[A-Za-z0-9_-]{20,}")
_JSON = "application/json"


class BotApi:
    """Answers ``/bot<token>/<method>`` for one bot."""

    def __init__(self, world: World, token: str, faults: Faults) -> None:
        self.world = world
        self.token = token
        self.faults = faults
        self.requests: deque[Request] = deque(maxlen=world.options.keep_requests)
        self.seen = 0
        """How many requests came in all, also those the log no longer holds."""
        self.closing = asyncio.Event()
        self._budgets = Budgets(world.options.clock) if world.options.budgets else None
        self._released = asyncio.Event()

    def release(self) -> None:
        """Let every hanging request go: its connection is closed without an answer."""
        self._released.set()
        self._released = asyncio.Event()

    async def answer(self, request: BaseRequest) -> web.StreamResponse:
        """One Bot API request, from its path to its answer."""
        token, _, name = request.path.removeprefix("/bot").partition("/")
        method = METHODS.get(name.lower())
        try:
            params = await _parameters(request)
        except Refusal as refusal:
            return self._answered(name, {}, _failed(refusal))
        if token != self.token:
            wrong = Refusal(401, "Unauthorized") if _TOKEN.fullmatch(token) else Refusal(404, "Not Found")
            return self._answered(name, params, _failed(wrong))
        if method is None:
            return self._answered(name, params, _failed(Refusal(404, "Not Found: method not found")))
        fault = self.faults.next(method.name, params.get("chat_id"))
        if fault is not None:
            return await self._troubled(request, method, params, fault)
        return self._answered(method.name, params, await self._done(method, params))

    async def _done(self, method: Method, params: Raw) -> tuple[int, Raw]:
        try:
            values = fields.read(method.name, method.fields, params)
            if method.run is None:
                return 200, {"ok": True, "result": await self._poll(values)}
            if method.sends and self._budgets is not None and "chat_id" in values:
                self._budgets.spend(values["chat_id"])
            return 200, {"ok": True, "result": method.run(self.world, values)}
        except Refusal as refusal:
            return _failed(refusal)
        except CannotDo as wrong:
            return _failed(Refusal(500, f"Internal Server Error: {wrong}"))

    async def _poll(self, values: fields.Values) -> list[Raw]:
        updates = self.world.updates
        if "allowed_updates" in values:
            updates.allow(str(kind) for kind in values["allowed_updates"])
        return await updates.take(
            values.get("offset", 0), values.get("limit", 100), float(values.get("timeout", 0))
        )

    async def _troubled(
        self, request: BaseRequest, method: Method, params: Raw, fault: Fault
    ) -> web.StreamResponse:
        match fault.kind:
            case FaultKind.REFUSE:
                return self._answered(method.name, params, _failed(fault.refusal()), fault)
            case FaultKind.DELAY:
                await self._pause(asyncio.sleep(fault.seconds))
                return self._answered(method.name, params, await self._done(method, params), fault)
            case FaultKind.LOSE:
                _, reply = await self._done(method, params)
                return self._silent(request, method.name, params, reply, fault)
            case FaultKind.HANG:
                await self._pause(self._released.wait())
        return self._silent(request, method.name, params, None, fault)

    async def _pause(self, until: Any) -> None:
        """Wait, but not beyond the end of the server."""
        waits = [asyncio.ensure_future(until), asyncio.ensure_future(self.closing.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _answered(
        self, name: str, params: Raw, answer: tuple[int, Raw], fault: Fault | None = None
    ) -> web.Response:
        status, reply = answer
        body = json.dumps(reply)
        self._log(name, params, status, (reply, body), fault)
        return web.Response(status=status, body=body.encode(), content_type=_JSON)

    def _silent(
        self, request: BaseRequest, name: str, params: Raw, reply: Raw | None, fault: Fault
    ) -> web.StreamResponse:
        self._log(name, params, 0, (reply, json.dumps(reply)), fault)
        if request.transport is not None:
            request.transport.close()
        return web.Response(status=500)

    def _log(
        self, name: str, params: Raw, status: int, reply: tuple[Raw | None, str], fault: Fault | None
    ) -> None:
        self.seen += 1
        kind = None if fault is None else fault.kind.value
        params = {key: repr(value) if isinstance(value, Upload) else value for key, value in params.items()}
        request = Request(name, params, status, reply[0], datetime.now(UTC), kind)
        if self.token in reply[1] or self.token in name or self.token in str(params):
            request = request.without(self.token)
        self.requests.append(request)


def _failed(refusal: Refusal) -> tuple[int, Raw]:
    reply: Raw = {"ok": False, "error_code": refusal.status, "description": refusal.description}
    if refusal.parameters:
        reply["parameters"] = refusal.parameters
    return refusal.status, reply


async def _parameters(request: BaseRequest) -> Raw:
    """The parameters of a request: from the query, and from a form, multipart or JSON body."""
    found: Raw = dict(request.query) if request.query_string else {}
    if not request.body_exists:
        return found
    kind = request.content_type
    try:
        if kind == "multipart/form-data":
            for name, value in (await request.post()).items():
                found[name] = value if isinstance(value, str) else _upload(value)
            return attach(found)
        body = await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise Refusal(413, "Request Entity Too Large") from None
    if kind == _JSON:
        found.update(_json(body))
    elif body:
        try:
            found.update(parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))
        except ValueError:
            raise Refusal(400, "Bad Request: can't parse the form") from None
    return found


def _upload(value: web.FileField | bytearray | bytes) -> Upload:
    if not isinstance(value, web.FileField):
        raise bad_request("can't parse the form")
    return uploaded(value.filename, value.content_type, value.file.read())


def _json(body: bytes) -> Raw:
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refusal(400, "Bad Request: can't parse JSON object")
    return found
