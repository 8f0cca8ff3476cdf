"""People play while everything goes wrong at random; afterwards every guess is accounted for."""

from __future__ import annotations

import pytest

from tests.faults.lengths import SEED
from tests.faults.soak import Soak

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECONDS = 12


@pytest.mark.timeout(300)
async def test_after_a_storm_every_admitted_guess_is_scored_once_and_told(stage):
    # given
    print(f"FAULTS_SEED={SEED}")
    soak = Soak(stage, SEED)

    # when
    soaked = await soak.run(SECONDS)

    # then
    found = soaked.found
    assert found.guesses > 50
    assert soaked.struck
    assert found.broken == []
    assert len(found.repeated) <= soaked.repeats_possible
    assert soaked.audit["holds"]
    assert soaked.audit["counts"]["poison"] == 0
