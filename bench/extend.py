"""How long it takes to extend the leases of a worker, by script and natively, side by side in one run.

    python -m bench.extend            # prints the tables
    python -m bench.extend --write    # and puts them into bench/native.md

Per size it makes that many live leases and lets every contender extend all of them in one call, in turn, round after
round, each time another first. A round trip is measured on a unix socket with packed bytes, so it is the server's time
and a copy; the blocked time is what the server itself counted for the command (INFO commandstats). Medians of all
rounds; the ratios are medians of the rounds' own ratios, because a shared machine is noisy and only neighbours in time
can be compared.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import emq
from emq import native
from emq.resp import Word
from emq.scripts import script
from tests.emq.core.constellations import free_ports, wait_for
from tests.emq.native.raw import Raw
from tests.servers import Kind, ServerProcess, binary_of

SIZES = (1, 10, 100, 1_000, 10_000)
ROUNDS = {1: 400, 10: 300, 100: 200, 1_000: 60, 10_000: 12}
SHIPPED, TUNED, NATIVE, STAMPING = "script", "hand-tuned", "native", "native, new epoch"

# What someone would write who cares for speed alone: no check of its shape, strings for numbers, errors that tear the
# script down half way, no way through a full server.
HAND_TUNED = """
local call, active, rows, args = redis.call, KEYS[1], KEYS[2] .. 'job:', ARGV
local t = call('TIME')
local deadline = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000) + args[1])
local failed, count, step, top = {}, #args, 2000, 0
for from = 2, count, step do
  local last = math.min(from + step - 1, count)
  local ids, place = { active }, 1
  for at = from, last, 2 do place = place + 1; ids[place] = args[at] end
  local scores = call('ZMSCORE', unpack(ids))
  local live, used = { active }, 1
  place = 0
  for at = from, last, 2 do
    place = place + 1
    local id = args[at]
    if scores[place] and call('HGET', rows .. id, 'attempts') == args[at + 1] then
      live[used + 1], live[used + 2] = deadline, id
      used = used + 2
    else
      top = top + 1; failed[top] = id
    end
  end
  if used > 1 then call('ZADD', unpack(live)) end
end
return failed
"""


@dataclass
class Figures:
    """One contender at one size: milliseconds of each round."""

    trips: list[float] = field(default_factory=list)
    blocked: list[float] = field(default_factory=list)


class Bench:
    """One server, with or without a replica, with live leases in one queue."""

    def __init__(self, server: ServerProcess) -> None:
        self.raw = Raw(server.socket_path)
        self.raw.load_scripts()
        self.tuned = self.raw.ask("SCRIPT", "LOAD", HAND_TUNED).decode()
        self.keys = emq.Keyspace("bench")
        self.replicas = 0

    def fill(self, size: int) -> list[Word]:
        """So many live leases, and nothing else; the (id, token) words that extend them."""
        ids = [emq.mint("JOB") for _ in range(size)]
        self.raw.ask("FLUSHALL")
        row = ("state", "active", "attempts", "1", "payload", "x" * 100)
        self.raw.flush([("HSET", self.keys.job(id), *row) for id in ids])
        self.raw.ask("ZADD", self.keys.active, *(word for id in ids for word in (5, id)))
        return [word for id in ids for word in (id, "1")]

    def measure(self, size: int) -> dict[str, Figures]:
        pairs = self.fill(size)
        shape: tuple[Word, ...] = ("2", self.keys.active, self.keys.base)
        calls: dict[str, tuple[Word, ...]] = {
            SHIPPED: ("EVALSHA", script("extend_locks").sha, *shape),
            TUNED: ("EVALSHA", self.tuned, *shape),
            NATIVE: ("EMQ.EXTENDS", *shape),
            STAMPING: ("EMQ.EXTENDS", *shape),
        }
        found = {name: Figures() for name in calls}
        for turn in range(-2, ROUNDS[size]):  # the first two warm up
            order = list(calls.items())
            for name, head in order[turn % 4 :] + order[: turn % 4]:
                if name == STAMPING:
                    self.raw.flush([("HDEL", self.keys.job(str(id)), "lease_epoch") for id in pairs[::2]])
                self.raw.ask("WAIT", self.replicas, 1_000)  # the one before must not cost this one
                trip, blocked = self._once((*head, 600_000 + turn + 2, *pairs))
                if turn >= 0:
                    found[name].trips.append(trip)
                    found[name].blocked.append(blocked)
        return found

    def _once(self, words: tuple[Word, ...]) -> tuple[float, float]:
        """Milliseconds of the round trip, and of the server's own count."""
        self.raw.ask("CONFIG", "RESETSTAT")
        begun = time.perf_counter()
        reply = self.raw.ask(*words)
        trip = (time.perf_counter() - begun) * 1000
        assert reply == [], reply  # noqa: S101
        name = b"cmdstat_" + str(words[0]).lower().encode() + b":"
        (line,) = (
            line for line in self.raw.ask("INFO", "commandstats").splitlines() if line.startswith(name)
        )
        return trip, int(line.split(b"usec=")[1].split(b",")[0]) / 1000


def ratio(above: list[float], below: list[float]) -> float:
    return statistics.median(one / other for one, other in zip(above, below, strict=False) if other)


def table(results: dict[int, dict[str, Figures]]) -> str:
    lines = [
        "| leases | script | hand-tuned | native | native, new epoch "
        "| script ÷ hand-tuned | script ÷ native | hand-tuned ÷ native |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size, found in results.items():
        cells = [
            f"{statistics.median(found[name].trips):.3f} / {statistics.median(found[name].blocked):.3f}"
            for name in (SHIPPED, TUNED, NATIVE, STAMPING)
        ]
        pairs = [(SHIPPED, TUNED), (SHIPPED, NATIVE), (TUNED, NATIVE)]
        cells += [
            f"{ratio(found[one].trips, found[other].trips):.2f} / "
            f"{ratio(found[one].blocked, found[other].blocked):.2f}"
            for one, other in pairs
        ]
        lines.append(f"| {size:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


async def through_jobs(url: str) -> str:
    """The same leases through `Jobs.extend_locks`, which sends a call for some hundred."""
    lines = ["| leases | scripts, ms | native, ms | ratio |", "|---|---|---|---|"]
    async with await emq.connect(url, wire=4) as four, await emq.connect(url, wire=6) as six:
        for size in SIZES:
            jobs = [emq.Jobs(conn, f"jobs.{size}") for conn in (four, six)]
            await jobs[0].enqueue_many([(emq.mint("JOB"), b"x" * 100) for _ in range(size)])
            held = [(claim.id, claim.token) for claim in await jobs[0].claim_batch(size)]
            times: list[list[float]] = [[], []]
            for _ in range(ROUNDS[size] // 2 + 2):
                for at, one in enumerate(jobs):
                    begun = time.perf_counter()
                    assert await one.extend_locks(held, 600_000) == []  # noqa: S101
                    times[at].append((time.perf_counter() - begun) * 1000)
            medians = [statistics.median(each[2:]) for each in times]
            lines.append(
                f"| {size:,} | {medians[0]:.3f} | {medians[1]:.3f} | {ratio(times[0][2:], times[1][2:]):.2f} |"
            )
    return "\n".join(lines)


def on(kind: Kind, folder: Path, module: Path, say: Callable[[str], None]) -> None:
    """All tables of one kind of server."""
    (port,) = free_ports(1)
    options = ("--bind", "127.0.0.1", "--protected-mode", "no", "--repl-diskless-sync-delay", "0")
    server = ServerProcess(
        kind, folder / "p", "--loadmodule", str(module), "--port", str(port), "--appendonly", "no", *options
    ).start()
    bench = Bench(server)
    say(f"## {version(bench.raw)}\n")
    say(f"Alone:\n\n{table({size: bench.measure(size) for size in SIZES})}\n")
    bench.raw.ask("FLUSHALL")
    say(f"Through `Jobs.extend_locks`, alone:\n\n{asyncio.run(through_jobs(server.url))}\n")
    replica = ServerProcess(
        kind, folder / "r", "--replicaof", f"127.0.0.1 {port}", "--appendonly", "no", *options
    ).start()
    wait_for(lambda: b"state=online" in bench.raw.ask("INFO", "replication"))
    bench.replicas = 1
    say(f"With a replica:\n\n{table({size: bench.measure(size) for size in SIZES})}\n")
    replica.kill()
    server.kill()


def version(raw: Raw) -> str:
    info = dict(line.split(b":", 1) for line in raw.ask("INFO", "server").splitlines() if b":" in line)
    if b"valkey_version" in info:
        return f"Valkey {info[b'valkey_version'].decode()}"
    return f"Redis {info[b'redis_version'].decode()}"


def machine() -> str:
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = f"{names[0].split(':', 1)[1].strip()}, {len(names)} cores" if names else model
    return f"{model}; {platform.system()} {platform.release()}; Python {platform.python_version()}"


HEAD = """\
# Extending leases: scripts and native commands

Made by `python -m bench.extend --write`; bench/extend.py says how it measures. One call extends all the leases.
Each cell is the round trip / the time the server was blocked, in ms, medians; ratios are medians of neighbours in time.
*Native* is the steady state, a keeper's beats: the rows carry the server's epoch already. *New epoch* is the first
extension after a claim or a restart of the server, which also stamps every row.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--write", action="store_true", help="write bench/native.md")
    write = parser.parse_args().write
    said = [HEAD, f"Machine: {machine()}.\n"]
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    try:
        native.compile_module(folder / "emq.so")
        for kind in (Kind.REDIS7, Kind.VALKEY):
            if binary_of(kind) is None:
                print(f"this machine has no {kind}", file=sys.stderr)
                continue
            (folder / kind).mkdir()
            on(
                kind,
                folder / kind,
                folder / "emq.so",
                lambda text: (said.append(text), print(text, flush=True))[1],
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if write:
        Path(__file__).with_name("native.md").write_text("\n".join(said).rstrip() + "\n")


if __name__ == "__main__":
    main()
