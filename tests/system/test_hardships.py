"""What an operator's day brings, in real processes and real databases: nothing is lost, told early, or stuck."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import traceback
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

import emq
from codemojex.bursts import Bursts
from codemojex.store import schema
from codemojex.store.engine import StoreDown, open_store
from tests.bot.desk import ADA, Desk
from tests.databases import own_postgres_url  # noqa: F401  a fixture by import
from tests.play.makers import NONCE, SECRET, rows, seat
from tests.proxy import FaultProxy
from tests.system.deployment import TOKEN, Deployment, Process, until
from tests.system.test_bursts import admitted


def written(text: str, update_id: int, message_id: int) -> dict[str, Any]:
    """An update with a private message of Ada's."""
    message: dict[str, Any] = {
        "message_id": message_id,
        "date": 1_796_000_000 + message_id,
        "chat": {"id": ADA, "type": "private", "first_name": "Ada"},
        "from": {"id": ADA, "is_bot": False, "first_name": "Ada"},
        "text": text,
    }
    if text.startswith("/"):
        message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
    return {"update_id": update_id, "message": message}


IMPATIENT = "?options=-c%20statement_timeout%3D3000"


def plain(url: str) -> str:
    """For psycopg itself."""
    return make_url(url).set(drivername="postgresql", query={}).render_as_string(hide_password=False)


@contextlib.contextmanager
def locked(url: str, statement: str) -> Iterator[None]:
    """Somebody else's transaction holds a lock on a PostgreSQL database."""
    with psycopg.connect(plain(url)) as other:
        other.execute(statement)
        yield
        other.rollback()


async def runs(process: Process) -> None:
    async def running() -> bool:
        assert process.popen.poll() is None, process.said
        return "running" in process.said

    await until(running, f"{process.name} runs")


@pytest.fixture
async def small(short_folder, sqlite_url, redis7_url, queue):
    """One deployment on SQLite and Redis 7."""
    names = {"GUESS_QUEUE": queue, "NOTIFY_QUEUE": f"{queue}.notify"}
    made = Deployment(short_folder, sqlite_url, redis7_url, names)
    try:
        await made.start_telegram()
        yield made
    finally:
        await made.close()


async def test_a_statement_the_server_cancels_makes_no_update_poison(own_postgres_url):  # noqa: F811
    # given: a role with a statement_timeout, and a game whose row somebody holds
    store = open_store(own_postgres_url + IMPATIENT)
    desk = Desk(store)
    await desk.take(written("/new", 1, 1))

    # when
    with locked(own_postgres_url, "SELECT * FROM games FOR UPDATE"), contextlib.suppress(StoreDown):
        await desk.take(written("🍎🍌🍇🍓🍒🍍", 2, 2))
    await desk.take(written("🍎🍌🍇🍓🍒🍍", 2, 2))  # unconfirmed, so Telegram sends it again

    # then
    try:
        assert await rows(store, schema.poison) == []
        assert await desk.guesses() == ["🍎🍌🍇🍓🍒🍍"]
    finally:
        await store.aclose()


async def test_a_statement_that_fails_shows_no_secret(own_postgres_url):  # noqa: F811
    # given: a cracked game whose ending cannot be written
    store = open_store(own_postgres_url + IMPATIENT)
    table = await seat(store)
    await table.score(await table.guess(SECRET))

    # when
    try:
        with (
            locked(own_postgres_url, "LOCK TABLE notices IN SHARE MODE"),
            pytest.raises(Exception) as caught,  # noqa: PT011  which one is not the point
        ):
            await table.settle()
    finally:
        await store.aclose()

    # then: what a traceback in the log would say
    said = "".join(traceback.format_exception(caught.value))
    assert not any(shown in said for shown in (SECRET, ", ".join(f'"{symbol}"' for symbol in SECRET), NONCE))


async def test_a_failed_mark_is_written_later(store):
    # given
    class Jobs:
        async def enqueue_many(self, items):
            return [emq.ENQUEUED for _ in items]

    table = await seat(store)
    items = await admitted(table, 3)
    transact, failures = store.transact, iter([RuntimeError("a statement was cancelled")])

    async def unlucky(fn, **options):
        for failure in failures:
            raise failure
        return await transact(fn, **options)

    store.transact = unlucky
    bursts = Bursts(Jobs(), store)
    running = asyncio.create_task(bursts.run())

    # when
    bursts.add(items)

    # then: written, or the part says that it failed; never silence
    async def marked() -> bool:
        return running.done() or all(row.enqueued_at for row in await rows(store, schema.guesses))

    try:
        await until(marked, "the guesses are marked as queued")
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("verb", ["bot", "worker"])
async def test_a_process_stops_in_time_while_somebody_else_holds_the_sqlite_file(small, verb):
    # given
    process = small.start(verb)
    await runs(process)
    other = sqlite3.connect(make_url(small.database_url).database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    await asyncio.sleep(1.5)  # the sweep, every half second, waits for its turn

    # when
    try:
        code = await asyncio.to_thread(process.stop, 10)
    finally:
        other.execute("ROLLBACK")
        other.close()

    # then
    assert code == 0, process.said


@pytest.mark.parametrize("mute", ["the database", "the queue"])
@pytest.mark.parametrize("verb", ["bot", "worker"])
async def test_a_process_stops_in_time_while_a_server_listens_and_says_nothing(
    small,
    own_postgres_url,  # noqa: F811
    verb,
    mute,
):
    # given
    small.database_url = own_postgres_url
    target = small.database_url if mute == "the database" else small.redis_url
    async with FaultProxy(target, resp=mute == "the queue") as proxy:
        setattr(small, "database_url" if mute == "the database" else "redis_url", proxy.url)
        process = small.start(verb)
        await runs(process)
        proxy.half_open()
        await asyncio.sleep(1.5)  # the sweep, every half second, waits for an answer

        # when
        code = await asyncio.to_thread(process.stop, 10)

        # then
        assert code == 0, process.said


async def test_a_bot_that_waits_for_telegram_stops_with_exit_code_zero(small):
    # given
    small.telegram_url = "http://127.0.0.1:9"
    bot = small.start("bot")

    async def waits() -> bool:
        return "cannot be reached" in bot.said

    await until(waits, "the bot waits for Telegram")

    # when, then
    assert bot.stop() == 0, bot.said


async def test_a_flood_wait_at_start_is_waited_out(small):
    # given
    flood = {"kind": "refuse", "method": "getMe", "status": 429, "retry_after_s": 1}
    await small.control("POST", "faults", flood)

    # when
    bot = small.start("bot")

    # then
    await runs(bot)


async def test_a_refused_token_is_not_printed(small):
    # given
    small.settings["TELEGRAM_TOKEN"] = wrong = TOKEN.replace("systemTest", "anotherOne")

    # when
    bot = small.start("bot")
    await asyncio.to_thread(bot.popen.wait, 60)

    # then
    assert bot.popen.returncode == 1
    assert wrong not in bot.said
    assert "@BotFather" in bot.said


async def test_an_update_with_an_impossible_id_holds_nobody_up(store):
    # given
    desk = Desk(store)
    await desk.take(written("/new", 1, 1))

    # when
    await desk.take({"update_id": 2**63, "brand_new_thing": {}}, written("🍎🍌🍇🍓🍒🍍", 2, 2))

    # then
    assert await desk.guesses() == ["🍎🍌🍇🍓🍒🍍"]


@pytest.mark.parametrize(
    "sign",
    [
        {"forward_origin": {"type": "hidden_user", "date": 1_796_000_000, "sender_user_name": "Bo"}},
        {"from": {"id": ADA, "is_bot": True, "first_name": "Ada"}},
    ],
    ids=["forwarded", "a bot's"],
)
async def test_a_guess_that_must_not_count_does_not(store, sign):
    # given
    desk = Desk(store)
    await desk.take(written("/new", 1, 1))
    update = written("🍎🍌🍇🍓🍒🍍", 2, 2)

    # when
    await desk.take({"update_id": 2, "message": update["message"] | sign})

    # then
    assert await desk.guesses() == []


async def test_a_commit_whose_answer_was_lost_is_told_of_when_the_batch_comes_again(store):
    # given
    desk = Desk(store)
    await desk.take(written("/new", 1, 1))
    transact = store.transact

    async def lost(fn, **options):
        await transact(fn, **options)
        store.transact = transact
        raise StoreDown("the answer was lost")

    store.transact = lost
    guess = written("🍎🍌🍇🍓🍒🍍", 2, 2)
    with pytest.raises(StoreDown):
        await desk.take(guess)
    assert desk.rereads == 0

    # when
    await desk.take(guess)

    # then
    assert await desk.guesses() == ["🍎🍌🍇🍓🍒🍍"]
    assert desk.rereads == 1
