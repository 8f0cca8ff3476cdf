"""What to watch: a queue and its workers as figures with a name, a kind and a meaning, for any monitoring system."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .admin import Admin
from .connector import Connector
from .options import WorkerStats
from .verdicts import Counts
from .views import Ages

MetricKind: TypeAlias = Literal["counter", "gauge"]

_STATES = ("pending", "in_lanes", "active", "scheduled", "dead")
_OUTCOMES = ("claimed", "completed", "retried", "delayed", "dead", "lost", "gone", "stale", "refused")


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure to watch, with a value for each set of its labels' values.

    Attributes:
        name: as Prometheus names it; of a counter without ``_total`` at its end.
        kind: a ``counter`` only grows while its process, or its queue, lives; a ``gauge`` goes both ways.
        help: what it counts, with its unit.
        labels: the names of its labels.
        samples: (the values of the labels, in their order) -> the figure.
    """

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...]
    samples: Mapping[tuple[str, ...], float]


async def of_queue(conn: Connector, queue: str) -> list[Metric]:
    """What a queue holds, as its server sees it: a few round trips, whose cost does not grow with the jobs it has done.

    Every process that asks is told the same, so over processes take the maximum and not the sum.

    Raises:
        MalformedQueue, ServerRefused, NotSent, Uncertain: as their names say.
    """
    admin = Admin(conn, queue)
    return _of_queue(queue, await admin.counts(), await admin.ages(), paused=await admin.paused())


def of_worker(queue: str, stats: WorkerStats) -> list[Metric]:
    """What a worker of ``queue`` did; over processes these add up. Nothing is sent."""
    leases = stats.leases
    done = {outcome: getattr(stats, outcome) for outcome in _OUTCOMES}
    moved = {"reaped": stats.reaped, "promoted": stats.promoted}
    ran = {"native": leases.native, "scripts": leases.scripts}
    age = {} if stats.claimed_at is None else {"": time.monotonic() - stats.claimed_at}
    count, gauge = _Maker(queue, "counter"), _Maker(queue, "gauge")
    return [
        count("emq_worker_jobs", "Jobs this worker claimed, and what became of them.", done, "outcome"),
        count("emq_worker_moved", "Jobs reaped after a lapsed lease, or promoted when due.", moved, "how"),
        gauge("emq_worker_held", "Jobs in this worker's hands.", {"": stats.held}),
        gauge(
            "emq_worker_claim_age_seconds", "Seconds since a claim was answered, with jobs or without.", age
        ),
        count("emq_lease_extensions", "Calls that extended leases, by what ran them.", ran, "executor"),
        count(
            "emq_lease_extensions_failed", "Calls to extend leases without an answer.", {"": leases.failed}
        ),
        count("emq_leases_extended", "Leases moved forward, counted each time.", {"": leases.extended}),
        count("emq_leases_lost", "Leases lost while their job was in hand.", {"": leases.lost}),
        gauge("emq_leases_held", "Leases kept alive now.", {"": leases.tracked}),
    ]


def _of_queue(queue: str, counts: Counts, ages: Ages, *, paused: bool) -> list[Metric]:
    jobs = {state: getattr(counts, state) for state in _STATES}
    oldest = {state: age / 1_000 for state in _STATES if (age := getattr(ages, state)) is not None}
    finished = {how: getattr(counts, how) for how in ("completed", "failed", "dropped")}
    overdue_s = (ages.overdue or 0) / 1_000
    count, gauge = _Maker(queue, "counter"), _Maker(queue, "gauge")
    return [
        gauge("emq_jobs", "Jobs in each state; those in lanes wait, too.", jobs, "state"),
        gauge("emq_oldest_job_seconds", "Age of the oldest job in a state, by its id.", oldest, "state"),
        gauge("emq_overdue_seconds", "How long ago the first scheduled job was due.", {"": overdue_s}),
        gauge("emq_paused", "1 while nothing of the queue is claimed.", {"": float(paused)}),
        count(
            "emq_jobs_finished", "Jobs completed, failed for good, dropped without a row.", finished, "how"
        ),
    ]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes metrics of one queue and one kind."""

    queue: str
    kind: MetricKind

    def __call__(self, name: str, help: str, values: Mapping[str, float], label: str = "") -> Metric:
        labels = ("queue", label) if label else ("queue",)
        samples = {(self.queue, of)[: len(labels)]: value for of, value in values.items()}
        return Metric(name, self.kind, help, labels, samples)
