"""The local Telegram as a whole: a server on loopback, its people, its faults."""

from __future__ import annotations

import asyncio
import secrets
import string
import weakref
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.web_request import BaseRequest

from codemojex.localtg.cast import Cast
from codemojex.localtg.chats import Chat
from codemojex.localtg.chronicle import Chronicle
from codemojex.localtg.control import Control
from codemojex.localtg.counters import Counters
from codemojex.localtg.courier import Delivery
from codemojex.localtg.faults import Fault, Faults, Troublemaker
from codemojex.localtg.files import MAX_BYTES, Upload
from codemojex.localtg.inbox import Stream
from codemojex.localtg.journal import Request
from codemojex.localtg.model import Event, Message, Raw, User
from codemojex.localtg.server import BotApi
from codemojex.localtg.world import Options, World

_LETTERS = string.ascii_letters + string.digits


class LocalTelegram(Cast, Troublemaker):
    """A Bot API server for one bot, with the people who talk to it.

    Args:
        token: the bot's token, ``<bot id>:<35 letters>``; a fresh one when absent.
        state: a file that keeps update, message and person ids from repeating across restarts.
        faults: trouble for the first requests.
        options: budgets, sizes of the log and of chats, the clock.
    """

    def __init__(
        self,
        token: str | None = None,
        state: Path | None = None,
        faults: Iterable[Fault] = (),
        options: Options | None = None,
    ) -> None:
        self.token = token or fresh_token()
        identity = self.token.partition(":")[0]
        if not identity.isdigit():
            raise ValueError("a token begins with the bot's numeric id and a colon")
        settings = options or Options()
        bot = User(int(identity), "codemojex", username=settings.username, is_bot=True)
        super().__init__(World(bot, Counters(state), settings))
        self.faults = Faults(faults)
        self._api = BotApi(self.world, self.token, self.faults)
        self.chronicle = Chronicle()
        """Everything the bot did, by number."""
        self._control = Control(self)
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self.world.listen(None, self._notice)
        self._runner: web.ServerRunner | None = None
        self._url = ""

    @property
    def url(self) -> str:
        """The Bot API root, without a trailing slash (``TELEGRAM_API_URL``)."""
        if not self._url:
            raise RuntimeError("the local Telegram has not been started: await start() first")
        return self._url

    @property
    def requests(self) -> list[Request]:
        """The request log, oldest first, without the token."""
        return list(self._api.requests)

    @property
    def requests_seen(self) -> int:
        """How many requests came in all, also those the log has forgotten."""
        return self._api.seen

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 takes a free one."""
        if self._runner is not None:
            raise RuntimeError("the local Telegram runs already")
        self._api.closing.clear()
        server = web.Server(
            self._handle, request_factory=_request, handler_cancellation=True, access_log=None
        )
        runner = web.ServerRunner(server, shutdown_timeout=1.0)
        await runner.setup()
        self._runner = runner
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError:
            await self.stop()
            raise
        self._url = f"http://{host}:{runner.addresses[0][1]}"
        self.world.courier.resume()

    async def stop(self) -> None:
        """Answer what is held, close every connection; people and updates stay as they are."""
        if self._runner is not None:
            self._api.closing.set()
            self.world.updates.hang_up()
            await self.world.courier.close()
            runner, self._runner = self._runner, None
            await runner.cleanup()

    async def __aenter__(self) -> LocalTelegram:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # -- chats and files ---------------------------------------------------------------------

    def chat(self, chat_id: int) -> Chat:
        """A chat the bot knows."""
        return self.world.chat(chat_id)

    def document(self, message: Message) -> Upload:
        """The file that a message with a document carries."""
        return self.world.files[message.raw["document"]["file_id"]]

    @property
    def deliveries(self) -> list[Delivery]:
        """Every try to hand an update to the webhook, oldest first."""
        return list(self.world.courier.deliveries)

    def set_privacy(self, on: bool) -> None:
        """Switch privacy mode, as BotFather does: groups the bot is in keep theirs until it is added again."""
        self.world.options = replace(self.world.options, privacy=on)

    def events(self) -> AsyncIterator[Event]:
        """Everything that happens in any chat from now on, by people too; never ends by itself."""
        stream = Stream()
        self._streams.add(stream)
        return stream

    # -- updates ---------------------------------------------------------------------------------

    def pending(self) -> list[Raw]:
        """Updates no getUpdates has confirmed yet, oldest first."""
        return self.world.updates.pending()

    @property
    def polling(self) -> bool:
        """True while a getUpdates is held open, waiting for the next update."""
        return self.world.updates.held

    def inject(self, *updates: Raw) -> list[Raw]:
        """Queue raw updates as they are; one without an ``update_id`` gets the next."""
        return [self.world.inject(update) for update in updates]

    def release(self) -> None:
        """Close the connections of every hanging request."""
        self._api.release()

    # -- inside ----------------------------------------------------------------------------------

    def _notice(self, event: Event) -> None:
        self.chronicle.note(event)
        for stream in list(self._streams):
            stream.put(event)

    async def _handle(self, request: BaseRequest) -> web.StreamResponse:
        if request.path.startswith("/bot"):
            return await self._api.answer(request)
        return await self._control.answer(request)


def _request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> BaseRequest:
    """A request whose body may be as large as the largest file."""
    loop = asyncio.get_running_loop()
    return BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=MAX_BYTES)


def fresh_token() -> str:
    """A token of the shape Telegram gives, of no bot in the world."""
    tail = "".join(secrets.choice(_LETTERS) for _ in range(35))
    return f"{7_000_000_000 + secrets.randbelow(1_000_000_000)}:{tail}"
