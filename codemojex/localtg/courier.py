"""Updates carried to a webhook: in order within a chat, again and again until it answers 2xx.

A chat whose update was not taken waits for it, with growing pauses; other chats go on. Nothing is confirmed
but by an answer of 2xx. Not modelled: a method call in the body of that answer, and that Telegram forgets an
update after 24 hours.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime

import aiohttp

from codemojex.localtg.model import Raw
from codemojex.localtg.updates import UpdateQueue

PROOF_HEADER = "X-Telegram-Bot-Api-Secret-Token"
"""Carries the secret of setWebhook, which proves that an update comes from Telegram."""
_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where updates go, as setWebhook said."""

    url: str
    secret: str = ""
    max_connections: int = 40
    ip_address: str = ""


@dataclass(frozen=True, slots=True)
class Patience:
    """How a courier treats an endpoint that does not take an update; all in seconds."""

    pause_s: float = 1.0
    """Before the second try; doubled for each further one."""
    longest_pause_s: float = 60.0
    timeout_s: float = 60.0
    """An answer that takes longer is none."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One try to hand an update to the webhook."""

    update_id: int
    status: int
    """HTTP status; 0 when there was no answer."""
    wrong: str
    """What getWebhookInfo says of it; empty when the update was taken."""
    at: datetime

    @property
    def taken(self) -> bool:
        return not self.wrong


class Courier:
    """Carries the updates of a queue to the webhook that is set, if one is."""

    def __init__(self, updates: UpdateQueue, patience: Patience) -> None:
        self._updates = updates
        self._patience = patience
        self._lanes: dict[int, deque[tuple[int, Raw]]] = {}
        """By chat, what waits for the webhook, in order; the first is on its way."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(1)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.webhook: Webhook | None = None
        self.deliveries: deque[Delivery] = deque(maxlen=_KEPT)
        """Every try, oldest first."""
        self.last_error: Delivery | None = None

    def point(self, webhook: Webhook) -> None:
        """Carry everything that waits, and all that comes, to this webhook from now on."""
        self._stop()
        self.webhook = webhook
        self.last_error = None
        self._slots = asyncio.Semaphore(webhook.max_connections)
        self.resume()

    def remove(self) -> None:
        """Carry nothing more; what was not taken waits for getUpdates."""
        self._stop()
        self.webhook = self.last_error = None
        self._updates.courier = None

    def resume(self) -> None:
        """Start carrying again after `close`, if a webhook is set."""
        if self.webhook is None:
            return
        self._loop = asyncio.get_running_loop()
        self._updates.courier = self._take
        for place, update in self._updates.in_line():
            self._take(place, update)

    async def close(self) -> None:
        """End every try that is on its way and begin none; the webhook stays set."""
        tasks = list(self._tasks)
        self._updates.courier = None
        self._stop()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    # -- inside --------------------------------------------------------------------------------

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._lanes.clear()

    def _take(self, place: int, update: Raw) -> None:
        webhook, chat = self.webhook, _chat_of(update, place)
        if webhook is None or self._loop is None:
            return
        lane = self._lanes.get(chat)
        if lane is not None:
            lane.append((place, update))
            return
        self._lanes[chat] = deque([(place, update)])
        task = self._loop.create_task(self._work(chat, webhook))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, chat: int, webhook: Webhook) -> None:
        lane = self._lanes[chat]
        while lane:
            place, update = lane[0]
            await self._carry(webhook, update)
            lane.popleft()
            self._updates.done(place)
        del self._lanes[chat]

    async def _carry(self, webhook: Webhook, update: Raw) -> None:
        """Return once the webhook took the update."""
        pause_s = self._patience.pause_s
        while True:
            async with self._slots:
                delivery = await self._post(webhook, update)
            self.deliveries.append(delivery)
            if delivery.taken:
                return
            self.last_error = delivery
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, self._patience.longest_pause_s)

    async def _post(self, webhook: Webhook, update: Raw) -> Delivery:
        if self._session is None:
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        headers = {PROOF_HEADER: webhook.secret} if webhook.secret else {}
        status, wrong = 0, ""
        try:
            async with (
                asyncio.timeout(self._patience.timeout_s),
                self._session.post(
                    webhook.url, json=update, headers=headers, allow_redirects=False
                ) as answer,
            ):
                status = answer.status
                with contextlib.suppress(aiohttp.ClientError):
                    await answer.read()
                if not 200 <= status < 300:
                    wrong = f"Wrong response from the webhook: {status} {answer.reason}"
        except TimeoutError:
            wrong = "Read timeout expired"
        except aiohttp.ClientConnectorDNSError:
            wrong = "Failed to resolve host: Name or service not known"
        except aiohttp.ClientConnectorError:
            wrong = "Connection refused"
        except aiohttp.ClientError:
            wrong = "Connection closed"
        return Delivery(int(update["update_id"]), status, wrong, datetime.now(UTC))


def _chat_of(update: Raw, place: int) -> int:
    """The chat whose order this update keeps; one of its own for an update without a chat."""
    payload = next((value for name, value in update.items() if name != "update_id"), None)
    if isinstance(payload, dict):
        for holder in (payload, payload.get("message")):
            if isinstance(holder, dict) and isinstance(holder.get("chat"), dict):
                return int(holder["chat"]["id"])
    # Above every id of a chat.
    return 2**62 + place
