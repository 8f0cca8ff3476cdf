"""The page's server on loopback: its files, the state, the acts, and a socket that tells what happens."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from aiohttp import WSCloseCode, web
from pydantic import ValidationError

from codemojex.localtg import CannotDo
from codemojex.web import showing
from codemojex.web.acts import Acts
from codemojex.web.address import Address, keep, recall
from codemojex.web.crowd import Crowd
from codemojex.web.feed import NEVER, Feed
from codemojex.web.gate import Gate, add_headers
from codemojex.web.showing import Symbols

_STATIC = Path(__file__).parent / "static"
_HEARTBEAT_S = 20.0
_LEAVE_S = 2.0
_MOST_BYTES = 100_000


class Site:
    """The page of one local Telegram.

    Args:
        crowd: who sits there.
        symbols: emojis with their names, and those of the palette.
        kept: where the address is kept from one start to the next; None: each start has another.
    """

    def __init__(self, crowd: Crowd, symbols: Symbols, kept: Path | None = None) -> None:
        self.crowd, self._symbols, self._kept = crowd, symbols, kept
        self.feed = Feed(crowd.telegram)
        self._acts = Acts(crowd, self.feed)
        self._gate = Gate("")
        self._sockets: dict[web.WebSocketResponse, web.Request] = {}
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.url = ""

    async def start(self) -> None:
        """Listen on 127.0.0.1, at the kept address where its port is free. ``url`` is then what to open."""
        address = recall(self._kept)
        try:
            await self._listen(address)
        except OSError:
            # Somebody else has the port, and with it whatever old tabs ask there for: the old key is theirs too.
            await self._listen(Address.fresh())
        keep(self._kept, Address(self._port, self._gate.token))
        self.url = f"http://127.0.0.1:{self._port}/{self._gate.token}/"

    async def stop(self) -> None:
        """Tell every page that it is over, and close."""
        for socket in list(self._sockets):
            with contextlib.suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(_LEAVE_S):
                    await socket.close(code=WSCloseCode.GOING_AWAY, message=b"stopped")
        if self._runner is not None:
            await self._runner.cleanup()

    def cut(self) -> None:
        """Break every page's connection, as a bad network does."""
        for request in self._sockets.values():
            if request.transport is not None:
                request.transport.abort()

    # -- inside ----------------------------------------------------------------------------------

    async def _listen(self, address: Address) -> None:
        self._gate = Gate(address.key)
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=_LEAVE_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", address.port).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner, self._port = runner, runner.addresses[0][1]
        self._gate.open(self._port)

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._gate.middleware()], client_max_size=_MOST_BYTES)
        app.on_response_prepare.append(add_headers)
        root = f"/{self._gate.token}"
        app.router.add_get(f"{root}/", self._page)
        app.router.add_static(f"{root}/static/", _STATIC)
        app.router.add_get(f"{root}/state", self._state)
        app.router.add_get(f"{root}/events", self._events)
        app.router.add_get(f"{root}/files/{{id}}", self._file)
        app.router.add_post(f"{root}/do/{{act}}", self._do)
        return app

    async def _page(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(_STATIC / "index.html")

    async def _state(self, request: web.Request) -> web.Response:
        found = showing.everything(self.crowd.telegram, self._symbols)
        return web.json_response({"n": self.feed.last, "life": self.feed.life, **found})

    async def _do(self, request: web.Request) -> web.Response:
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="an act is JSON\n")
        try:
            return web.json_response(await self._acts.do(request.match_info["act"], await request.read()))
        except KeyError:
            raise web.HTTPNotFound(text="there is no such act\n") from None
        except ValidationError as wrong:
            return web.json_response(
                {"error": f"That cannot be done: {wrong.errors()[0]['msg']}."}, status=400
            )
        except CannotDo as wrong:
            return web.json_response({"error": _sentence(str(wrong))}, status=409)

    async def _file(self, request: web.Request) -> web.Response:
        files, identity = self.crowd.telegram.world.files, request.match_info["id"]
        if identity not in files:
            raise web.HTTPNotFound(text="this file is no longer kept\n")
        found = files[identity]
        disposition = web.Response(body=found.content, content_type="application/octet-stream")
        disposition.headers["Content-Disposition"] = "attachment"
        return disposition

    async def _events(self, request: web.Request) -> web.StreamResponse:
        try:
            after = int(request.query.get("after", "0"))
        except ValueError:
            raise web.HTTPBadRequest(text="after is a number\n") from None
        if request.query.get("life") != self.feed.life:
            after = NEVER  # that number was one of another run
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S)
        await socket.prepare(request)
        self._sockets[socket] = request
        telling = asyncio.create_task(self._tell(socket, after))
        try:
            async for _ in socket:
                pass  # the page has nothing to say here; reading notices that it is gone
        finally:
            del self._sockets[socket]
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
        return socket

    async def _tell(self, socket: web.WebSocketResponse, after: int) -> None:
        """Send every entry after ``after``, and those to come; ``reset`` where some are no longer kept."""
        with contextlib.suppress(ConnectionError):
            while not socket.closed:
                entries = self.feed.since(after)
                if entries is None:
                    await socket.send_json({"kind": "reset"})
                    return
                if entries:
                    await socket.send_json({"kind": "entries", "entries": entries})
                    after = int(entries[-1]["n"])
                await self.feed.wait(after)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
