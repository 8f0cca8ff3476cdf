"""A bot that Telegram posts to, in real processes: killed before it has committed, it is posted to again."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator

import psycopg
from sqlalchemy import make_url

from tests.bot.test_webhook import free_port
from tests.system.deployment import Deployment, until

GUESS = "🍎🍌🍇🍓🍒🍍"


def with_webhook(deployment: Deployment) -> None:
    """Have bots of this deployment listen for posts."""
    port = free_port()
    deployment.settings |= {
        "WEBHOOK_URL": f"http://127.0.0.1:{port}/telegram/4f6b",
        "WEBHOOK_LISTEN": f"127.0.0.1:{port}",
    }


@contextlib.contextmanager
def locked(url: str) -> Iterator[None]:
    """Nobody commits the mark of an update meanwhile."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        with contextlib.closing(sqlite3.connect(str(address.database), isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            yield
            file.execute("ROLLBACK")
        return
    with psycopg.connect(
        address.set(drivername="postgresql").render_as_string(hide_password=False)
    ) as server:
        server.execute("LOCK TABLE updates IN ACCESS EXCLUSIVE MODE")
        yield
        server.rollback()


async def told(deployment: Deployment, guesses: int) -> bool:
    counts = (await deployment.audit()).counts
    return counts["admitted"] == counts["told"] == guesses and await deployment.pending() == 0


async def test_a_bot_killed_before_it_has_committed_gets_the_update_again(deployment):
    # given: a game over the webhook
    with_webhook(deployment)
    deployment.start("worker")
    bot = deployment.start("bot")
    ada = await deployment.person("Ada")
    await ada.send("/new")
    await ada.hears("code is hidden")
    await until(lambda: told(deployment, 0), "everything so far is confirmed")

    # when: the commit waits for the database, and the bot is killed meanwhile
    with locked(deployment.database_url):
        await ada.send(GUESS)
        await asyncio.sleep(0.5)  # the post is on its way, or in hand: either must be safe
        assert await deployment.pending() == 1
        bot.kill()
    deployment.start("bot")

    # then
    await until(lambda: told(deployment, 1), "the guess is admitted once and told")
    deliveries = await deployment.control("GET", "deliveries")
    assert [delivery["status"] for delivery in deliveries][-1] == 200
    assert any(delivery["status"] != 200 for delivery in deliveries)
    assert not (await deployment.audit()).violations


async def test_what_is_posted_while_the_database_is_locked_is_confirmed_once_it_is_free(deployment):
    # given
    with_webhook(deployment)
    deployment.start("up")
    ada, bo = await deployment.person("Ada"), await deployment.person("Bo")
    for person in (ada, bo):
        await person.send("/new")
        await person.hears("code is hidden")

    # when
    with locked(deployment.database_url):
        for person in (ada, bo):
            await person.send(GUESS)
        await asyncio.sleep(0.5)
        assert await deployment.pending() == 2

    # then
    await until(lambda: told(deployment, 2), "both guesses are admitted once and told")


async def test_a_bot_that_polls_takes_an_earlier_webhook_away_and_loses_nothing(deployment):
    # given: a webhook whose process has left
    with_webhook(deployment)
    before = deployment.start("bot")
    ada = await deployment.person("Ada")
    await ada.send("/start")
    await ada.hears("Hello")
    assert before.stop() == 0
    await ada.send("/ping")

    # when
    deployment.settings |= {"WEBHOOK_URL": ""}
    deployment.start("bot")

    # then
    await ada.hears("I'm here")
    assert await deployment.pending() == 0


async def test_the_secret_is_kept_for_the_next_start(deployment):
    # given
    with_webhook(deployment)
    kept = deployment.folder / "home" / "webhook.secret"
    secrets = []

    # when
    for _ in range(2):
        bot = deployment.start("bot")
        ada = await deployment.person("Ada")
        await ada.send("/start")
        await ada.hears("Hello")
        secrets.append(kept.read_text())
        assert bot.stop() == 0
        assert secrets[-1] not in bot.said

    # then
    assert secrets[0] == secrets[1]
