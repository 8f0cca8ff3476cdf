"""What can never work is set aside, counted and visible, and everything else flows."""

from __future__ import annotations

import json
import random

import pytest

import emq
from codemojex.store import schema
from tests.faults.crowd import Player, together
from tests.faults.lengths import SEED
from tests.faults.reckoning import all_told, at_rest, findings
from tests.faults.stage import Stage
from tests.play.makers import rows
from tests.system.deployment import until

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def dice() -> random.Random:
    return random.Random(SEED)


async def dead(stage: Stage, queue: str) -> dict[str, str]:
    """What `emq dead` shows: id -> why."""
    code, said = await stage.ask("emq", "dead", queue, "--json", "--url", stage.server.url)
    assert code == 0, said
    found = [json.loads(line) for line in said.splitlines() if line.startswith(("{", "["))]
    jobs = found[0] if isinstance(found[0], list) else found[0].get("jobs", found)
    return {job["id"]: str(job) for job in jobs}


@pytest.mark.parametrize(
    ("payload", "suffix", "why"),
    [
        (b"\xff\xfe{not json", "", "no guess has this id"),
        (b'{"v":1,"guess":"gone"}', "", "no guess has this id"),
        (b"\x00garbage", ".notify", "not a notice job"),
        (b'{"v":1,"chat":"Ada"}', ".notify", "not a notice job"),
    ],
    ids=["garbage", "a guess whose row is gone", "garbage to be told", "a chat that is none"],
)
@pytest.mark.timeout(180)
async def test_a_job_that_means_nothing_is_buried_with_its_reason_and_holds_nobody_up(
    shared_stage, dice, payload, suffix, why
):
    # given
    stage, queue = shared_stage, f"{shared_stage.queue}{suffix}"
    player = await Player.meet(stage, dice)
    await player.play()
    id = emq.mint("JOB")

    # when
    async with await emq.connect(stage.server.url) as conn:
        await emq.Jobs(conn, queue).enqueue(id, payload)
    sent = [await player.guess() for _ in range(3)]

    # then
    await all_told(stage, sent)

    async def buried() -> bool:
        return id in await dead(stage, queue)

    await until(buried, "the job is among the dead", 30)
    assert why in (await dead(stage, queue))[id]


@pytest.mark.timeout(180)
async def test_updates_that_raise_are_set_aside_and_their_neighbours_are_not(shared_stage, dice):
    # given
    stage = shared_stage
    player = await Player.meet(stage, dice)
    await player.play()
    before = len(await rows(stage.store, schema.poison))
    nobody = {"id": 2**70, "is_bot": False, "first_name": "Nobody"}
    here = {"id": player.id, "type": "private", "first_name": "P"}
    broken = [
        {"callback_query": {"id": "1", "from": nobody, "chat_instance": "-11", "data": "x"}},
        {"edited_message": {"message_id": 1, "date": 1, "chat": here, "from": nobody, "text": "x"}},
        {"my_chat_member": {"chat": here, "from": nobody, "date": 1}},
    ]

    # when: broken ones between good ones
    sent = []
    for raw in broken:
        sent.append(await player.guess())
        await stage.control("POST", "updates", {"updates": [raw]})
    sent.append(await player.guess())

    # then
    await all_told(stage, sent)
    await at_rest(stage)
    aside = (await rows(stage.store, schema.poison))[before:]
    assert len(aside) == len(broken)
    assert all(row.error and row.raw for row in aside)
    _, report = await stage.audit()
    assert report["counts"]["poison"] == before + len(broken)


@pytest.mark.timeout(180)
async def test_a_notice_that_telegram_always_refuses_is_given_up_and_others_are_told(shared_stage, dice):
    # given
    stage = shared_stage
    refused, other = [await Player.meet(stage, dice) for _ in range(2)]
    await together(refused.play(), other.play())
    await at_rest(stage)
    fault = {"kind": "refuse", "method": "sendMessage", "chat_id": refused.id, "status": 400, "times": 1_000}
    await stage.control("POST", "faults", fault | {"description": "Bad Request: not for this one"})

    # when
    lost = await refused.guess()
    sent = [await other.guess() for _ in range(3)]
    await all_told(stage, sent)

    # then
    async def given_up() -> bool:
        return any(
            row.failure and row.failed_at
            for row in await rows(stage.store, schema.notices, chat_id=refused.id)
        )

    await until(given_up, "the refused notice is given up", 30)
    [row] = await rows(stage.store, schema.guesses, chat_id=refused.id)
    assert row.scored_at is not None
    assert row.message_id == lost.message_id
    _, report = await stage.audit()
    assert report["counts"]["notices_failed"] >= 1
    await stage.control("DELETE", "faults")
    assert (await findings(stage, sent)).broken == []
