"""The client: native commands where every primary has them, scripts elsewhere, and it always says which ran."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import emq
from emq.executors import is_missing
from emq.resp import ServerError
from tests.emq.core.makers import Maker, ids, live_through
from tests.emq.core.test_extend import TABLE
from tests.emq.native.raw import Raw
from tests.servers import ServerProcess

WIRES: list[emq.executors.Wire] = [4, 6, "auto"]


@pytest.fixture(params=WIRES, ids=["scripts", "native", "auto"])
async def conn(shared: ServerProcess, request: pytest.FixtureRequest) -> AsyncIterator[emq.Connector]:
    """A connector of each wire in turn to a server with the module."""
    async with await emq.connect(shared.url, wire=request.param) as conn:
        yield conn


@pytest.mark.parametrize(("state", "error"), TABLE)
async def test_every_wire_gives_the_same_answers(
    conn: emq.Connector, queue: str, state: str, error: type[emq.EmqError] | None
) -> None:
    jobs, make = emq.Jobs(conn, queue), Maker(conn, queue)
    claim: emq.Claim = await getattr(make, state)()

    failed = await jobs.extend_locks([(claim.id, claim.token)], 600_000)
    assert failed == ([] if error is None else [claim.id])
    if error is None:
        await jobs.extend_lock(claim.id, claim.token, 600_000)
    else:
        with pytest.raises(error):
            await jobs.extend_lock(claim.id, claim.token, 600_000)
    assert conn.executor == ("scripts" if conn.wire == 4 else "native")


async def test_keys_that_are_no_rows_fail_alone_between_the_others(conn: emq.Connector, queue: str) -> None:
    # given broken keys among live leases and gone jobs
    jobs, make = emq.Jobs(conn, queue), Maker(conn, queue)
    live = [await make.active() for _ in range(3)]
    gone, one, two = ids(3)
    for id in (one, two):
        await conn.command("SET", make.keys.job(id), "x")
    held = [
        (one, 1),
        (live[0].id, 1),
        (gone, 1),
        (one, 1),
        (live[1].id, 9),
        (live[1].id, 1),
        (two, 1),
        (live[2].id, 1),
    ]

    # when all are extended
    failed = await jobs.extend_locks(held, 600_000)

    # then only what could not be is named, in order
    assert failed == [one, gone, one, live[1].id, two]
    for claim in live:
        assert (await make.score(make.keys.active, claim.id) or 0) > await make.server_ms() + 500_000


async def test_an_active_set_that_is_none_is_an_error(conn: emq.Connector, queue: str) -> None:
    await conn.command("SET", emq.Keyspace(queue).active, "x")

    with pytest.raises(emq.ServerRefused) as refused:
        await emq.Jobs(conn, queue).extend_locks([(id, 1) for id in ids(3)], 5_000)
    assert refused.value.code == "WRONGTYPE"


@pytest.mark.parametrize("protocol", [2, 3])
async def test_a_server_with_the_module_runs_it_without_being_told(
    own: ServerProcess, queue: str, protocol: int
) -> None:
    await live_through(f"{own.url}&protocol={protocol}", queue)

    calls = own.calls()
    assert (calls["emq.extend"], calls["emq.extends"]) == (1, 1)


async def test_the_server_is_asked_once_however_much_is_extended(own: ServerProcess, queue: str) -> None:
    async with await emq.connect(own.url) as conn:
        jobs = emq.Jobs(conn, queue)
        await jobs.enqueue_many([(id, b"") for id in ids(50)])
        assert "command|info" not in own.calls()
        claims = await jobs.claim_batch(50)

        held = [(claim.id, claim.token) for claim in claims]
        await asyncio.gather(*(jobs.extend_locks(held, 5_000) for _ in range(20)))

    assert own.calls()["command|info"] == 1
    assert own.calls()["emq.extends"] == 20


async def test_a_server_without_the_module_runs_scripts(real_server_url: str, queue: str) -> None:
    async with await emq.connect(real_server_url) as conn:
        claim = await Maker(conn, queue).active()
        assert await emq.Jobs(conn, queue).extend_locks([(claim.id, 1)], 5_000) == []
        assert conn.executor == "scripts"


async def test_native_commands_that_are_not_there_are_one_sentence(server_url: str) -> None:
    with pytest.raises(emq.NoNative, match="emq native load"):
        await emq.connect(server_url, wire=6)


async def test_a_module_that_goes_away_is_made_up_for_and_not_asked_for_again(
    own: ServerProcess, module, queue: str
) -> None:
    # given
    async with await emq.connect(own.url) as conn:
        jobs, claims = emq.Jobs(conn, queue), [await Maker(conn, queue).active() for _ in range(3)]
        held = [(claim.id, claim.token) for claim in claims]
        assert await jobs.extend_locks([*held, (held[0][0], 9)], 5_000) == [held[0][0]]
        assert conn.executor == "native"

        # when it is unloaded, then the very next calls are scripts, with the same answers
        own.command("MODULE", "UNLOAD", "emq")
        assert await jobs.extend_locks([*held, (held[0][0], 9)], 5_000) == [held[0][0]]
        assert conn.executor == "scripts"
        await jobs.extend_lock(*held[0], 5_000)

        # and they stay that on this connection, even when it is back
        own.command("MODULE", "LOAD", str(module))
        await jobs.extend_lock(*held[0], 5_000)
        assert conn.executor == "scripts"
    assert "emq.extends" not in own.calls()

    async with await emq.connect(own.url) as conn:
        await emq.Jobs(conn, queue).extend_lock(*held[0], 5_000)
        assert conn.executor == "native"


async def test_a_forced_native_connection_says_so_when_the_module_goes_away(
    own: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own.url, wire=6) as conn:
        claim = await Maker(conn, queue).active()
        own.command("MODULE", "UNLOAD", "emq")

        with pytest.raises(emq.NoNative):
            await emq.Jobs(conn, queue).extend_locks([(claim.id, 1)], 5_000)


async def test_a_restarted_server_is_looked_at_again(own: ServerProcess, queue: str) -> None:
    # given a connection that extends natively
    with_module = own.options
    async with await emq.connect(own.url) as conn:
        jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()
        await jobs.extend_lock(claim.id, 1, 60_000)
        assert conn.executor == "native"

        # when the server comes back without the module, and then with it
        own.options = ()
        own.restart()
        await jobs.extend_lock(claim.id, 1, 60_000)
        assert conn.executor == "scripts"
        own.options = with_module
        own.restart()
        await jobs.extend_lock(claim.id, 1, 60_000)
        await jobs.extend_lock(claim.id, 1, 60_000)

        # then that is found out
        assert conn.executor == "native"


async def test_a_user_without_the_right_to_the_commands_is_served_by_scripts(
    shared: ServerProcess, raw: Raw, queue: str
) -> None:
    raw.ask("ACL", "SETUSER", queue, "on", ">secret", "+@all", "-emq.extend", "-emq.extends", "~*", "&*")
    url = f"{shared.url}&username={queue}&password=secret"
    async with await emq.connect(url) as conn:
        jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()

        await jobs.extend_lock(claim.id, 1, 5_000)

        assert conn.executor == "scripts"
    raw.ask("ACL", "DELUSER", queue)


async def test_a_user_who_may_not_ask_is_served_by_scripts(
    shared: ServerProcess, raw: Raw, queue: str
) -> None:
    raw.ask("ACL", "SETUSER", queue, "on", ">secret", "+@all", "-command", "~*", "&*")
    async with await emq.connect(f"{shared.url}&username={queue}&password=secret") as conn:
        jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()

        assert await jobs.extend_locks([(claim.id, 1)], 5_000) == []

        assert conn.executor == "scripts"
    raw.ask("ACL", "DELUSER", queue)


@pytest.mark.parametrize(
    ("code", "message", "missing"),
    [
        ("ERR", "unknown command 'EMQ.EXTENDS', with args beginning with: '2' ", True),
        ("ERR", "unknown command `EMQ.EXTENDS`, with args beginning with: `2`, ", True),
        ("ERR", "Unknown command", True),
        ("NOPERM", "this user has no permissions to run the 'emq.extends' command", True),
        ("NOPERM", "User default has no permissions to run the 'emq.extends' command", True),
        ("NOPERM", "this user may not write a job's row", False),
        ("NOPERM", "No permissions to access a key", False),
        ("ERR", "EMQ.EXTENDS wrong number of arguments", False),
        ("EMQARG", "unknown command", False),
    ],
)
def test_which_errors_mean_that_the_command_is_not_there(code: str, message: str, missing: bool) -> None:
    assert is_missing("EMQ.EXTENDS", ServerError.read(f"{code} {message}")) is missing


def test_a_native_error_keeps_its_class() -> None:
    assert ServerError.read("ERR EMQ.EXTENDS wrong number of arguments").code == "ERR"


@pytest.mark.parametrize(("wire", "executor"), [("auto", "native"), (6, "native"), (4, "scripts")])
async def test_a_worker_keeps_its_leases_as_its_connector_does_and_says_how(
    shared: ServerProcess, queue: str, wire: emq.executors.Wire, executor: str
) -> None:
    async with await emq.connect(shared.url, wire=wire) as conn:
        # given a job that takes two leases
        await emq.Jobs(conn, queue).enqueue(emq.mint("JOB"), b"")
        held: list[bool] = []

        async def slowly(job: emq.HeldJob) -> None:
            await asyncio.sleep(6)
            held.append(job.lease.held)
            worker.stop()

        worker = emq.Worker(conn, queue, each=slowly, options=emq.WorkerOptions(lease_ms=3_000))

        # when it is worked on
        await asyncio.wait_for(worker.run(), 60)

        # then its lease was kept, in the way that the stats name
        assert held == [True]
        assert (worker.stats.completed, worker.stats.lost) == (1, 0)
        assert worker.stats.executor == executor
        beats = worker.stats.leases
        assert {"native": beats.native >= 3, "scripts": beats.scripts >= 3} == {
            "native": executor == "native",
            "scripts": executor == "scripts",
        }
