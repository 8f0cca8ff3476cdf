"""Updates that are random and mutated never stop the intake, and never cost a neighbour its guess.

FAULTS_UPDATES says how many.
"""

from __future__ import annotations

import os
import random

import pytest

from codemojex.play.audit import audit
from codemojex.store import schema
from tests.bot.desk import Desk
from tests.faults.fuzzing import pester
from tests.faults.lengths import SEED
from tests.play.makers import rows

UPDATES = int(os.environ.get("FAULTS_UPDATES", "600"))
NEIGHBOUR = 5_000_000_777


@pytest.mark.timeout(180 + UPDATES // 10)
async def test_no_update_raises_and_no_neighbour_is_lost(store):
    # given: somebody who plays, and sends nothing strange
    print(f"FAULTS_SEED={SEED} FAULTS_UPDATES={UPDATES}")
    desk = Desk(store)
    await desk.private(NEIGHBOUR, "/new")

    # when
    guesses = await pester(desk, NEIGHBOUR, UPDATES, random.Random(SEED))

    # then
    seen = {(row.chat_id, row.message_id): row.outcome for row in await rows(store, schema.updates)}
    admitted = [row for row in await rows(store, schema.guesses) if row.chat_id == NEIGHBOUR]
    outcomes = [seen[NEIGHBOUR, raw["message"]["message_id"]] for raw in guesses]
    assert outcomes.count("handled") == len(admitted) > 0
    assert set(outcomes) <= {"handled", "refused"}
    # An odd update may claim that a chat has moved, and is believed as Telegram is; what others have is theirs.
    report = await store.read(lambda tx: audit(tx, desk.now))
    assert report.counts["poison"] > 0
    [player] = await rows(store, schema.players, id=NEIGHBOUR)
    assert all(row.chat_id == player.id and row.number <= desk.limits.alone for row in admitted)
