"""Random calls of the native commands, from nearly right to nonsense, between random changes of what they find."""

from __future__ import annotations

import random
from collections.abc import Iterator

from emq.resp import Word
from tests.emq.native.states import IDS, LEASES, ODD_IDS, ODD_LEASES, ODD_TOKENS, TOKENS, Commands

BASES = ["emq:{fuzz}:", "emq:{fuzz.2}:", "", "x", "emq:{:"]


def commands(seed: int, calls: int) -> Iterator[Commands]:
    """Bursts of commands with ``calls`` calls of the module among them."""
    dice = random.Random(seed)
    while calls > 0:
        burst = [_change(dice) for _ in range(dice.randrange(4))]
        size = min(calls, dice.randrange(1, 200))
        burst += [_call(dice) for _ in range(size)]
        calls -= size
        yield burst


def _change(dice: random.Random) -> tuple[Word, ...]:
    base, id = dice.choice(BASES), _id(dice)
    row = base.encode() + b"job:" + _bytes(id)
    active = base + "active"
    return dice.choice([
        ("HSET", row, "attempts", dice.choice([*TOKENS, *ODD_TOKENS]), "payload", "p"),
        ("HSET", row, "attempts", dice.choice(TOKENS), "lease_epoch", dice.choice(["", "0" * 40, "x" * 5_000])),
        ("HDEL", row, "attempts"),
        ("DEL", row),
        ("SET", row, "x"),
        ("ZADD", active, dice.randrange(10**12), id),
        ("ZREM", active, id),
        ("SET", active, "x") if dice.random() < 0.2 else ("ZADD", active, 1, id),
        ("DEL", active),
        ("PEXPIRE", row, dice.choice([1, 100_000])),
    ])  # fmt: skip


def _call(dice: random.Random) -> tuple[Word, ...]:
    if dice.random() < 0.05:
        words = [_word(dice) for _ in range(dice.randrange(12))]
        return (dice.choice(["EMQ.EXTEND", "emq.extends"]), *words)
    base = dice.choice(BASES[:2] * 5 + BASES)
    numkeys = "2" if dice.random() < 0.95 else _word(dice)
    active = base + "active" if dice.random() < 0.95 else _word(dice)
    lease = dice.choice(LEASES) if dice.random() < 0.9 else dice.choice([*ODD_LEASES, _word(dice)])
    if dice.random() < 0.4:
        id = _id(dice)
        row: Word = base.encode() + b"job:" + _bytes(id) if dice.random() < 0.95 else _word(dice)
        words = [numkeys, active, row, id, _token(dice), lease]
        return ("EMQ.EXTEND", *(words if dice.random() < 0.97 else words[: dice.randrange(7)]))
    count = dice.choice([0, 1, 2, 5, 20]) if dice.random() < 0.999 else 20_000
    pairs = [word for _ in range(count) for word in (_id(dice), _token(dice))]
    words = [numkeys, active, base if dice.random() < 0.95 else _word(dice), lease, *pairs]
    if dice.random() < 0.05:
        words = words[: dice.randrange(len(words) + 1)]
    return ("EMQ.EXTENDS", *words)


def _id(dice: random.Random) -> Word:
    return _word(dice) if dice.random() < 0.05 else dice.choice([*IDS, *ODD_IDS])


def _token(dice: random.Random) -> Word:
    return dice.choice(ODD_TOKENS) if dice.random() < 0.1 else dice.choice(TOKENS)


def _word(dice: random.Random) -> Word:
    size = dice.choice([0, 1, 2, 6, 7, 15, 16, 100]) if dice.random() < 0.995 else 100_000
    return dice.randbytes(size) if dice.random() < 0.7 else b"{" * size


def _bytes(id: Word) -> bytes:
    return id if isinstance(id, bytes) else str(id).encode()
