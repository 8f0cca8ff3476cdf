"""Machines with wrong clocks: the game goes by the database's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import tests
from tests.faults.host import CLOCK
from tests.system.deployment import Deployment, until


@pytest.fixture
async def deployment(
    short_folder: Path, postgres_url: str, redis7_url: str, queue: str
) -> AsyncIterator[Deployment]:
    """A deployment on PostgreSQL, whose server has a clock of its own."""
    root = Path(tests.__file__).parents[1]
    settings = {"GUESS_QUEUE": queue, "NOTIFY_QUEUE": f"{queue}.notify", "PYTHONPATH": str(root)}
    made = Deployment(short_folder, postgres_url, redis7_url, settings)
    try:
        await made.start_telegram()
        yield made
    finally:
        await made.close()


async def test_a_worker_two_hours_ahead_ends_no_game_before_its_time(deployment: Deployment) -> None:
    # given a game of five minutes
    deployment.start("bot")
    ada = await deployment.person("Ada")
    await ada.send("/new 5")
    await ada.hears("A new code is hidden")

    # when a worker whose machine is two hours ahead scores, and sweeps
    deployment.settings[CLOCK] = "7200"
    worker = deployment.run("worker", "tests.faults.host", "codemojex", "worker")
    await ada.send("🍌🍎🍇🍓🍒🍍")
    await ada.hears("/600")

    async def complained() -> bool:
        return "this machine's clock is off" in worker.said

    await until(complained, "the worker says that its clock is off")
    await ada.send("🍎🍌🍇🍓🍒🍍")

    # then
    await ada.hears("10 guesses left")
    assert not any("Time's up" in text for text in await ada.inbox())
    assert (await deployment.audit()).violations == []
