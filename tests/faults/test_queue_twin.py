"""Whatever is asked of the queue, in whatever order: it answers like its twin, and its keys say the same.

FAULTS_STEPS asks for so many steps of a random walk more.
"""

from __future__ import annotations

import asyncio
import os
import random
import uuid

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import emq
from tests.faults.lengths import SEED
from tests.faults.twin import Walk

STEPS = int(os.environ.get("FAULTS_STEPS", "2000"))
IDS = [f"JOB0000000000{n}" for n in range(10)]


def machine(url: str) -> type[RuleBasedStateMachine]:
    """The state machine on a server; each run has a queue of its own."""
    held = st.integers(0, 20)
    several = st.lists(held, min_size=1, max_size=3)

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.runner = asyncio.Runner()

        def run(self, step):
            self.runner.run(step)

        def pair(self, place):
            """A token somebody was given, or one nobody was."""
            held = self.walk.held
            return held[place % len(held)] if held else (IDS[place % len(IDS)], 1)

        @initialize()
        def open(self):
            self.conn = self.runner.run(emq.connect(url))
            self.walk = Walk(self.conn, f"t.{uuid.uuid4().hex[:16]}")

        @rule(ids=st.lists(st.sampled_from(IDS), min_size=1, max_size=4), payload=st.binary(max_size=5))
        def enqueue(self, ids, payload):
            self.run(self.walk.enqueue([(id, payload) for id in ids]))

        @rule(size=st.integers(1, 4))
        def claim(self, size):
            self.run(self.walk.claim(size))

        @rule(places=several)
        def complete(self, places):
            self.run(self.walk.complete([self.pair(place) for place in places]))

        @rule(place=held, most=st.sampled_from([1, 2, 20]))
        def retry(self, place, most):
            self.run(self.walk.retry(*self.pair(place), most))

        @rule(place=held)
        def delay(self, place):
            self.run(self.walk.delay(*self.pair(place)))

        @rule(places=several)
        def extend(self, places):
            self.run(self.walk.extend([self.pair(place) for place in places]))

        @precondition(lambda self: self.walk.twin.ids("active"))
        @rule(place=held)
        def lapse(self, place):
            ids = self.walk.twin.ids("active")
            self.run(self.walk.ripen("active", ids[place % len(ids)]))

        @precondition(lambda self: self.walk.twin.ids("scheduled"))
        @rule(place=held)
        def fall_due(self, place):
            ids = self.walk.twin.ids("scheduled")
            self.run(self.walk.ripen("scheduled", ids[place % len(ids)]))

        @rule(limit=st.sampled_from([1, 1000]))
        def reap(self, limit):
            self.run(self.walk.reap(limit))

        @rule(limit=st.sampled_from([1, 1000]))
        def promote(self, limit):
            self.run(self.walk.promote(limit))

        @rule(paused=st.booleans())
        def pause(self, paused):
            self.run(self.walk.pause(paused))

        @invariant()
        def same(self):
            if hasattr(self, "walk"):
                self.run(self.walk.compare())

        def teardown(self):
            if hasattr(self, "conn"):
                self.runner.run(self.conn.close())
            self.runner.close()

    return Machine


@pytest.mark.timeout(600)
def test_the_queue_and_its_twin_answer_alike(real_server_url):
    run_state_machine_as_test(
        machine(real_server_url),
        settings=settings(
            max_examples=20,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.timeout(600 + STEPS // 100)
async def test_a_long_walk_never_tells_them_apart(real_server_url, queue):
    # given
    print(f"FAULTS_SEED={SEED} FAULTS_STEPS={STEPS}")
    async with await emq.connect(real_server_url) as conn:
        walk = Walk(conn, queue)

        # when, then: every step compares
        await walk.wander(random.Random(SEED), STEPS)
        await walk.compare()
    assert walk.steps == STEPS
