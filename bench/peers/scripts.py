"""BullMQ's own script that extends locks against emq's, through one bare connection: the server's work alone."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import emq
from bench.floor import dial
from emq.resp import MORE, Word, pack, reader
from emq.scripts import script

SIZES = (10, 100, 1_000)
ROUNDS = 60
_TOKEN = "0c5a7a44-1f2b-4a5e-9f3c-6f2f1c7f9d10:0"  # noqa: S105  # as long as those that BullMQ makes
_FIRST = 1_000_000  # BullMQ counts its jobs


@dataclass(frozen=True, slots=True)
class Extension:
    """How long one call took to extend so many leases, in ms: medians, and the median of the turns' own ratios."""

    leases: int
    emq: float
    bullmq: float
    ratio: float


class Wire:
    """Sends one command and waits for its reply."""

    def __init__(self, url: str) -> None:
        self._wire = dial(url)
        self._reader = reader()

    def ask(self, *words: Word) -> object:
        """The reply to one command."""
        return self.send(pack(words))

    def send(self, packed: bytes) -> object:
        """The reply to a command that was packed before."""
        self._wire.sendall(packed)
        while (reply := self._reader.gets()) is MORE:
            self._reader.feed(self._wire.recv(1 << 20))
        return reply

    def close(self) -> None:
        """Hang up."""
        self._wire.close()


def compare(url: str, bullmq: str) -> list[Extension]:
    """Extend live leases by both scripts in turn.

    Args:
        bullmq: the text of its ``extendLocks``.
    """
    wire = Wire(url)
    try:
        return [_at(wire, size, bullmq) for size in SIZES]
    finally:
        wire.close()


def _at(wire: Wire, size: int, bullmq: str) -> Extension:
    wire.ask("FLUSHALL")
    calls = [_ours(wire, size), _theirs(wire, size, bullmq)]
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(-2, ROUNDS):  # the first two warm up
        for which in (0, 1) if turn % 2 else (1, 0):
            began = time.perf_counter()
            reply = wire.send(calls[which])
            took = (time.perf_counter() - began) * 1000
            if reply != []:
                raise RuntimeError(f"leases were not extended: {reply!r:.200}")
            if turn >= 0:
                times[which].append(took)
    ratios = [ours / theirs for ours, theirs in zip(*times, strict=True)]
    ours, theirs = map(statistics.median, times)
    return Extension(size, ours, theirs, statistics.median(ratios))


def _ours(wire: Wire, size: int) -> bytes:
    keys = emq.Keyspace("bench")
    ids = [emq.mint("JOB") for _ in range(size)]
    for id in ids:
        wire.ask("HSET", keys.job(id), "state", "active", "attempts", "1", "payload", "x" * 100)
        wire.ask("ZADD", keys.active, 5, id)
    extend = script("extend_locks")
    wire.ask("SCRIPT", "LOAD", extend.text)
    pairs = [word for id in ids for word in (id, "1")]
    return pack(("EVALSHA", extend.sha, 2, keys.active, keys.base, 30_000, *pairs))


def _theirs(wire: Wire, size: int, text: str) -> bytes:
    ids = [str(_FIRST + at) for at in range(size)]
    for id in ids:
        wire.ask("SET", f"bull:bench:{id}:lock", _TOKEN, "PX", 30_000)
    sha = wire.ask("SCRIPT", "LOAD", text)
    words = _msgpack([_TOKEN] * size), _msgpack(ids)
    return pack(("EVALSHA", _text(sha), 1, "bull:bench:stalled", "bull:bench:", *words, 30_000))


def _text(reply: object) -> str:
    if not isinstance(reply, bytes):
        raise RuntimeError(f"the script was not taken: {reply!r:.200}")
    return reply.decode()


def _msgpack(words: list[str]) -> bytes:
    """A list of short strings, as BullMQ sends it."""
    packed = [b"\xd9" + len(word).to_bytes(1, "big") + word.encode() for word in words]
    return b"\xdd" + len(words).to_bytes(4, "big") + b"".join(packed)
