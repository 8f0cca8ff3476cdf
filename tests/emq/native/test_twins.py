"""The scripts and the native commands are one transition each: on the same state they answer and leave the same.

`EMQ_CASES` says how many random cases each server gets; 2,000 without it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.emq.core.constellations import wait_for
from tests.emq.native.conftest import server_with
from tests.emq.native.raw import Raw
from tests.emq.native.states import Call, Commands, State, row_key, some_call, some_ids, some_state, told
from tests.servers import Kind, ServerProcess

CASES = int(os.environ.get("EMQ_CASES", "2000"))
AT_ONCE = 50


@dataclass
class Case:
    """One state, one call, and what either executor made of them."""

    number: int
    state: State
    call: Call
    queue: str

    def base(self, executor: str) -> str:
        return f"emq:{{{self.queue}.{self.number}.{executor}}}:"

    def command(self, executor: str) -> tuple[Any, ...]:
        base = self.base(executor)
        return self.call.as_script(base) if executor == "s" else self.call.as_native(base)


@dataclass
class Outcome:
    """A reply, the queue before and after it, and the server's clock around it."""

    reply: Any
    before: dict[str, Any]
    after: dict[str, Any]
    window: tuple[int, int]

    def extended(self, lease: Any) -> dict[bytes, int]:
        """The members that were re-scored: id to deadline."""
        scores, low, high = self.after["active"], *self.window
        if not isinstance(scores, dict):
            return {}
        ends = {id: int(float(score)) for id, score in scores.items() if score != b"inf"}
        return {id: end for id, end in ends.items() if low + int(lease) <= end <= high + int(lease)}


def some_cases(seed: str, count: int, queue: str) -> Iterator[Case]:
    dice = random.Random(seed)
    for number in range(count):
        ids = some_ids(dice)
        state = some_state(dice, ids)
        yield Case(number, state, some_call(dice, ids, state), queue)


def read(case: Case, replies: list[Any]) -> dict[str, Any]:
    """What a look found, by the part of the queue."""
    scores, dumped, *rows = replies
    found: dict[str, Any] = {"active": dumped}
    if isinstance(scores, list):
        found["active"] = dict(zip(scores[::2], scores[1::2], strict=True))
    for at, id in enumerate(case.state.rows):
        fields, dumped = rows[2 * at : 2 * at + 2]
        is_hash = isinstance(fields, list)
        found[repr(id)] = dict(zip(fields[::2], fields[1::2], strict=True)) if is_hash else dumped
    return found


def run(cases: list[Case], maker: Raw, caller: Raw, executor: str) -> list[Outcome]:
    """Make every state, look, call, look again, one executor on a queue of its own for each case."""
    made: Commands = []
    calls: Commands = []
    for case in cases:
        made += case.state.commands(case.base(executor))
        calls += [("TIME",), case.command(executor), ("TIME",)]
    maker.flush(made or [("PING",)])
    before = [read(case, maker.flush(case.state.look(case.base(executor)))) for case in cases]
    replies = caller.flush(calls)
    outcomes = []
    for at, case in enumerate(cases):
        first, reply, last = replies[3 * at : 3 * at + 3]
        after = read(case, maker.flush(case.state.look(case.base(executor))))
        outcomes.append(Outcome(reply, before[at], after, (_ms(first), _ms(last))))
    return outcomes


def forget(cases: list[Case], maker: Raw) -> None:
    keys: list[Any] = []
    for case in cases:
        for base in (case.base("s"), case.base("n")):
            keys += [base + "active", *(row_key(base, id) for id in case.state.rows)]
    maker.ask("DEL", *keys)


def _ms(time: list[bytes]) -> int:
    return int(time[0]) * 1000 + int(time[1]) // 1000


def compare(case: Case, script: Outcome, twin: Outcome, run_id: bytes) -> str:
    """Check that both did the same; returns what that was, for the counts."""
    told_by = f"case {case.number}: {case.call}\n{case.state}\n{script.reply!r} {twin.reply!r}"
    assert script.before == {**twin.before}, told_by
    answer, expected = told(twin.reply), told(script.reply)
    if answer == "!ERR":  # a command has an arity, a script has not
        assert "wrong number of arguments" in twin.reply.message, told_by
        assert expected in ("!EMQARG", "!ERR"), told_by
    else:
        assert answer == expected, told_by
    if str(answer).startswith("!"):
        assert script.after == script.before, told_by
        assert twin.after == twin.before, told_by
        return str(answer)
    lease = case.call.args[2] if case.call.single else case.call.args[0]
    extended, twin_extended = script.extended(lease), twin.extended(lease)
    assert extended.keys() == twin_extended.keys(), told_by
    assert len(set(extended.values())) <= 1, told_by
    assert len(set(twin_extended.values())) <= 1, told_by
    for part, was in script.before.items():
        if part == "active" and isinstance(was, dict):
            untouched = {id: score for id, score in was.items() if id not in extended}
            assert {id: score for id, score in script.after[part].items() if id not in extended} == untouched
            assert {id: score for id, score in twin.after[part].items() if id not in extended} == untouched
        else:
            assert script.after[part] == was, told_by
            assert _unstamped(twin.after[part]) == _unstamped(was), told_by
    stamped = {
        part
        for part, row in twin.after.items()
        if isinstance(row, dict) and row.get(b"lease_epoch") == run_id
    }
    assert stamped == {repr(id) for id in case.state.rows if _raw(id) in extended}, told_by
    return f"{len(extended)} extended" if extended else "none extended"


def _unstamped(row: Any) -> Any:
    return (
        {name: value for name, value in row.items() if name != b"lease_epoch"}
        if isinstance(row, dict)
        else row
    )


def _raw(id: Any) -> bytes:
    return id if isinstance(id, bytes) else str(id).encode()


Compare = Callable[[Case, Outcome, Outcome, bytes], str]


def both(maker: Raw, caller: Raw, cases: Iterator[Case], judge: Compare) -> Counter[str]:
    """Run all cases with both executors; how often each answer was given."""
    run_id, seen = maker.run_id(), Counter[str]()
    while batch := [case for _, case in zip(range(AT_ONCE), cases, strict=False)]:
        scripts, natives = run(batch, maker, caller, "s"), run(batch, maker, caller, "n")
        for case, script, twin in zip(batch, scripts, natives, strict=True):
            seen[judge(case, script, twin, run_id)] += 1
        forget(batch, maker)
    return seen


@pytest.mark.timeout(1200)
def test_both_executors_answer_and_leave_the_same_on_random_states(
    shared: ServerProcess, raw: Raw, queue: str, kind: Kind
) -> None:
    seen = both(raw, raw, some_cases(f"twins {kind}", CASES, queue), compare)

    # then there was something of everything
    assert sum(seen.values()) == CASES
    assert {
        "!EMQARG",
        "!ERR",
        "!WRONGTYPE",
        "!EMQSTALE",
        "!EMQIDLE",
        "none extended",
        "1 extended",
    } <= seen.keys()


def test_a_server_out_of_memory_extends_leases_with_either(own: ServerProcess, queue: str) -> None:
    with Raw(own.socket_path) as raw, Raw(own.socket_path) as full:
        raw.load_scripts()
        flush = full.flush

        def flush_full(commands: Any) -> list[Any]:
            # given no memory left while the calls run
            raw.ask("CONFIG", "SET", "maxmemory", 1)
            assert raw.ask("SET", "x", "y").code == "OOM"
            try:
                return flush(commands)
            finally:
                raw.ask("CONFIG", "SET", "maxmemory", 0)

        full.flush = flush_full  # type: ignore[method-assign]

        seen = both(raw, full, some_cases("full", CASES // 10, queue), compare)

    assert "1 extended" in seen
    assert "!OOM" not in seen


def test_a_user_who_may_not_read_rows_is_refused_by_either(
    shared: ServerProcess, raw: Raw, queue: str
) -> None:
    raw.ask("ACL", "SETUSER", queue, "on", ">secret", "+@all", "~emq:*:active", "~emq:*}:")
    with Raw(shared.socket_path, user=queue) as stranger:
        seen = both(raw, stranger, some_cases("stranger", CASES // 10, queue), _compare_stranger)
    raw.ask("ACL", "DELUSER", queue)

    assert seen["!NOPERM"] > CASES // 20
    assert not [answer for answer in seen if answer[0] in "123456789"]


def _compare_stranger(case: Case, script: Outcome, twin: Outcome, run_id: bytes) -> str:
    """A key outside the user's patterns is refused with NOPERM before either looks at it."""
    answers = [str(told(script.reply)), str(told(twin.reply))]
    if answers[0] == answers[1] == "!NOPERM":
        assert (script.after, twin.after) == (script.before, twin.before)
        return "!NOPERM"
    if "!NOPERM" in answers and (case.call.numkeys != "2" or case.call.malformed):
        # The server checks the keys it knows of before either looks at anything: two, or as many as EVALSHA says.
        assert set(answers) <= {"!NOPERM", "!EMQARG", "!ERR"}
        return "!EMQARG"
    return compare(case, script, twin, run_id)


def test_a_user_who_may_only_read_rows_is_served_by_the_script_alone(
    shared: ServerProcess, raw: Raw, queue: str
) -> None:
    raw.ask("ACL", "SETUSER", queue, "on", ">secret", "+@all", "%R~emq:*:job:*", "~emq:*:active", "~emq:*}:")
    with Raw(shared.socket_path, user=queue) as reader:
        seen = both(raw, reader, some_cases("reader", CASES // 10, queue), _compare_reader)
    raw.ask("ACL", "DELUSER", queue)

    assert seen["NOPERM for the command"] > CASES // 100
    assert seen["none extended"] > 0


def _compare_reader(case: Case, script: Outcome, twin: Outcome, run_id: bytes) -> str:
    malformed = case.call.numkeys != "2" or case.call.malformed
    if malformed or told(twin.reply) != "!NOPERM" or told(script.reply) == "!NOPERM":
        return _compare_stranger(case, script, twin, run_id)
    # The command stamps what it extends, so it needs to write rows; it wrote none, and the script extended some.
    assert twin.after == twin.before
    assert not case.call.single  # the server itself guards its row, which is a declared key
    assert script.extended(case.call.args[0])
    return "NOPERM for the command"


def test_a_replica_refuses_to_extend_with_either(
    kind: Kind, module: Path, short_folder: Path, queue: str
) -> None:
    # given states on a primary, and a replica of it with the module
    primary = server_with(kind, short_folder / "p", module, "--port", "0").start()
    replica = server_with(kind, short_folder / "r", module).start()
    cases = list(some_cases("replica", CASES // 10, queue))
    with Raw(replica.socket_path) as raw:
        raw.load_scripts()
        for case in cases:
            for executor in "sn":
                raw.flush([*case.state.commands(case.base(executor)), ("PING",)])
        raw.ask("REPLICAOF", "127.0.0.1", "1")
        wait_for(lambda: b"role:slave" in raw.ask("INFO", "replication"))

        # when both executors are called there
        for case in cases:
            for executor in "sn":
                look = case.state.look(case.base(executor))
                before = raw.flush(look)
                answer = told(raw.ask(*case.command(executor)))

                # then nothing is written; the command is refused at once, the script where it would write
                assert raw.flush(look) == before
                if executor == "n":
                    assert answer == "!READONLY"
                else:
                    assert answer != 1
    primary.stop()
    replica.stop()
