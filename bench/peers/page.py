"""bench/peers.md: the question, the machine, the figures, and what each of them buys."""

from __future__ import annotations

from collections.abc import Sequence

from bench.peers.installing import version
from bench.peers.measuring import LEASES, Result
from bench.peers.roster import EMQ, Peer, Promises
from bench.peers.scripts import Extension

HEAD = """# Beside other queues

How does emq compare with other job queues that stand on Redis? Written by `make bench-peers`; run it again to check.

Everybody does the same work in one run, in turns, on one server of the bench's own that keeps nothing on disk, over
loopback TCP, with payloads of 100 bytes and a handler that does nothing, in one process, with hiredis and uvloop
where the library can use them. The server is emptied before each turn. A figure is the median of {rounds} turns;
only the ratios mean anything on another machine. A driver of each peer, in bench/peers/drivers, uses its best call
and setting; an emq drain is timed from the worker's start to the last settlement, a peer's from its first job to its
last, so that its start is not counted.
"""


def rates(title: str, question: str, results: Sequence[Result]) -> str:
    """Jobs a second, against the first contender and against the first of emq's that is no floor."""
    base, ours = results[0], next(result for result in results if result.contender.name.startswith("emq"))
    lines = [
        f"## {title}",
        "",
        question,
        "",
        f"| | jobs/s | of the first line | {ours.contender.name} is so many times as fast |",
        "|---|---:|---:|---:|",
    ]
    for result in sorted(results[1:], key=_slowest_last):
        lines.append(_rate(result, base, ours))
    lines.insert(6, _rate(base, base, ours))
    return "\n".join(lines)


def leases(results: Sequence[Result]) -> str:
    """Milliseconds for a call that extends many leases."""
    there = [result for result in results if not result.absent]
    lines = [
        "## Leases",
        "",
        f"How long does it take to keep {LEASES:,} jobs that are held, by the library's own call?",
        "",
        "| | ms | of emq's |",
        "|---|---:|---:|",
    ]
    for result in there:
        lines.append(
            f"| {_name(result)} | {result.seconds * 1000:.2f} | {result.seconds / there[0].seconds:.2f} |"
        )
    without = ", ".join(result.contender.name for result in results if result.absent)
    return "\n".join([*lines, "", f"Without such a call: {without}."])


def scripts(found: Sequence[Extension]) -> str:
    """The two scripts, call by call."""
    lines = [
        "## The scripts alone",
        "",
        "How long does the server take for one call of emq's `extend_locks.lua`, and of BullMQ's `extendLocks`, "
        "from one bare connection? BullMQ's locks are string keys with a time to live, emq's one sorted set.",
        "",
        "| leases | emq, ms | BullMQ, ms | emq ÷ BullMQ |",
        "|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {each.leases:,} | {each.emq:.3f} | {each.bullmq:.3f} | {each.ratio:.2f} |" for each in found
    ]
    return "\n".join(lines)


def promises(peers: Sequence[Peer], absent: dict[str, str]) -> str:
    """What each of them promises, how it was used, and who is missing."""
    lines = [
        "## What the figures buy",
        "",
        "| | a verdict per item of a bulk call | an id that is known | the job of a dead worker comes back by "
        "| who lost a job is kept from settling it |",
        "|---|---|---|---|---|",
        _promise("emq", EMQ),
        *(_promise(f"{peer.name} {version(peer)}", peer.promises) for peer in peers),
        "",
        "How each was used:",
        "",
        *(f"* {peer.name}: {peer.call}." for peer in peers),
    ]
    if absent:
        lines += ["", "Left out:", "", *(f"* {name}: {why}." for name, why in absent.items())]
    return "\n".join(lines)


def _rate(result: Result, base: Result, ours: Result) -> str:
    if result.absent:
        return f"| {_name(result)} | failed: {result.absent} | | |"
    of_base, times = result.rate / base.rate, ours.rate / result.rate
    return f"| {_name(result)} | {result.rate:,.0f} | {of_base:.3f} | {times:.2f} |"


def _name(result: Result) -> str:
    return result.contender.name


def _slowest_last(result: Result) -> float:
    return 0.0 if result.absent else -result.rate


def _promise(name: str, promised: Promises) -> str:
    return f"| {name} | {promised.verdict} | {promised.dedup} | {promised.lease} | {promised.fencing} |"
