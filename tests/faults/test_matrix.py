"""At every step of the path something dies, breaks or sleeps: each guess is scored once and told."""

from __future__ import annotations

import random

import pytest

from tests.faults.harms import HARMS
from tests.faults.lengths import LONG, SEED
from tests.faults.matrix import Case, Matrix, named
from tests.faults.stage import Stage
from tests.faults.steps import SEAMS, Seam

pytestmark = pytest.mark.asyncio(loop_scope="session")

_seated: dict[int, Matrix] = {}


async def seated(stage: Stage) -> Matrix:
    """The people on a stage; they stay for the next test."""
    if id(stage) not in _seated:
        _seated[id(stage)] = Matrix(stage, SEED)
        await _seated[id(stage)].seat()
    return _seated[id(stage)]


def chosen(seam: Seam, stage: Stage) -> list[Case]:
    """Death at this step, and on one of the databases one other harm; in a long run every one."""
    others = [harm for harm in HARMS if harm.name != "dies"]
    more = others if LONG else [random.Random(f"{SEED}{seam.step}").choice(others)]
    if not LONG and stage.on_postgres is bool(SEAMS.index(seam) % 2):
        more = []
    return [named(seam.step, "dies"), *(Case(seam, harm) for harm in more)]


@pytest.mark.timeout(900 if LONG else 240)
@pytest.mark.parametrize("seam", SEAMS, ids=lambda seam: seam.step)
async def test_whatever_happens_at_a_step_every_guess_is_scored_once_and_told(shared_stage, seam):
    # given
    matrix = await seated(shared_stage)

    # when, then: playing a case looks at what became of its guesses
    for case in chosen(seam, shared_stage):
        outcome = await matrix.play(case)
        assert outcome.found.guesses >= 6

    # and then: the audit as an operator runs it
    code, report = await shared_stage.audit()
    assert (code, report["violations"]) == (0, [])
