"""The one path everything serves, in real processes: a message in, the answer out, whatever is killed."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter

import pytest

from tests.system.deployment import Deployment, until

# Nobody may guess the same twice in a game.
GUESSES = tuple("".join(six) for six in itertools.islice(itertools.permutations("🍎🍌🍇🍓🍒🍍"), 10))


async def everything_told(deployment: Deployment, guesses: int) -> bool:
    counts = (await deployment.audit()).counts
    return counts["admitted"] == counts["told"] == guesses and await deployment.pending() == 0


async def test_a_guess_sent_to_the_bot_is_scored_by_the_worker_and_answered(deployment):
    # given
    bot, worker = deployment.start("bot"), deployment.start("worker")
    ada = await deployment.person("Ada")

    # when
    await ada.send("/start")
    await ada.send("/new")
    await ada.hears("code is hidden")
    for guess in GUESSES[:3]:
        await ada.send(guess)

    # then
    await until(lambda: everything_told(deployment, 3), "three guesses are admitted and told")
    told = "\n".join(await ada.inbox())
    assert all(guess in told for guess in GUESSES[:3])
    assert len(re.findall(r"\d+/600", told)) >= 3
    report = await deployment.audit()
    assert report.counts["scored"] == 3
    assert not report.violations

    # and then
    assert (bot.stop(), worker.stop()) == (0, 0), bot.said + worker.said


async def test_a_bot_killed_while_it_works_through_waiting_guesses_loses_and_doubles_none(deployment):
    # given: 300 guesses of 30 people wait at Telegram
    deployment.settings |= {"GUESSES_ALONE": "1000", "GUESSES_PER_SECOND": "0"}
    people = [await deployment.person(f"P{n}") for n in range(30)]
    for person in people:
        await person.send("/new")
        for guess in GUESSES:
            await person.send(guess)
    deployment.start("worker")

    # when: the bot is killed again and again while it works
    for wanted in (1, 80, 180):
        bot = deployment.start("bot")

        async def so_far(wanted: int = wanted) -> bool:
            return (await deployment.audit()).counts["admitted"] >= wanted

        await until(so_far, f"{wanted} guesses are admitted")
        bot.kill()
    deployment.start("bot")

    # then
    await until(lambda: everything_told(deployment, 300), "300 guesses are admitted and told", 200)
    report = await deployment.audit()
    assert report.counts["scored"] == 300
    assert not report.violations
    for person in people:
        # A message in flight at a kill is sent once more, never twice more; every result is told.
        messages = Counter(await person.inbox())
        assert max(messages.values()) <= 2
        told = "\n".join(messages)
        assert sum(told.count(guess) for guess in GUESSES) == 10


@pytest.mark.parametrize("verb", ["bot", "worker", "up"])
async def test_a_process_told_to_stop_leaves_with_exit_code_zero(deployment, verb):
    # given
    process = deployment.start(verb)

    async def runs() -> bool:
        assert process.popen.poll() is None, process.said
        return "running" in process.said

    await until(runs, f"{verb} says that it runs")

    # when
    code = process.stop(within_s=10)

    # then
    assert code == 0, process.said


async def test_the_token_is_in_no_log_line(deployment):
    # given
    deployment.settings["LOG_LEVEL"] = "DEBUG"
    both = deployment.start("up")
    ada = await deployment.person("Ada")
    await deployment.control("POST", "faults", {"kind": "refuse", "method": "sendMessage", "status": 500})

    # when
    await ada.send("/start")
    await ada.hears("Ada")
    both.stop()

    # then
    assert "systemTestToken" not in both.said


async def test_a_token_that_telegram_rejects_ends_the_bot_in_one_sentence_without_the_token(deployment):
    # given
    wrong = "7000000001:AAnotherTokenThatNobodyGaveOut00000"
    deployment.settings["TELEGRAM_TOKEN"] = wrong

    # when
    bot = deployment.start("bot")
    code = await asyncio.to_thread(bot.popen.wait, 60)

    # then
    assert code == 1
    assert wrong not in bot.said
    assert bot.said.strip().endswith(
        "TELEGRAM_TOKEN: Telegram rejects this token. Ask @BotFather for the current one."
    )
