"""A swarm on a whole system in real processes: one that it starts itself, and one that runs already."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import pytest

from codemojex.swarm.figures import Now
from codemojex.swarm.options import Shares, SwarmOptions
from codemojex.swarm.running import swarm


class Shown:
    """Keeps what it is shown."""

    def __init__(self) -> None:
        self.seconds: list[Now] = []

    def say(self, words: str) -> None:
        """Nothing is kept of it."""

    def show(self, now: Now) -> None:
        self.seconds.append(now)


async def test_every_guess_is_admitted_scored_told_and_seen(database_url):
    # given
    shown = Shown()
    options = SwarmOptions(
        rate=20,
        seconds=4,
        players=24,
        members=4,
        shares=Shares(1, 1, 1),
        database=database_url,
        patience_s=200,
    )

    # when
    report = await swarm(options, shown)

    # then
    assert report.broken == []
    assert report.sent == report.answered == sum(report.by_kind.values()) > 20
    assert set(report.by_kind) == {"private", "group", "daily"}
    assert report.database is not None
    assert report.database.told == report.database.admitted == report.sent
    assert report.audit is not None
    assert report.audit.holds
    assert all(found is not None and found.p50 <= found.p99 for found in report.latencies.values())
    assert {"answer", "answer, private", "answer, group", "answer, daily"} < set(report.latencies)
    assert shown.seconds
    assert shown.seconds[-1].admitted is not None


async def test_a_system_that_runs_already_is_played_with_as_it_is(deployment):
    # given
    deployment.settings |= {"GUESSES_PER_SECOND": "0"}
    deployment.start("up")

    # when: Telegram's budgets hold, so there are few
    options = SwarmOptions(
        rate=4, seconds=3, players=6, shares=Shares(1, 0, 0), telegram=deployment.telegram_url, patience_s=200
    )
    report = await swarm(options, Shown())

    # then
    assert report.broken == []
    assert report.sent == report.answered > 0
    assert report.database is None
    assert (await deployment.audit()).counts["told"] == report.sent


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--telegram", "https://api.telegram.org"), "--telegram"),
        (("--telegram", "http://127.0.0.1:9", "--players", "2"), "no local Telegram answers"),
        (("--rate", "0"), "--rate"),
    ],
)
async def test_the_command_says_in_one_line_why_it_will_not(words, said):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "codemojex.cli",
        "swarm",
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ,
    )
    _, errors = await process.communicate()
    assert process.returncode == 1
    assert said in errors.decode()
    assert "Traceback" not in errors.decode()


async def test_the_command_prints_its_report_as_json():
    # when
    words = ("--rate", "5", "--seconds", "2", "--players", "6", "--daily", "0", "--groups", "0", "--json")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "codemojex.cli", "swarm", *words, stdout=asyncio.subprocess.PIPE, env=os.environ
    )
    printed, _ = await process.communicate()

    # then
    report = json.loads(printed)
    assert process.returncode == 0
    assert report["sent"] == report["answered"] == report["database"]["told"] > 0
    assert report["broken"] == []
