"""The Lua files: each header says what its body does, and what its coroutine sends."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hiredis
import pytest

import emq
from emq.scripts import folder, script

VERBS = sorted(path.stem for path in folder().glob("*.lua"))
ID = "JOB0KHTOWnGLuA"
GROUP = "PRT0KHTxoFhxxo"
NEVER = datetime(2030, 1, 1, tzinfo=UTC)

WRITES = (
    r"'(?:HSET|HDEL|HINCRBY|ZADD|ZREM|DEL|LPUSH|RPUSH|LREM|LTRIM|SET|SADD|SREM|UNLINK|LPOP|ZPOPMIN|PERSIST)'"
)


@dataclass
class Header:
    """What a file promises: slots by number, keys it builds, what it answers."""

    title: str
    keys: dict[int, str] = field(default_factory=dict)
    args: dict[int, str] = field(default_factory=dict)
    built: set[str] = field(default_factory=set)
    replies: set[str] = field(default_factory=set)
    width: int = 0


def own_text(verb: str) -> str:
    return (folder() / f"{verb}.lua").read_text()


def body(text: str) -> str:
    """The code, without the header and the comments."""
    return re.sub(r"--.*", "", text.split("]]", 1)[1])


def header(verb: str) -> Header:
    comment = own_text(verb).split("]]", 1)[0].removeprefix("--[[\n")
    found, section = Header(comment.splitlines()[0]), ""
    for line in comment.splitlines()[1:]:
        start = re.match(r"(KEYS|ARGV|BUILT|REPLY) ", line)
        section = start[1] if start else (section if line.startswith("  ") else "")
        words = line[7:].split()
        if section in ("KEYS", "ARGV") and words and words[0].isdigit():
            (found.keys if section == "KEYS" else found.args)[int(words[0])] = words[1]
        elif section == "ARGV" and words:
            found.width = len(re.findall(r"\w+", re.split(r"  +", line[7:])[0])) - 1
        elif section == "BUILT":
            found.built.add(words[0])
        elif section == "REPLY":
            found.replies.add(words[0])
    return found


def built_keys(code: str) -> set[str]:
    """Every key made from a base: ``base .. 'g:' .. group .. ':pending'`` is ``g:<group>:pending``."""
    chains = re.findall(r"base((?: \.\. (?:'[^']*'|\w+))+)", code)
    names = set()
    for chain in chains:
        parts = re.findall(r"'([^']*)'|(\w+)", chain)
        names.add("".join(text or f"<{name}>" for text, name in parts))
    names |= {"wake"} if "string.sub(pending, 1, -8) .. 'wake'" in code else set()
    return names


def expand_metrics(names: set[str], code: str) -> set[str]:
    metrics = {f"metrics:{name}" for name in re.findall(r"count\(base, '(\w+)'", code)}
    return (names - {"metrics:<metric>"}) | metrics


@pytest.mark.parametrize("verb", VERBS)
def test_a_header_names_every_slot_in_order_and_the_body_takes_them_once(verb: str) -> None:
    head, code = header(verb), body(own_text(verb))

    assert head.title.startswith(f"{verb}: ")
    for word, slots in (("KEYS", head.keys), ("ARGV", head.args)):
        assert list(slots) == list(range(1, len(slots) + 1))
        if not slots:
            assert f"{word}[" not in code or (word == "ARGV" and head.width)
            continue
        names = ", ".join(slots.values())
        taken = ", ".join(f"{word}[{number}]" for number in slots)
        assert f"local {names} = {taken}\n" in code
        below = code.replace(f"local {names} = {taken}\n", "")
        assert not re.findall(rf"{word}\[\d", below), f"{verb} reads {word} by number below its first lines"
    assert bool(head.width) == ("#ARGV" in code)


@pytest.mark.parametrize("verb", VERBS)
def test_a_header_names_every_key_the_body_builds(verb: str) -> None:
    head, code = header(verb), body(script(verb).text)

    built = expand_metrics(built_keys(code), body(own_text(verb))) - set(head.keys.values())

    assert built == head.built


@pytest.mark.parametrize("verb", VERBS)
def test_a_header_names_every_reply_of_the_body(verb: str) -> None:
    head, code = header(verb), body(own_text(verb))

    errors = set(re.findall(r"error_reply\(['\"](\w+) ", code))
    values = {value.strip("'") for value in re.findall(r"return (-?\d+|'\w+')$", code, re.MULTILINE)}
    shaped = {reply for reply in head.replies if reply.startswith("{") or reply == "n"}

    assert errors | values == head.replies - shaped
    assert bool(shaped) == bool(re.search(r"return (\{|served|failed|verdicts|settlements)", code))


@pytest.mark.parametrize("verb", VERBS)
def test_refusals_come_before_the_first_write(verb: str) -> None:
    code = body(own_text(verb))
    helpers = (
        r"\b(?:admit|finish|finish_all|serve|serve_lanes|serve_round|take_up|hold|empty|take_out|keep_books|count|count_dropped|wake|pass_on"
        r"|ring_\w+)\("
    )
    first_write = min(
        (found.start() for found in re.finditer(f"{WRITES}|{helpers}", code)), default=len(code)
    )

    assert code.rfind("error_reply") < first_write


@pytest.mark.parametrize("verb", VERBS)
def test_a_script_reads_the_clock_once_and_uses_nothing_that_differs_between_servers(verb: str) -> None:
    text, code = script(verb).text, body(script(verb).text)

    assert not text.startswith("#!")
    assert "BLMOVE" not in code
    assert code.count("'TIME'") <= 1
    assert "-- include:" not in text
    assert not re.search(r"tonumber\((?:ARGV|lease|size|limit|delay|max|ms)\b", body(own_text(verb)))


def test_every_shared_block_is_used() -> None:
    included = {name for verb in VERBS for name in re.findall(r"-- include: (\w+)", own_text(verb))}

    assert included == {path.stem for path in (folder() / "shared").glob("*.lua")}


class Recorder:
    """Stands where a connector would, and keeps what a coroutine would have sent."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.sent: list[tuple[str, Sequence[str], Sequence[Any]]] = []

    async def run(self, script: emq.scripts.Script, keys: Sequence[str], args: Sequence[Any]) -> Any:
        self.sent.append((script.name, keys, args))
        return self.reply

    async def pipeline(self, commands: Sequence[Any]) -> list[Any]:
        return [0] * len(commands)

    async def flush(
        self, script: emq.scripts.Script, calls: Sequence[tuple[Any, Any]], unanswered: int | None = None
    ) -> list[Any]:
        for keys, args in calls:
            self.sent.append((script.name, keys, args))
        return [self.reply] * len(calls)

    async def flush_frames(self, script: emq.scripts.Script, key: str, frames: Sequence[bytes]) -> list[Any]:
        for frame in frames:
            reader = hiredis.Reader(encoding="utf-8")  # a command travels as a reply of many words does
            reader.feed(frame)
            verb, sha, count, *words = reader.gets()
            assert (verb, sha, reader.gets()) == ("EVALSHA", script.sha, False)
            assert emq.slot(key) == emq.slot(words[0])
            self.sent.append((script.name, words[: int(count)], words[int(count) :]))
        return [self.reply] * len(frames)


async def release_node(conn: Any) -> None:
    lease = emq.NodeLease(conn, 60, emq.Minter(0))
    lease.number = 7
    lease.keep()
    await lease.release()


def lanes(jobs: emq.Jobs) -> emq.Lanes:
    return emq.Lanes(jobs._conn, "cm")


def letters(jobs: emq.Jobs) -> emq.DeadLetters:
    return emq.DeadLetters(jobs._conn, "cm")


Call = Callable[[emq.Jobs, emq.Admin], Awaitable[Any]]

COROUTINES: list[tuple[str, str, Any, Call]] = [
    ("enqueue", "Jobs.enqueue", 1, lambda jobs, _: jobs.enqueue(ID, b"")),
    ("enqueue_many", "Jobs.enqueue_many", [1, 0], lambda jobs, _: jobs.enqueue_many([(ID, b"")] * 2)),
    ("schedule", "Jobs.enqueue_at", 1, lambda jobs, _: jobs.enqueue_at(ID, b"", 5)),
    ("claim", "Jobs.claim", [], lambda jobs, _: jobs.claim()),
    ("claim_batch", "Jobs.claim_batch", [], lambda jobs, _: jobs.claim_batch(5)),
    ("promote", "Jobs.promote", [0, 0, -1], lambda jobs, _: jobs.promote()),
    ("reap", "Jobs.reap", [0, 0], lambda jobs, _: jobs.reap()),
    ("complete", "Jobs.complete", 1, lambda jobs, _: jobs.complete(ID, 1)),
    ("complete_many", "Jobs.complete_many", [1, 0], lambda jobs, _: jobs.complete_many([(ID, 1)] * 2)),
    ("retry", "Jobs.retry", b"dead", lambda jobs, _: jobs.retry(ID, 1)),
    ("extend_lock", "Jobs.extend_lock", 1, lambda jobs, _: jobs.extend_lock(ID, 1, 5)),
    ("extend_locks", "Jobs.extend_locks", [], lambda jobs, _: jobs.extend_locks([(ID, 1), (ID, 1)], 5)),
    ("delay", "Jobs.delay", 1, lambda jobs, _: jobs.delay(ID, 1, delay_ms=5)),
    ("lane_enqueue", "Lanes.enqueue", 1, lambda jobs, _: lanes(jobs).enqueue(GROUP, ID, b"")),
    (
        "lane_enqueue_many",
        "Lanes.enqueue_many",
        [1, 0],
        lambda jobs, _: lanes(jobs).enqueue_many([(GROUP, ID, b"")] * 2),
    ),
    ("lane_schedule", "Lanes.enqueue_at", 1, lambda jobs, _: lanes(jobs).enqueue_at(GROUP, ID, b"", 5)),
    ("lane_claim", "Lanes.claim", [], lambda jobs, _: lanes(jobs).claim()),
    ("lane_claim", "Lanes.claim_batch", [], lambda jobs, _: lanes(jobs).claim_batch(5)),
    ("lane_claim_turn", "Lanes.claim_turn", [], lambda jobs, _: lanes(jobs).claim_turn()),
    ("claim_any", "Lanes.claim_any", [], lambda jobs, _: lanes(jobs).claim_any(5)),
    ("lane_pause", "Lanes.pause", 1, lambda jobs, _: lanes(jobs).pause(GROUP)),
    ("lane_resume", "Lanes.resume", 1, lambda jobs, _: lanes(jobs).resume(GROUP)),
    ("lane_limit", "Lanes.limit", 1, lambda jobs, _: lanes(jobs).limit(GROUP, 5)),
    ("lane_unlimit", "Lanes.unlimit", 1, lambda jobs, _: lanes(jobs).unlimit(GROUP)),
    ("lane_weight", "Lanes.weight", 1, lambda jobs, _: lanes(jobs).weight(GROUP, 5)),
    ("lane_reassign", "Lanes.reassign", 1, lambda jobs, _: lanes(jobs).reassign(ID, GROUP)),
    ("lane_drain", "Lanes.drain", [0, 0], lambda jobs, _: lanes(jobs).drain(GROUP)),
    ("lane_reap", "Lanes.reap_group", [0, 0], lambda jobs, _: lanes(jobs).reap_group(GROUP)),
    ("pause", "Admin.pause", 1, lambda _, admin: admin.pause()),
    ("counts", "Admin.counts", [0] * 8, lambda _, admin: admin.counts()),
    ("drain", "Admin.drain", [0, 0], lambda _, admin: admin.drain()),
    ("obliterate", "Admin.obliterate", [b"0", 1], lambda _, admin: admin.obliterate()),
    ("state", "Admin.state", b"lane", lambda _, admin: admin.state(ID)),
    ("update_data", "Admin.update_data", 1, lambda _, admin: admin.update_data(ID, b"")),
    ("update_progress", "Admin.update_progress", 1, lambda _, admin: admin.update_progress(ID, "")),
    ("add_log", "Admin.add_log", [1], lambda _, admin: admin.add_log(ID, "")),
    ("remove", "Admin.remove", 1, lambda _, admin: admin.remove(ID)),
    ("dead_requeue", "DeadLetters.requeue", 1, lambda jobs, _: letters(jobs).requeue(ID)),
    ("dead_requeue", "DeadLetters.requeue_many", 1, lambda jobs, _: letters(jobs).requeue_many([ID])),
    ("dead_remove", "DeadLetters.remove", 1, lambda jobs, _: letters(jobs).remove(ID)),
    ("dead_purge", "DeadLetters.purge", [0, 0, b""], lambda jobs, _: letters(jobs).purge(before=NEVER)),
    ("resume", "Admin.resume", 1, lambda _, admin: admin.resume()),
    ("lease_node", "NodeLease.take", 1, lambda jobs, _: emq.NodeLease(jobs._conn, 60, emq.Minter(0)).take()),
    ("release_node", "NodeLease.release", 1, lambda jobs, _: release_node(jobs._conn)),
]


@pytest.mark.parametrize(("verb", "name", "reply", "call"), COROUTINES, ids=[row[1] for row in COROUTINES])
async def test_a_coroutine_sends_the_keys_and_arguments_of_its_file(
    verb: str, name: str, reply: Any, call: Call
) -> None:
    # given the coroutine over a connector that only records
    recorder: Any = Recorder(reply)
    keys = emq.Keyspace("cm")

    # when it is called
    await call(emq.Jobs(recorder, "cm"), emq.Admin(recorder, "cm"))

    # then it ran its file once, with the slots the header names
    ((ran, sent_keys, sent_args),) = recorder.sent
    head = header(verb)
    named = {name: getattr(keys, name, None) for name in head.keys.values()} | {
        "row": keys.job(ID),
        "lane": keys.lane(GROUP),
        "logs": keys.logs(ID),
        "source": keys.pending,
    }
    if re.fullmatch(r"\{emq\}:node:\d+", sent_keys[0]):
        named["node"] = sent_keys[0]
    assert ran == verb
    assert list(sent_keys) == [named[slot] for slot in head.keys.values()]
    assert len(sent_args) == len(head.args) + 2 * head.width
    for number, slot in head.args.items():
        if slot in ("id", "base", "group"):
            assert sent_args[number - 1] == {"id": ID, "base": keys.base, "group": GROUP}[slot]

    # and its docstring says where that is
    owner, method = name.split(".")
    assert f"Source: lua/{verb}.lua" in (getattr(getattr(emq, owner), method).__doc__ or "")


def test_every_file_has_a_coroutine() -> None:
    assert sorted({row[0] for row in COROUTINES}) == VERBS


@pytest.mark.parametrize("path", sorted((Path(emq.__file__).parent).glob("*.py")), ids=lambda path: path.name)
def test_every_source_a_docstring_names_exists(path: Path) -> None:
    for verb in re.findall(r"Source: lua/(\w+)\.lua", path.read_text()):
        assert (folder() / f"{verb}.lua").is_file()
