"""The outbound path on a desk: a steered clock, a database that can fail, a bot on a local Telegram."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import select
from telegram import Bot
from telegram.request import HTTPXRequest

import emq
from codemojex.localtg import LocalTelegram
from codemojex.localtg.people import Person
from codemojex.notices.budgets import Budgets, Rate
from codemojex.notices.clock import Clock
from codemojex.notices.ledger import Ledger
from codemojex.notices.notifier import Notifier
from codemojex.notices.options import NotifierOptions
from codemojex.play import outbox, players
from codemojex.play.outbox import Draft, Notice, NoticeRef
from codemojex.store import schema
from codemojex.store.engine import Store, StoreDown
from codemojex.texts import catalogs

T = TypeVar("T")

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
ANY = Rate(per_second=1e6, burst=10**6)
UNLIMITED = Budgets(overall=ANY, private=ANY, group=ANY)
OPTIONS = NotifierOptions(budgets=UNLIMITED, grace_s=2.0)


class SteeredClock(Clock):
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.at_s = 0.0
        self._alarms: list[tuple[float, asyncio.Event]] = []

    def monotonic(self) -> float:
        return self.at_s

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.at_s)

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        if timeout_s is None:
            await event.wait()
            return
        alarm = asyncio.Event()
        self._alarms.append((self.at_s + timeout_s, alarm))
        self._ring()
        waits = [asyncio.ensure_future(each.wait()) for each in (event, alarm)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    def advance(self, seconds: float) -> None:
        self.at_s += seconds
        self._ring()

    def _ring(self) -> None:
        for due, alarm in self._alarms:
            if due <= self.at_s:
                alarm.set()
        self._alarms = [(due, alarm) for due, alarm in self._alarms if not alarm.is_set()]


class MoodyStore(Store):
    """A database that can be made unreachable, and that counts its transactions."""

    down = False
    transactions = 0

    async def transact(self, fn: Callable[[Any], Awaitable[T]], *, attempts: int = 8) -> T:
        if self.down:
            raise StoreDown("the database is down for this test")
        self.transactions += 1
        return await super().transact(fn, attempts=attempts)

    async def read(self, fn: Callable[[Any], Awaitable[T]], *, attempts: int = 8) -> T:
        if self.down:
            raise StoreDown("the database is down for this test")
        return await super().read(fn, attempts=attempts)


@dataclass
class Desk:
    """Everything a test of the outbound path needs."""

    tg: LocalTelegram
    bot: Bot
    store: MoodyStore
    looking: Store
    """The same database, never down: what the test looks through."""
    clock: SteeredClock = field(default_factory=SteeredClock)

    def notifier(self, options: NotifierOptions = OPTIONS, *, store: Store | None = None) -> Notifier:
        return Notifier(store or self.store, self.bot, catalogs.of, options, self.clock)

    def ledger(self, store: Store | None = None) -> Ledger:
        """What a notifier writes down and reads, by itself."""
        return Ledger(store or self.store, catalogs.of, self.clock, OPTIONS)

    @contextlib.asynccontextmanager
    async def running(self, options: NotifierOptions = OPTIONS) -> AsyncIterator[Notifier]:
        """A notifier at work."""
        notifier = self.notifier(options)
        async with at_work(notifier):
            yield notifier

    async def person(self, name: str = "Ada") -> Person:
        """Somebody the bot may write to, known to the game."""
        person = self.tg.person(name, known=True)
        await self.meet(person)
        return person

    async def meet(self, person: Person) -> None:
        seen = players.Person(id=person.id, first_name=person.name)
        await self.store.transact(lambda tx: players.seen(tx, seen, self.clock.now()))

    async def tell(self, chat_id: int, text: str, **more: Any) -> NoticeRef:
        """Commit a text notice."""
        return await self.write(chat_id, "text", {"text": text, **more})

    async def write(self, chat_id: int, kind: str, data: Mapping[str, Any], **more: Any) -> NoticeRef:
        now = self.clock.now()
        return await self.store.transact(
            lambda tx: outbox.write(tx, emq.mint, now, chat_id, kind, data, **more)
        )

    async def tell_all(self, notices: Sequence[tuple[int, str]], **more: Any) -> list[NoticeRef]:
        """Commit text notices, (chat, text) each, in one transaction."""
        drafts = [Draft(chat_id, "text", {"text": text, **more}) for chat_id, text in notices]
        now = self.clock.now()
        return await self.store.transact(lambda tx: outbox.write_many(tx, emq.mint, now, drafts))

    async def row(self, ref: NoticeRef) -> Any:
        """The notice as it stands in the database."""
        query = select(schema.notices).where(schema.notices.c.id == ref.id)

        async def one(tx: Any) -> Any:
            return (await tx.execute(query)).one()

        return await self.looking.read(one)

    async def waiting(self, chat_id: int) -> list[Notice]:
        return await self.looking.read(lambda tx: outbox.waiting(tx, chat_id, 1_000))

    async def waiting_in_flight(self, chat_id: int) -> bool:
        """Whether a chat's message is on its way."""
        return any(notice.sending_at is not None for notice in await self.waiting(chat_id))

    async def settled(self, *refs: NoticeRef) -> None:
        """Wait until every one of ``refs`` is told or dropped."""
        row = schema.notices.c
        query = select(row.id).where(
            row.id.in_([ref.id for ref in refs]), row.sent_at.is_(None), row.failure.is_(None)
        )

        async def none_waits(tx: Any) -> bool:
            return (await tx.execute(query.limit(1))).first() is None

        await until(lambda: self.looking.read(none_waits))

    def sent_to(self, chat_id: int) -> list[str]:
        """The texts of every request to send to a chat that Telegram accepted, its answer lost or not."""
        return [
            str(request.params["text"])
            for request in self.tg.requests
            if request.method == "sendMessage"
            and request.chat_id == chat_id
            and (request.reply or {}).get("ok")
        ]

    def tries(self, chat_id: int) -> int:
        """How many requests to send to a chat there were."""
        return sum(r.method == "sendMessage" and r.chat_id == chat_id for r in self.tg.requests)


@contextlib.asynccontextmanager
async def at_work(*notifiers: Notifier) -> AsyncIterator[None]:
    """Notifiers run while the block does, then stop well."""
    runs = [asyncio.create_task(notifier.run()) for notifier in notifiers]
    try:
        yield
    finally:
        for notifier in notifiers:
            notifier.stop()
        await asyncio.gather(*runs)


async def until(wanted: Callable[[], Awaitable[bool] | bool], within_s: float = 60.0) -> None:
    """Return as soon as ``wanted`` holds.

    Raises:
        TimeoutError: it does not come to hold.
    """
    async with asyncio.timeout(within_s):
        while True:
            held = wanted()
            if isinstance(held, Awaitable):
                held = await held
            if held:
                return
            await asyncio.sleep(0.005)


def make_bot(tg: LocalTelegram, token: str | None = None) -> Bot:
    """A real bot that talks to ``tg``."""
    # Plain HTTP: no need to load a store of certificates in each test.
    plain = {"verify": False}
    return Bot(
        token or tg.token,
        base_url=f"{tg.url}/bot",
        request=HTTPXRequest(
            connection_pool_size=64, connect_timeout=60, read_timeout=60, pool_timeout=60, httpx_kwargs=plain
        ),
        get_updates_request=HTTPXRequest(httpx_kwargs=plain),
    )
