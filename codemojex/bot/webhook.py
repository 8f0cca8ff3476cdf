"""Updates that Telegram posts: answered with 200 once they are committed, and with nothing better before.

Posts that arrive while a batch is being committed make the next batch, so a storm costs few transactions and a
lone update waits for nothing. Whatever gets no 200 is posted again by Telegram, and recognised.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import structlog
from aiohttp import web
from telegram import Bot
from telegram.error import InvalidToken, RetryAfter, TelegramError

from codemojex.beats import rest
from codemojex.bot.keepsake import kept_secret
from codemojex.bot.marks import RawUpdate
from codemojex.bot.posted import MAX_BYTES, Unreadable, is_json, read_update
from codemojex.bot.source import ALLOWED_UPDATES
from codemojex.flood import wait_s
from codemojex.gathering import Gathering
from codemojex.listening import listen
from codemojex.settings import Settings
from codemojex.store.engine import StoreDown

log = structlog.get_logger(__name__)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name

_BATCH = 100
_HELD = 1_000
_BODY_S = 15.0
_STOP_S = 5
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0


@dataclass(frozen=True, slots=True)
class Door:
    """Where Telegram knocks.

    Attributes:
        url: the public address, as Telegram is told; its path is the one that is answered.
        host, port: what to listen on; something in front of it speaks TLS.
        secret: what Telegram repeats with every post.
    """

    url: str
    host: str
    port: int
    secret: str = field(repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Door:
        """The door that is set; a secret that nobody has set is made and kept."""
        host, port = settings.listen_on
        given = settings.webhook_secret
        secret = given.get_secret_value() if given else kept_secret(settings.make_home() / "webhook.secret")
        return cls(str(settings.webhook_url), host, port, secret)

    @property
    def path(self) -> str:
        """The path of ``url``."""
        return urlsplit(self.url).path or "/"


class Webhook:
    """Takes posted updates to the intake; none is answered 200 before it is committed.

    Args:
        take: commits a batch; `Intake.take`.

    Attributes:
        is_set: Telegram has taken the webhook.
        last_good_at: when a batch was last committed, monotonic seconds; None before the first.
        trouble: why Telegram did not take the webhook; empty when it did.
    """

    def __init__(
        self, bot: Bot, take: Callable[[Sequence[RawUpdate]], Awaitable[int | None]], door: Door
    ) -> None:
        self.is_set = False
        self.last_good_at: float | None = None
        self.trouble = ""
        self._bot = bot
        self._take = take
        self._door = door
        self._gathering: Gathering[RawUpdate, None] = Gathering(self._commit, _BATCH, (StoreDown,))
        self._inside = 0
        self._said: set[str] = set()
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Listen, tell Telegram where, and answer until `stop`. The webhook stays set: posts wait at Telegram.

        Raises:
            BadSettings: nothing can listen on that address.
            InvalidToken: Telegram does not know this token.
        """
        app = web.Application(client_max_size=MAX_BYTES)
        app.router.add_post(self._door.path, self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_STOP_S)
        await runner.setup()
        try:
            await listen(runner, self._door.host, self._door.port, "WEBHOOK_LISTEN")
            await self._announce()
            await self._stop.wait()
        finally:
            await runner.cleanup()
            await self._gathering.close()

    def stop(self) -> None:
        """Listen no more; `run` returns once what is in hand is committed and answered."""
        self._stop.set()

    async def _announce(self) -> None:
        """Tell Telegram where to post, until it has understood; what waits there is kept."""
        wait = _FIRST_WAIT_S
        while not self._stop.is_set():
            try:
                await self._bot.set_webhook(
                    self._door.url,
                    allowed_updates=ALLOWED_UPDATES,
                    secret_token=self._door.secret,
                    drop_pending_updates=False,
                )
            except InvalidToken:
                raise
            except RetryAfter as error:
                self.trouble = f"Telegram asks to wait {wait_s(error):.0f} s"
                await rest(self._stop, wait_s(error))
            except TelegramError as error:
                log.warning("Telegram does not take the webhook; trying on", error=error.message)
                self.trouble = error.message
                await rest(self._stop, wait)
                wait = min(wait * 2, _LONGEST_WAIT_S)
            else:
                log.info("the webhook is set", url=self._door.url)
                self.is_set, self.trouble = True, ""
                return

    async def _answer(self, request: web.Request) -> web.Response:
        """200 when the update is committed; any other status has Telegram post it again."""
        self._check_secret(request.headers.get(SECRET_HEADER))
        if not is_json(request.content_type):
            raise web.HTTPUnsupportedMediaType(text="an update is JSON")
        if self._inside >= _HELD:
            raise web.HTTPServiceUnavailable(text="too many at once")
        self._inside += 1
        try:
            await self._gathering.ask(await self._read(request))
        except StoreDown as error:
            self._say_once("updates wait at Telegram: the database does not answer", error=str(error))
            raise web.HTTPServiceUnavailable(text="the database does not answer") from None
        except asyncio.CancelledError:
            # The process is leaving and gave this one up; only the end of the request itself is passed on.
            if not self._stop.is_set():
                raise
            raise web.HTTPServiceUnavailable(text="leaving") from None
        finally:
            self._inside -= 1
        return web.Response()

    def _check_secret(self, told: str | None) -> None:
        if told is None:
            self._say_once("a post without the secret was refused")
            raise web.HTTPUnauthorized(text="no secret")
        if not hmac.compare_digest(told.encode("utf-8", "replace"), self._door.secret.encode()):
            self._say_once("a post with a wrong secret was refused")
            raise web.HTTPForbidden(text="wrong secret")

    async def _read(self, request: web.Request) -> RawUpdate:
        try:
            async with asyncio.timeout(_BODY_S):
                body = await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout(text="the body did not come") from None
        try:
            return read_update(body)
        except Unreadable as error:
            self._say_once("a post that is no update was refused")
            raise web.HTTPBadRequest(text=str(error)) from None

    async def _commit(self, batch: Sequence[RawUpdate]) -> list[None]:
        await self._take(batch)
        self.last_good_at = time.monotonic()
        if self._said:
            self._said.clear()
        return [None] * len(batch)

    def _say_once(self, event: str, **about: str) -> None:
        """Warn, and not again before a batch has been committed: whoever knocks must not fill the log."""
        if event not in self._said:
            self._said.add(event)
            log.warning(event, **about)
