"""A part of the matrix and of a soak, small enough for every run of the tests; `make faults` does all of it.

At each step of the path its process dies, on the one database or on the other; then people play through a short storm.
Each is one test, so that one worker of the test run has one deployment.
"""

from __future__ import annotations

import pytest

from tests.faults import places
from tests.faults.lengths import SEED, WHOLE
from tests.faults.matrix import Matrix, named
from tests.faults.soak import Soak
from tests.faults.steps import SEAMS

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(900),
    pytest.mark.skipif(WHOLE, reason="the whole of it is tried"),
]

SECONDS = 5


@pytest.mark.parametrize("place", range(len(places.PAIRS)), ids=list(places.PAIRS))
async def test_a_process_that_dies_at_any_step_costs_no_guess(nursery, place):
    # given
    database = places.available(list(places.PAIRS)[place])
    async with places.stage(nursery, database, places.PAIRS[database]) as stage:
        matrix = Matrix(stage, SEED)
        await matrix.seat()

        # when, then: playing a case looks at what became of its guesses
        for seam in SEAMS[place :: len(places.PAIRS)]:
            await matrix.play(named(seam.step, "dies"))

        # and then: the audit as an operator runs it
        code, report = await stage.audit()
        assert (code, report["violations"]) == (0, [])


@pytest.mark.parametrize("database", places.PAIRS)
async def test_a_short_storm_costs_no_guess(nursery, database):
    # given
    print(f"FAULTS_SEED={SEED}")
    async with places.stage(nursery, places.available(database), places.PAIRS[database], workers=2) as stage:
        # when
        soaked = await Soak(stage, SEED).run(SECONDS)

    # then
    assert soaked.struck
    assert soaked.found.guesses > 0
    assert soaked.found.broken == []
    assert len(soaked.found.repeated) <= soaked.repeats_possible
    assert soaked.audit["holds"]
