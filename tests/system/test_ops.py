"""What an operator sees of real processes: who works, who stands by and why, which server is away."""

from __future__ import annotations

import asyncio

import pytest

from codemojex.store.engine import open_store
from codemojex.store.schema import games
from tests.bot.test_webhook import free_port
from tests.play.makers import rows
from tests.proxy import FaultProxy
from tests.servers import Kind, ServerProcess
from tests.system.deployment import TOKEN, until
from tests.system.operator import operator

GUESS = "🍎🍌🍇🍓🍒🍍"


async def test_a_bot_and_a_worker_say_how_each_of_their_parts_is(watched):
    # when
    bot = await operator(watched, watched.start("bot"))
    worker = await operator(watched, watched.start("worker"))
    polls = await bot.waits_for(200, "updates", "polling")
    claims = await worker.waits_for(200, "worker", "claims")

    # then
    assert set(polls.body["parts"]) == {"updates", "database", "queue"}
    assert set(claims.body["parts"]) == {"worker", "database", "queue"}
    for answer in (polls, claims):
        assert answer.body["ready"] is True
        assert answer.body["state"] == "running"
        for part in answer.body["parts"].values():
            assert part["ready"] is True
            assert 0 <= part["last_good_s"] < 60
    assert (await bot.get("/live")).json() == {"live": True}


async def test_what_became_of_a_guess_can_be_counted_and_nothing_of_it_read(watched):
    # given: a game over the webhook
    port = free_port()
    watched.settings |= {
        "WEBHOOK_URL": f"http://127.0.0.1:{port}/telegram/4f6b",
        "WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        "WEBHOOK_SECRET": "aSecretOfThisTest",
    }
    bot = await operator(watched, watched.start("bot"))
    worker = await operator(watched, watched.start("worker"))
    await bot.waits_for(200, "updates", "webhook set")
    ada = await watched.person("Ada")
    await ada.send("/new")
    await ada.hears("code is hidden")

    # when
    await ada.send(GUESS)
    await ada.hears("/600")

    # then
    async def counted() -> bool:
        told = await bot.figures()
        of_worker = await worker.figures()
        waits = [told["codemojex_notices_untold"], of_worker["codemojex_guesses_unscored"]]
        open_ = {told["codemojex_games_open"], of_worker["codemojex_games_open"]}
        return told["codemojex_notices_told_total"] == 2 and waits == [0, 0] and open_ == {1}

    await until(counted, "the answer is counted as told, and nothing waits")
    of_bot, of_worker = await bot.figures(), await worker.figures()
    queue = watched.settings["GUESS_QUEUE"]
    assert of_bot["codemojex_updates_total{handled}"] == 2
    assert of_bot["codemojex_guesses_admitted_total"] == 1
    assert of_bot["codemojex_guesses_enqueued_total{enqueued}"] == 1
    assert of_bot["codemojex_messages_total{sent}"] == 2
    assert of_worker["codemojex_guesses_scored_total{scored}"] == 1
    assert of_worker[f"emq_worker_jobs_total{{completed,{queue}}}"] == 1
    assert of_worker[f"emq_jobs_finished_total{{completed,{queue}}}"] == 1
    assert of_worker["process_resident_memory_bytes"] > 10_000_000

    # and: no secret in it
    store = open_store(watched.database_url)
    [game] = await rows(store, games)
    await store.aclose()
    for process in (bot, worker):
        for path in ("/metrics", "/ready", "/live"):
            said = (await process.get(path)).text
            for secret in (TOKEN, TOKEN.partition(":")[2], "aSecretOfThisTest", game.secret, game.nonce):
                assert secret not in said
            assert not any(symbol in said for symbol in game.secret)


@pytest.mark.parametrize("verb", ["bot", "worker"])
async def test_a_database_that_is_away_is_told_until_it_is_back(watched, own_postgres_url, verb):
    # given
    async with FaultProxy(own_postgres_url, resp=False) as line:
        watched.database_url = line.url
        process = await operator(watched, watched.start(verb))
        await process.waits_for(200, "database", "answers")

        # when
        await line.stop()
        away = await process.waits_for(503, "database", "does not answer")

        # then
        assert "does not answer" in away.reason("database")
        assert away.of("queue") == (True, "answers")
        figures = await process.figures()
        assert figures["codemojex_ready{database}"] == 0
        assert "codemojex_guesses_unscored" not in figures

        # and when
        await line.start()
        await process.waits_for(200, "database", "answers")
        assert (await process.figures())["codemojex_database_outages_total"] > 0


@pytest.mark.parametrize("trouble", ["killed", "paused"])
@pytest.mark.parametrize("verb", ["bot", "worker"])
async def test_a_queue_that_is_away_is_told_until_it_is_back(watched, short_folder, verb, trouble):
    # given
    server = ServerProcess(Kind.VALKEY, short_folder / "q").start()
    try:
        watched.redis_url = server.url
        process = await operator(watched, watched.start(verb))
        await process.waits_for(200, "queue", "answers")

        # when
        server.kill() if trouble == "killed" else server.pause()
        away = await process.waits_for(503, "queue", "does not answer")

        # then: at once, however long the server is silent, and however many ask
        answers = await asyncio.gather(*(process.ready() for _ in range(20)))
        assert {answer.status for answer in answers} == {503}
        assert away.reason("queue")
        assert away.of("database") == (True, "answers")
        assert (await process.figures())["codemojex_ready{queue}"] == 0

        # and when
        server.restart() if trouble == "killed" else server.resume()
        await process.waits_for(200, "queue", "answers")
    finally:
        server.stop()


async def test_a_bot_that_cannot_reach_telegram_is_starting_and_alive(watched):
    # given
    watched.telegram_url = "http://127.0.0.1:9"
    process = watched.start("bot")

    # when
    bot = await operator(watched, process)
    answer = await bot.ready()

    # then
    assert (answer.status, answer.body["state"]) == (503, "starting")
    assert (await bot.get("/live")).status_code == 200
    assert "process_cpu_seconds_total" in await bot.figures()
    assert process.stop() == 0


async def test_an_address_that_is_taken_is_one_sentence_before_anything_is_opened(watched):
    # given
    first = await operator(watched, watched.start("worker"))
    taken = first.url.removeprefix("http://")

    # when
    watched.settings |= {"OPS_LISTEN": taken}
    second = watched.start("worker")
    code = await asyncio.to_thread(second.popen.wait, 20)

    # then
    assert code == 1
    assert f"codemojex: OPS_LISTEN: nothing can listen on {taken}" in second.said
    assert len(second.said.splitlines()) == 1


async def test_nobody_is_answered_where_no_address_is_set(watched):
    # given
    watched.settings |= {"OPS_LISTEN": ""}

    # when
    worker = watched.start("worker")

    async def runs() -> bool:
        return "running" in worker.said

    # then
    await until(runs, "the worker runs")
    assert "answering operators" not in worker.said
