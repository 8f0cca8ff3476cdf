"""The `emq` command: every verb on a real queue, as a person reads it and as a program does; errors in a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
import typer

import emq
from emq.cli import app, main
from tests.emq.core.makers import Maker, ids
from tests.emq.lanes.books import A, B, fill, keys_of

Run = Callable[..., Awaitable["Done"]]


@pytest.fixture
async def real_conn(redis7_url: str) -> Any:
    async with await emq.connect(redis7_url) as conn:
        yield conn


@pytest.fixture
def made(real_conn: emq.Connector, queue: str) -> Maker:
    return Maker(real_conn, queue)


@dataclass
class Done:
    """What a run of the command printed."""

    stdout: str
    stderr: str


def run_here(arguments: tuple[str, ...], input: str | io.StringIO, code: int) -> Done:
    """Run the command's own entry in this process, as the shell would."""
    out, err, ended = io.StringIO(), io.StringIO(), 0
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["emq", *arguments], io.StringIO(input) if isinstance(input, str) else input
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as exit:
        ended = int(exit.code or 0)
    finally:
        sys.argv, sys.stdin = before
    assert ended == code, err.getvalue()
    return Done(out.getvalue(), err.getvalue())


@pytest.fixture
def emq_(redis7_url: str, queue: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `emq VERB QUEUE ...` against the server."""
    for name, value in {"REDIS_URL": redis7_url, "COLUMNS": "160", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)

    async def run(verb: str, *more: str, input: str | io.StringIO = "", code: int = 0) -> Done:
        return await asyncio.to_thread(run_here, (verb, queue, *more), input, code)

    return run


def lines(done: Done) -> list[dict[str, Any]]:
    """The JSON objects that were printed."""
    return [json.loads(line) for line in done.stdout.splitlines()]


async def test_stats_tell_of_every_state_and_of_a_pause(emq_: Run, made: Maker, queue: str) -> None:
    lanes, admin = emq.Lanes(made.conn, queue), emq.Admin(made.conn, queue)
    await made.dead()
    await made.waiting()
    await fill(lanes, A, 3)
    await admin.pause()

    (found,) = lines(await emq_("stats", "--json"))
    shown = (await emq_("stats")).stdout

    assert found["queue"] == queue
    assert (found["pending"], found["in_lanes"], found["dead"], found["failed"]) == (1, 3, 1, 1)
    assert found["paused"] is True
    assert 0 <= found["oldest_ms"]["dead"] < 600_000
    assert f"{queue} (paused)" in shown
    assert "in_lanes" in shown


async def test_peek_shows_what_comes_next_and_claims_nothing(emq_: Run, made: Maker, queue: str) -> None:
    first, second = await made.waiting(b"one"), await made.waiting("zwei 🍎".encode())
    (lane,) = await fill(emq.Lanes(made.conn, queue), A, 1)

    assert [job["id"] for job in lines(await emq_("peek", "--json"))] == [lane, first, second]
    assert [job["payload"] for job in lines(await emq_("peek", "--json", "-n", "2"))][1] == "one"
    assert [job["id"] for job in lines(await emq_("peek", "--json", "--lane", A))] == [lane]
    assert "zwei 🍎" in (await emq_("peek")).stdout
    assert await made.members(made.keys.pending) == [first, second]


async def test_peek_takes_lanes_in_turn_and_leaves_those_out_that_are_not_served(
    emq_: Run, made: Maker, queue: str
) -> None:
    # given lanes of which one is paused, and a job outside of them
    lanes = emq.Lanes(made.conn, queue)
    a, b = await fill(lanes, A, 3), await fill(lanes, B, 1)
    await fill(lanes, emq.group("PLR", 77), 1)
    await lanes.pause(emq.group("PLR", 77))
    flat = await made.waiting()

    assert [job["id"] for job in lines(await emq_("peek", "--json"))] == [a[0], flat, b[0], a[1], a[2]]
    assert [job["id"] for job in lines(await emq_("peek", "--json", "-n", "3"))] == [a[0], flat, b[0]]
    assert A in (await emq_("peek")).stdout


async def test_job_shows_a_row_and_its_log_and_says_when_there_is_none(
    emq_: Run, made: Maker, queue: str
) -> None:
    claim = await made.active()
    await emq.Admin(made.conn, queue).add_log(claim.id, "half way")

    (found,) = lines(await emq_("job", claim.id, "--json"))
    assert (found["state"], found["attempts"], found["payload"], found["log"]) == (
        "active",
        "1",
        "x",
        ["half way"],
    )
    assert "half way" in (await emq_("job", claim.id)).stdout

    missing = await emq_("job", ids(1)[0], code=1)
    assert missing.stdout == ""
    assert "was completed or removed" in missing.stderr


async def test_dead_letters_are_listed_requeued_and_removed(emq_: Run, made: Maker, queue: str) -> None:
    # given three dead jobs and one that waits
    letters = emq.DeadLetters(made.conn, queue)
    one, two, three = [(await made.dead()).id for _ in range(3)]
    waiting = await made.waiting()

    assert [letter["id"] for letter in lines(await emq_("dead", "--json"))] == [one, two, three]
    assert [letter["id"] for letter in lines(await emq_("dead", "--json", "--after", one, "-n", "1"))] == [
        two
    ]
    assert two in (await emq_("dead")).stdout

    # when one is requeued, and one that is not dead
    done = await emq_("requeue", one, waiting, code=1)
    assert done.stdout == f"{one} requeued\n"
    assert done.stderr == f"emq: {waiting} not dead\n"

    # when one is removed, and all that are left requeued
    await emq_("remove", two, "--yes")
    await emq_("requeue", "--all")
    assert await letters.count() == 0
    assert await made.members(made.keys.pending) == sorted([one, three, waiting])
    assert (await emq_("requeue", code=2)).stdout == ""


async def test_a_job_that_is_gone_cannot_be_removed_and_the_others_are(emq_: Run, made: Maker) -> None:
    there, gone = await made.waiting(), ids(1)[0]

    done = await emq_("remove", gone, there, "--yes", code=1)

    assert done.stdout == f"{there} removed\n"
    assert done.stderr.startswith(f"emq: {gone} has no row")


async def test_the_dead_are_purged_by_age(emq_: Run, made: Maker, queue: str) -> None:
    old, new = (await made.dead()).id, (await made.dead()).id
    await made.conn.command("HSET", made.keys.job(old), "dead_at", 1_000)

    assert (await emq_("purge", "--older", "7d", "--yes")).stdout == f"1 dead jobs of {queue} removed\n"
    assert await made.members(made.keys.dead) == [new]
    assert "as in 7d" in (await emq_("purge", "--older", "soon", "--yes", code=2)).stderr


async def test_a_queue_and_a_lane_are_paused_and_resumed(emq_: Run, made: Maker, queue: str) -> None:
    admin, lanes = emq.Admin(made.conn, queue), emq.Lanes(made.conn, queue)
    await fill(lanes, A, 1)

    await emq_("pause")
    assert await admin.paused()
    await emq_("resume")
    assert not await admin.paused()
    await emq_("pause", "--lane", A)
    assert await lanes.claim() is None
    await emq_("resume", "--lane", A)
    assert await lanes.claim() is not None


async def test_lanes_are_listed_the_deepest_first_with_what_holds_them(
    emq_: Run, made: Maker, queue: str
) -> None:
    lanes = emq.Lanes(made.conn, queue)
    await fill(lanes, A, 2)
    await fill(lanes, B, 5)
    await lanes.pause(B)
    await emq_("limit", A, "1")
    await lanes.claim()

    found = lines(await emq_("lanes", "--json"))

    assert found == [
        {"group": B, "depth": 5, "in_flight": 0, "limit": None, "weight": 1, "paused": True},
        {"group": A, "depth": 1, "in_flight": 1, "limit": 1, "weight": 1, "paused": False},
    ]
    shown = (await emq_("lanes")).stdout.splitlines()
    assert [{B, "yes"} <= set(row.split()) for row in shown if B in row] == [True]
    assert [{A, "no"} <= set(row.split()) for row in shown if A in row] == [True]
    await emq_("limit", A, "0")
    assert await lanes.claim() is not None


async def test_what_became_of_each_job_is_an_object_a_line(emq_: Run, made: Maker) -> None:
    # given two dead jobs, one that waits, and one that is nowhere
    one, two = (await made.dead()).id, (await made.dead()).id
    waiting, gone = await made.waiting(), ids(1)[0]

    # when, then: those with which it did not work are told too, and the exit code says so
    requeued = await emq_("requeue", one, waiting, gone, "--json", code=1)
    assert lines(requeued) == [
        {"id": one, "outcome": "requeued"},
        {"id": waiting, "outcome": "not dead"},
        {"id": gone, "outcome": "gone"},
    ]
    assert requeued.stderr.startswith("emq: ")
    assert lines(await emq_("requeue", "--all", "--json")) == [{"id": two, "outcome": "requeued"}]
    assert lines(await emq_("remove", one, gone, "--json", code=1)) == [
        {"id": one, "outcome": "removed"},
        {"id": gone, "outcome": "gone"},
    ]


async def test_what_became_of_a_queue_or_a_lane_is_an_object(emq_: Run, made: Maker, queue: str) -> None:
    # given
    dead = (await made.dead()).id
    await made.conn.command("HSET", made.keys.job(dead), "dead_at", 1_000)
    await made.waiting()
    await fill(emq.Lanes(made.conn, queue), A, 3)
    the_queue, the_lane = {"queue": queue, "lane": None}, {"queue": queue, "lane": A}
    said = [
        (("pause",), {**the_queue, "outcome": "paused"}),
        (("resume",), {**the_queue, "outcome": "served"}),
        (("pause", "--lane", A), {**the_lane, "outcome": "paused"}),
        (("resume", "--lane", A), {**the_lane, "outcome": "served"}),
        (("limit", A, "2"), {**the_lane, "outcome": "limited", "limit": 2}),
        (("limit", A, "0"), {**the_lane, "outcome": "unlimited", "limit": None}),
        (("purge", "--older", "7d"), {**the_queue, "outcome": "removed", "jobs": 1}),
        (("drain", "--lane", A), {**the_lane, "outcome": "removed", "jobs": 3}),
        (("drain",), {**the_queue, "outcome": "removed", "jobs": 1}),
        (("pause",), {**the_queue, "outcome": "paused"}),
        (("obliterate", "--yes"), {**the_queue, "outcome": "gone"}),
    ]

    # when, then
    for words, object in said:
        assert lines(await emq_(*words, "--json")) == [object]


async def test_every_verb_that_looks_or_changes_speaks_json() -> None:
    for verb in typer.main.get_command(app).commands.values():  # type: ignore[attr-defined]
        if not hasattr(verb, "commands"):
            assert any("--json" in option.opts for option in verb.params), verb.name


class Terminal(io.StringIO):
    """An input that a person types."""

    def isatty(self) -> bool:
        return True


async def test_what_cannot_be_undone_asks_a_person_first(emq_: Run, made: Maker, queue: str) -> None:
    # given jobs, and somebody at a terminal who says no
    id = await made.waiting()
    for verb in (("drain",), ("remove", id), ("purge", "--older", "1s"), ("obliterate",)):
        await emq_(*verb, input=Terminal("n\n"), code=1)
    assert await made.members(made.keys.pending) == [id]

    # when the answer is yes, or nobody is there to be asked, or it was said before
    assert f"1 jobs of {queue} removed" in (await emq_("drain", input=Terminal("y\n"))).stdout
    await made.waiting()
    await fill(emq.Lanes(made.conn, queue), A, 2)
    assert f"1 jobs of {queue} removed" in (await emq_("drain", "--no-lanes")).stdout
    assert f"2 jobs of {queue} removed" in (await emq_("drain", "--yes")).stdout


async def test_an_obliteration_asks_everybody_and_wants_a_pause(emq_: Run, made: Maker, queue: str) -> None:
    await made.waiting()
    await emq_("obliterate", code=1)
    await emq_("obliterate", input="n\n", code=1)
    assert "not paused" in (await emq_("obliterate", "--yes", code=1)).stderr
    await emq_("pause")

    await emq_("obliterate", "--yes")

    assert await keys_of(made.conn, queue) == []


async def test_watch_shows_depth_age_rates_and_lanes(emq_: Run, made: Maker, queue: str) -> None:
    await made.waiting()
    await fill(emq.Lanes(made.conn, queue), A, 2)

    seen = lines(await emq_("watch", "--json", "--looks", "2", "--every", "0.05"))
    shown = (await emq_("watch", "--looks", "1")).stdout

    assert len(seen) == 2
    assert (seen[1]["pending"], seen[1]["lanes"], seen[1]["completed_per_s"]) == (1, {A: 2}, 0.0)
    for word in (queue, "oldest", "completed/s", "overdue", A):
        assert word in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stats", "--url", "redis://127.0.0.1:1"), "Is it running"),
        (("stats", "--url", "http://x"), "redis://"),
        (("job", "nobody"), "is not a branded id"),
        (("pause", "--lane", "nobody"), "is not a branded id"),
    ],
)
async def test_an_error_is_one_sentence_without_a_traceback(
    emq_: Run, arguments: tuple[str, ...], words: str
) -> None:
    done = await emq_(*arguments, code=1)

    assert done.stdout == ""
    assert done.stderr.startswith("emq: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stats",), "argument 'queue'; see emq stats --help"),
        (("nope",), "No such command 'nope'; see emq --help"),
        (("peek", "q", "-n", "0"), "greater than or equal to 1; see emq peek --help"),
        (("requeue", "q"), "name some jobs, or say --all; see emq requeue --help"),
        (("native", "nope"), "No such command 'nope'; see emq native --help"),
    ],
)
def test_what_was_typed_wrong_is_one_sentence_too(arguments: tuple[str, ...], words: str) -> None:
    done = run_here(arguments, "", 2)

    assert done.stdout == ""
    assert done.stderr.startswith("emq: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_who_says_no_is_told_that_nothing_was_done() -> None:
    done = run_here(("obliterate", "q"), "n\n", 1)

    assert done.stderr.endswith("emq: nothing was done\n")


def test_the_version_is_told() -> None:
    assert run_here(("--version",), "", 0).stdout == "emq 0.1.0, wire protocol echomq:3.0.0\n"


def test_a_queue_that_cannot_be_is_refused(redis7_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from emq.cli import main; main()", "stats", "no such queue", "--url", redis7_url],
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot name a queue" in done.stderr


def test_help_names_every_verb_and_completion_is_offered() -> None:
    help = subprocess.run(
        [sys.executable, "-c", "from emq.cli import main; main()", "--help"],
        capture_output=True, text=True, timeout=200, check=True,
    ).stdout  # fmt: skip

    for verb in (
        "stats", "peek", "job", "dead", "requeue", "remove", "purge", "pause", "resume", "limit", "drain",
        "obliterate", "lanes", "watch", "--install-completion",
    ):  # fmt: skip
        assert verb in help
