"""Parts that run side by side: failing ones start again, stopping goes in order, a fatal error ends all."""

from __future__ import annotations

import asyncio

import pytest

from codemojex import supervise
from codemojex.supervise import Part, Supervisor


class Actor:
    """A part that does as it is told and writes down what happened."""

    def __init__(
        self, name: str, said: list[str], *, failures: int = 0, error: Exception | None = None
    ) -> None:
        self.name = name
        self.said = said
        self.failures = failures
        self.error = error or RuntimeError(name)
        self.runs = asyncio.Event()
        self.told = asyncio.Event()

    async def run(self) -> None:
        if self.failures:
            self.failures -= 1
            raise self.error
        self.runs.set()
        await self.told.wait()
        self.said.append(f"{self.name} ended")

    def stop(self) -> None:
        self.said.append(f"{self.name} told")
        self.told.set()

    def part(self) -> Part:
        return Part(self.name, self.run, self.stop)


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "_FIRST_WAIT_S", 0.01)


async def test_a_part_that_fails_is_started_again_and_its_neighbours_never_notice():
    # given
    said: list[str] = []
    frail, sound = Actor("frail", said, failures=3), Actor("sound", said)
    supervisor = Supervisor([frail.part(), sound.part()])

    # when
    running = asyncio.create_task(supervisor.run())
    await asyncio.wait_for(frail.runs.wait(), 60)

    # then
    assert sound.runs.is_set()
    assert said == []
    assert supervisor.restarts == {"frail": 3, "sound": 0}
    supervisor.stop()
    await running


async def test_parts_are_stopped_one_after_the_other_in_their_order():
    # given
    said: list[str] = []
    actors = [Actor(name, said) for name in ("intake", "bursts", "notifier")]
    supervisor = Supervisor([actor.part() for actor in actors])
    running = asyncio.create_task(supervisor.run())
    for actor in actors:
        await actor.runs.wait()

    # when
    supervisor.stop()
    await running

    # then
    assert said == [
        f"{name} {what}" for name in ("intake", "bursts", "notifier") for what in ("told", "ended")
    ]


async def test_a_fatal_error_stops_everything_well_and_is_raised():
    # given
    said: list[str] = []
    doomed = Actor("doomed", said, failures=1, error=PermissionError("token refused"))
    sound = Actor("sound", said)
    supervisor = Supervisor([doomed.part(), sound.part()], fatal=(PermissionError,))

    # when
    with pytest.raises(PermissionError, match="token refused"):
        await supervisor.run()

    # then
    assert "sound ended" in said


async def test_a_part_that_will_not_stop_is_cut_off_after_the_grace():
    # given
    said: list[str] = []
    stubborn, sound = Actor("stubborn", said), Actor("sound", said)
    stubborn.stop = lambda: None
    supervisor = Supervisor([stubborn.part(), sound.part()], grace_s=0.2)
    running = asyncio.create_task(supervisor.run())
    await stubborn.runs.wait()

    # when
    supervisor.stop()
    await asyncio.wait_for(running, 60)

    # then
    assert said == ["sound told", "sound ended"]
