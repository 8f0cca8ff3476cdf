"""Random states of a queue and random extensions of its leases, told as commands that either executor can run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from emq.resp import ServerError, Word
from emq.scripts import script

IDS: list[Word] = [f"JOB0KHTOWnGL{at:02}" for at in range(8)]
ODD_IDS: list[Word] = ["", "x", "a:b", b"\x00\xff", "JOB0KHTOWnGLuA ", "emq:{", "é" * 40]
TOKENS: list[Word] = ["1", "2", "7"]
ODD_TOKENS: list[Word] = ["01", " 1", "1e0", "", "-1", "1.0", "999999999999999999999", b"1\x00"]
LEASES: list[Word] = ["1", "5000", "600000", "999999999999999"]
ODD_LEASES: list[Word] = [
    "0",
    "05",
    " 5",
    "5 ",
    "1e3",
    "-5",
    "+5",
    "0x10",
    "",
    "1000000000000000",
    "5.0",
    b"5\x00",
]
FAR = 4_000_000_000_000_000  # a score that no extension makes

Commands: TypeAlias = list[tuple[Word, ...]]


@dataclass(frozen=True)
class Call:
    """One extension; ``{}`` in a key stands for the base."""

    single: bool
    numkeys: str
    keys: tuple[str, ...]
    args: tuple[Word, ...]

    @property
    def malformed(self) -> bool:
        """Whether there are too few arguments, or one is left over."""
        return len(self.args) < 3 if self.single else len(self.args) % 2 == 0

    def as_script(self, base: str) -> tuple[Word, ...]:
        name = "extend_lock" if self.single else "extend_locks"
        return ("EVALSHA", script(name).sha, *self._words(base))

    def as_native(self, base: str) -> tuple[Word, ...]:
        return ("EMQ.EXTEND" if self.single else "EMQ.EXTENDS", *self._words(base))

    def _words(self, base: str) -> tuple[Word, ...]:
        return (self.numkeys, *(key.replace("{}", base, 1) for key in self.keys), *self.args)


@dataclass(frozen=True)
class State:
    """What is in a queue before an extension."""

    rows: dict[Word, tuple[Any, ...]]
    active: tuple[Any, ...]

    def commands(self, base: str) -> Commands:
        """What makes it."""
        made: Commands = []
        for id, (command, *words) in self.rows.items():
            made.append((command, row_key(base, id), *words))
        if self.active:
            command, *words = self.active
            made.append((command, base + "active", *words))
        return made

    def look(self, base: str) -> Commands:
        """What reads all of it back."""
        looks: Commands = [("ZRANGE", base + "active", 0, -1, "WITHSCORES"), ("DUMP", base + "active")]
        for id in self.rows:
            looks += [("HGETALL", row_key(base, id)), ("DUMP", row_key(base, id))]
        return looks


def row_key(base: str, id: Word) -> bytes:
    raw = id if isinstance(id, bytes) else str(id).encode()
    return f"{base}job:".encode() + raw


def some_state(dice: random.Random, ids: Sequence[Word]) -> State:
    rows: dict[Word, tuple[Any, ...]] = {}
    members: list[Any] = []
    for id in ids:
        shape = dice.random()
        if shape < 0.05:
            rows[id] = dice.choice(
                [("SET", "x"), ("RPUSH", "attempts"), ("ZADD", 1, "attempts"), ("SADD", "x")]
            )
        elif shape < 0.1:
            rows[id] = ("HSET", "state", "active", "payload", "p")
        elif shape < 0.85:
            token = dice.choice(ODD_TOKENS) if dice.random() < 0.1 else dice.choice(TOKENS)
            stamp = ("lease_epoch", "0" * 40) if dice.random() < 0.2 else ()
            rows[id] = ("HSET", "state", "active", "attempts", token, "payload", "p", *stamp)
        if dice.random() < 0.8:
            members += [dice.choice([1, 5_000, FAR, "inf"]), id]
    if dice.random() < 0.03:
        return State(rows, dice.choice([("SET", "x"), ("HSET", "a", "b")]))
    return State(rows, ("ZADD", *members) if members else ())


def some_call(dice: random.Random, ids: Sequence[Word], state: State) -> Call:
    single = dice.random() < 0.3
    lease = dice.choice(ODD_LEASES) if dice.random() < 0.1 else dice.choice(LEASES)
    numkeys = dice.choice(["1", "3"]) if dice.random() < 0.03 else "2"
    active = (
        dice.choice(["{}pending", "emq:{other}:active", "active", "{}"])
        if dice.random() < 0.05
        else "{}active"
    )
    if single:
        id = dice.choice(ids)
        shown = id.decode("latin1") if isinstance(id, bytes) else str(id)
        row = (
            dice.choice(["{}job:", "{}job:other", "emq:{other}:job:" + shown]) if dice.random() < 0.05 else ""
        )
        if not row and isinstance(id, bytes):
            id = shown = "x"
        args: tuple[Word, ...] = (id, _token(dice, id, state), lease)
        if dice.random() < 0.03:
            args = args[: dice.randrange(3)]
        return Call(True, numkeys, (active, row or "{}job:" + shown), args)
    base = dice.choice(["emq:{other}:", "", "{}x"]) if dice.random() < 0.03 else "{}"
    pairs: list[Word] = []
    for _ in range(dice.choice([0, 1, 2, 3, 8, 20])):
        id = dice.choice(ids)
        pairs += [id, _token(dice, id, state)]
    if dice.random() < 0.05:
        pairs.append(dice.choice(ids))
    return Call(False, numkeys, (active, base), (lease, *pairs))


def _token(dice: random.Random, id: Word, state: State) -> Word:
    """Mostly the right one."""
    command, *words = state.rows.get(id, ("",))
    if command == "HSET" and "attempts" in words and dice.random() < 0.8:
        right: Word = words[words.index("attempts") + 1]
        return right
    return dice.choice(ODD_TOKENS if dice.random() < 0.2 else TOKENS)


def some_ids(dice: random.Random) -> list[Word]:
    return [*dice.sample(IDS, 5), *dice.sample(ODD_IDS, dice.choice([0, 0, 1, 2]))]


def told(reply: Any) -> Any:
    """A reply as both executors must give it: an error is its class."""
    return f"!{reply.code}" if isinstance(reply, ServerError) else reply
