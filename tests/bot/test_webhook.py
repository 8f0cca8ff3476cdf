"""The webhook over real HTTP: who may post, what is taken, and that 200 means committed."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest
from structlog.testing import capture_logs
from telegram import Bot
from telegram.error import InvalidToken

from codemojex.bot import webhook as webhooks
from codemojex.bot.marks import RawUpdate
from codemojex.bot.posted import MAX_BYTES
from codemojex.bot.source import ALLOWED_UPDATES
from codemojex.bot.webhook import SECRET_HEADER, Door, Webhook
from codemojex.gathering import Gathering
from codemojex.localtg import LocalTelegram
from codemojex.settings import BadSettings
from codemojex.store.errors import StoreDown
from tests.emq.core.constellations import free_ports
from tests.system.deployment import until

SECRET = "aSecretOfThisTest"
UPDATE = {"update_id": 7, "message": {"text": "🍎"}}


class Book:
    """An intake that writes down what it was given, waits while it is closed, and fails when told to."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.errors: list[Exception] = []
        self.open = asyncio.Event()
        self.open.set()
        self.begun = 0

    async def take(self, batch: Sequence[RawUpdate]) -> int:
        self.begun += 1
        await self.open.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.batches.append([raw["update_id"] for raw in batch])
        return 1 + self.batches[-1][-1]

    @property
    def taken(self) -> list[int]:
        return [update_id for batch in self.batches for update_id in batch]


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "_FIRST_WAIT_S", 0.02)


@pytest.fixture
async def telegram() -> AsyncIterator[LocalTelegram]:
    async with LocalTelegram() as running:
        yield running


def free_port() -> int:
    return free_ports(1)[0]


@asynccontextmanager
async def listening(telegram: LocalTelegram, book: Book, token: str | None = None) -> AsyncIterator[Door]:
    """A webhook that runs, and where."""
    port = free_port()
    door = Door(f"http://127.0.0.1:{port}/hook", "127.0.0.1", port, SECRET)
    async with Bot(telegram.token, base_url=f"{telegram.url}/bot") as bot:
        webhook = Webhook(bot, book.take, door)
        task = asyncio.create_task(webhook.run())
        try:
            await until(lambda: _answers(door, task), "the webhook listens")
            yield door
        finally:
            webhook.stop()
            await task


async def _answers(door: Door, task: asyncio.Task[None]) -> bool:
    if task.done():
        await task
    try:
        socket.create_connection((door.host, door.port), 1).close()
    except OSError:
        return False
    return True


async def post(door: Door, body: bytes | None = None, path: str = "/hook", **headers: str) -> httpx.Response:
    """Post as Telegram does, with other headers where they are given; an empty one is left out."""
    sent = {"Content-Type": "application/json", SECRET_HEADER: SECRET}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(timeout=60, verify=False) as http:
        return await http.post(
            f"http://127.0.0.1:{door.port}{path}",
            content=json.dumps(UPDATE).encode() if body is None else body,
            headers={name: value for name, value in sent.items() if value},
        )


async def _true(value: bool) -> bool:
    return value


async def test_what_is_sent_arrives_and_what_waited_is_not_dropped(telegram):
    # given: a message was sent while nobody listened
    ada, book = telegram.person("Ada"), Book()
    await ada.send("before")

    # when
    async with listening(telegram, book):
        await ada.send("after")
        await until(lambda: _true(len(book.taken) == 2), "both are taken")
        await until(lambda: _true(not telegram.pending()), "both are confirmed")

        # then: Telegram was told what to send
        assert sorted(telegram.world.updates.allowed) == sorted(ALLOWED_UPDATES)
        assert [delivery.status for delivery in telegram.deliveries] == [200, 200]


async def test_the_webhook_stays_set_when_the_process_leaves(telegram):
    # when
    async with listening(telegram, Book()) as door:
        await until(lambda: _true(telegram.world.courier.webhook is not None), "the webhook is set")

    # then
    assert telegram.world.courier.webhook is not None
    assert telegram.world.courier.webhook.url == door.url


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Content_Type": "application/json; charset=utf-8"}, 200),
        ({"Content_Type": 'Application/JSON;charset="UTF-8"; x=y'}, 200),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": ""}, 415),
        ({"X_Telegram_Bot_Api_Secret_Token": ""}, 401),
        ({"X_Telegram_Bot_Api_Secret_Token": "aSecretOfThisTesT"}, 403),
        ({"X_Telegram_Bot_Api_Secret_Token": SECRET + "x"}, 403),
    ],
    ids=str,
)
async def test_who_may_post_and_what(telegram, headers, status):
    book = Book()
    async with listening(telegram, book) as door:
        assert (await post(door, **headers)).status_code == status
    assert book.taken == ([7] if status == 200 else [])


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'{"update_id": "7"}', 400),
        (b'{"update_id": 7, "message": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400),
        (b'{"update_id": 7, "x": "' + b"a" * (MAX_BYTES - 25) + b'"}', 200),
        (b'{"update_id": 7, "x": "' + b"a" * MAX_BYTES + b'"}', 413),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else repr(value[:24]),
)
async def test_a_body_that_is_no_update_is_refused(telegram, body, status):
    book = Book()
    async with listening(telegram, book) as door:
        assert (await post(door, body)).status_code == status
    assert book.taken == ([7] if status == 200 else [])


async def test_only_the_path_of_the_webhook_answers_and_only_to_posts(telegram):
    async with listening(telegram, Book()) as door:
        assert (await post(door, path="/")).status_code == 404
        assert (await post(door, path="/hook/7")).status_code == 404
        async with httpx.AsyncClient(timeout=60, verify=False) as http:
            assert (await http.get(door.url)).status_code == 405


async def test_nothing_is_answered_before_it_is_committed(telegram):
    # given: the database takes its time
    book = Book()
    book.open.clear()
    async with listening(telegram, book) as door:
        posting = asyncio.create_task(post(door))
        await until(lambda: _true(book.begun == 1), "the intake has it")

        # then
        assert not posting.done()
        book.open.set()
        assert (await posting).status_code == 200


async def test_what_arrives_during_a_commit_makes_one_batch(telegram, monkeypatch):
    # given
    book, asked = Book(), []
    ask = Gathering.ask

    async def noted(self, item):
        asked.append(item)
        return await ask(self, item)

    monkeypatch.setattr(Gathering, "ask", noted)
    book.open.clear()
    async with listening(telegram, book) as door:
        first = asyncio.create_task(post(door))
        await until(lambda: _true(book.begun == 1), "the first is being committed")

        # when
        bodies = [json.dumps({"update_id": n}).encode() for n in range(8, 28)]
        others = [asyncio.create_task(post(door, body)) for body in bodies]
        await until(lambda: _true(len(asked) == 21), "they wait in this process")
        book.open.set()
        answers = [await each for each in (first, *others)]

    # then
    assert {answer.status_code for answer in answers} == {200}
    assert book.batches[0] == [7]
    assert len(book.batches) <= 3
    assert sorted(book.taken) == list(range(7, 28))


async def test_while_the_database_is_down_nothing_is_confirmed_and_all_comes_again(telegram):
    # given
    ada, book = telegram.person("Ada"), Book()
    book.errors = [StoreDown("away")]

    # when
    with capture_logs() as said:
        async with listening(telegram, book):
            await ada.send("hello")
            await until(lambda: _true(len(book.taken) == 1), "it is taken after all")

    # then
    assert [delivery.status for delivery in telegram.deliveries][:1] == [503]
    assert [line["event"] for line in said if "wait at Telegram" in line["event"]] == [
        "updates wait at Telegram: the database does not answer"
    ]


async def test_a_fault_of_the_intake_confirms_nothing_and_ends_nothing(telegram):
    # given
    book = Book()
    book.errors = [RuntimeError("a bug")]

    # then
    async with listening(telegram, book) as door:
        assert (await post(door)).status_code == 500
        assert (await post(door)).status_code == 200


async def test_what_is_in_hand_at_the_stop_is_committed_and_answered(telegram):
    # given
    book = Book()
    book.open.clear()
    async with listening(telegram, book) as door:
        posting = asyncio.create_task(post(door))
        await until(lambda: _true(book.begun == 1), "the intake has it")

        # when: it stops while the commit is under way
        asyncio.get_running_loop().call_later(0.3, book.open.set)

    # then
    assert (await posting).status_code == 200
    assert book.taken == [7]


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 429, "retry_after": 1}], ids=str)
async def test_trouble_when_the_webhook_is_set_is_waited_out(telegram, fault):
    # given
    telegram.fail_next("setWebhook", **fault)
    ada, book = telegram.person("Ada"), Book()

    # when
    async with listening(telegram, book):
        await ada.send("hello")

        # then
        await until(lambda: _true(len(book.taken) == 1), "it is taken")


async def test_an_address_that_is_taken_is_said_in_one_sentence(telegram):
    # given
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        door = Door("http://127.0.0.1/hook", "127.0.0.1", port, SECRET)

        # then
        with pytest.raises(BadSettings, match=rf"WEBHOOK_LISTEN: nothing can listen on 127.0.0.1:{port}"):
            await Webhook(None, Book().take, door).run()  # type: ignore[arg-type]


async def test_a_token_that_is_refused_ends_the_webhook(telegram):
    # given
    port = free_port()
    bot = Bot("7000000009:wrong", base_url=f"{telegram.url}/bot")
    await bot.request.initialize()

    # then
    with pytest.raises(InvalidToken):
        await Webhook(bot, Book().take, Door("http://127.0.0.1/hook", "127.0.0.1", port, SECRET)).run()
    await bot.request.shutdown()


def test_the_secret_is_in_no_representation_of_the_door():
    assert SECRET not in repr(Door("https://example.org/hook", "127.0.0.1", 8080, SECRET))
