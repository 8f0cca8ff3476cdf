"""Lease extension, single and batch: the seed's table, row by row, under one clock read."""

from __future__ import annotations

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, ids

TABLE = [
    ("active", None),
    ("gone", emq.Gone),
    ("stale", emq.Stale),
    ("reaped", emq.NotActive),
    ("scheduled", emq.NotActive),
    ("dead", emq.NotActive),
]


@pytest.mark.parametrize(("state", "error"), TABLE)
async def test_one_lease_is_extended_or_answers_with_an_error_of_its_own(
    jobs: emq.Jobs, make: Maker, state: str, error: type[emq.EmqError] | None
) -> None:
    claim: emq.Claim = await getattr(make, state)()
    was = await make.score(make.keys.active, claim.id)
    before = await make.server_ms()

    if error is None:
        await jobs.extend_lock(claim.id, claim.token, 600_000)
        assert before + 600_000 <= (await make.score(make.keys.active, claim.id) or 0)
    else:
        with pytest.raises(error):
            await jobs.extend_lock(claim.id, claim.token, 600_000)
        assert await make.score(make.keys.active, claim.id) == was


@pytest.mark.parametrize(("state", "error"), TABLE)
async def test_the_batch_collects_what_it_could_not_extend(
    jobs: emq.Jobs, make: Maker, state: str, error: type[emq.EmqError] | None
) -> None:
    claim: emq.Claim = await getattr(make, state)()
    was = await make.score(make.keys.active, claim.id)

    failed = await jobs.extend_locks([(claim.id, claim.token)], 600_000)

    assert failed == ([] if error is None else [claim.id])
    if error is not None:
        assert await make.score(make.keys.active, claim.id) == was


async def test_the_live_share_one_deadline_and_the_failed_keep_their_order_and_repeats(
    jobs: emq.Jobs, make: Maker
) -> None:
    # given three live leases between jobs in every other state
    others = [await getattr(make, state)() for state, error in TABLE if error is not None]
    live = [await make.active() for _ in range(3)]
    gone, stale, reaped, scheduled, dead = ((claim.id, claim.token) for claim in others)
    one, two, three = ((claim.id, claim.token) for claim in live)

    # when all are extended, two of them twice
    held = [dead, one, reaped, gone, two, dead, stale, scheduled, one, three]
    failed = await jobs.extend_locks(held, 600_000)

    # then the live ones end together, and the others are named as they came
    assert failed == [id for id, _ in held if id not in {one[0], two[0], three[0]}]
    scores = {await make.score(make.keys.active, id) for id, _ in (one, two, three)}
    assert len(scores) == 1
    assert None not in scores


async def test_a_reaped_lease_is_never_brought_back_and_its_job_can_be_claimed(
    jobs: emq.Jobs, make: Maker
) -> None:
    claim = await make.reaped()

    await jobs.extend_locks([(claim.id, claim.token)], 600_000)

    assert await jobs.counts() == emq.Counts(1, 0, 0, 0)
    assert await jobs.claim() == emq.Claim(claim.id, claim.payload, 2)


async def test_five_thousand_leases_are_extended_and_the_dead_among_them_named(jobs: emq.Jobs) -> None:
    # given 5,000 leases, every hundredth completed
    many = ids(5_000)
    await jobs.enqueue_many([(id, b"") for id in many])
    assert len(await jobs.claim_batch(5_000)) == 5_000
    done = many[::100]
    await jobs.complete_many([(id, 1) for id in done])

    assert await jobs.extend_locks([(id, 1) for id in many], 600_000) == done


async def test_one_script_call_of_five_thousand_pairs_does_not_overflow(jobs: emq.Jobs, make: Maker) -> None:
    many = ids(5_000)
    await jobs.enqueue_many([(id, b"") for id in many])
    await jobs.claim_batch(5_000)
    words = [word for id in many for word in (id, "1")]

    failed = await make.conn.run(
        script("extend_locks"), (make.keys.active, make.keys.base), ("600000", *words)
    )

    assert failed == []
    first = await make.score(make.keys.active, many[0])
    assert first == await make.score(make.keys.active, many[-1])


async def test_extending_nothing_is_nothing(jobs: emq.Jobs, conn: emq.Connector) -> None:
    await conn.close()

    assert await jobs.extend_locks([], 5_000) == []


async def test_a_key_that_is_no_row_fails_alone_in_a_batch_and_is_an_error_alone(
    jobs: emq.Jobs, make: Maker
) -> None:
    broken, live = ids(1)[0], await make.active()
    await make.conn.command("SET", make.keys.job(broken), "x")

    assert await jobs.extend_locks([(broken, 1), (live.id, 1)], 600_000) == [broken]
    with pytest.raises(emq.ServerRefused) as refused:
        await jobs.extend_lock(broken, 1, 600_000)
    assert refused.value.code == "WRONGTYPE"


async def test_one_malformed_id_means_that_nothing_was_sent(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.active()
    was = await make.score(make.keys.active, claim.id)

    with pytest.raises(emq.MalformedId):
        await jobs.extend_locks([(claim.id, 1), ("nonsense", 1)], 600_000)

    assert await make.score(make.keys.active, claim.id) == was


@pytest.mark.parametrize("lease_ms", [0, -1, 1.5, True, 10**15])
async def test_a_lease_out_of_range_is_refused_before_anything_is_sent(
    jobs: emq.Jobs, make: Maker, lease_ms: int
) -> None:
    claim = await make.active()

    with pytest.raises(emq.MalformedArgument):
        await jobs.extend_lock(claim.id, 1, lease_ms)
    with pytest.raises(emq.MalformedArgument):
        await jobs.extend_locks([(claim.id, 1)], lease_ms)


@pytest.mark.parametrize("lease", ["0", "1e3", " 5", "05", "-1", "", "0x10"])
async def test_the_scripts_take_a_lease_of_digits_only(make: Maker, lease: str) -> None:
    claim = await make.active()
    k = make.keys
    was = await make.score(k.active, claim.id)

    for verb, keys, args in (
        ("extend_lock", (k.active, k.job(claim.id)), (claim.id, "1", lease)),
        ("extend_locks", (k.active, k.base), (lease, claim.id, "1")),
    ):
        with pytest.raises(emq.ServerRefused) as refused:
            await make.conn.run(script(verb), keys, args)
        assert refused.value.code == "EMQARG"

    assert await make.score(k.active, claim.id) == was


async def test_the_batch_script_refuses_a_shape_that_is_not_its_own(make: Maker) -> None:
    claim = await make.active()
    k = make.keys
    was = await make.score(k.active, claim.id)

    for keys, args in (
        ((k.active, k.base), ("600000", claim.id)),
        ((k.active, k.base), ("600000", claim.id, "1", claim.id)),
        ((k.pending, k.base), ("600000", claim.id, "1")),
        ((k.active, k.base, k.meta), ("600000", claim.id, "1")),
    ):
        with pytest.raises(emq.ServerRefused) as refused:
            await make.conn.run(script("extend_locks"), keys, args)
        assert refused.value.code == "EMQARG"

    assert await make.score(k.active, claim.id) == was


async def test_a_token_is_compared_as_text(make: Maker) -> None:
    claim = await make.active()
    k = make.keys

    for token in ("01", "1.0", " 1", "1e0"):
        assert await make.conn.run(
            script("extend_locks"), (k.active, k.base), ("600000", claim.id, token)
        ) == [claim.id.encode()]


async def test_a_lane_job_is_extended_like_any_other(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.lane_active("PRT0KHTxoFhxxo")

    assert await jobs.extend_locks([(claim.id, claim.token)], 5_000) == []
    assert await make.in_flight("PRT0KHTxoFhxxo") == 1
