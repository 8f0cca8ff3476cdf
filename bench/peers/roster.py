"""Who is measured, and what each of them promises."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promises:
    """What the figures buy; read in the sources of the pinned versions.

    Attributes:
        verdict: whether a bulk call says of each item what became of it.
        dedup: what happens to an id that is known already.
        lease: what brings the job of a dead worker back.
        fencing: whether somebody who has lost a job can still settle it.
    """

    verdict: str
    dedup: str
    lease: str
    fencing: str


@dataclass(frozen=True, slots=True)
class Peer:
    """A job queue to be measured.

    Attributes:
        name: as it stands in the tables.
        pins: its section in pins.toml, and its folder.
        driver: its file in drivers/.
        call: how jobs are enqueued and worked off there, for the notes.
    """

    name: str
    pins: str
    driver: str
    call: str
    promises: Promises


EMQ = Promises(
    "yes", "refused, and said so", "one deadline per job, extended in batches", "yes, by the attempt"
)

PEERS = (
    Peer(
        "ArdiQ",
        "ardiq",
        "drive_ardiq.py",
        "`enqueue_many`, 1,000 a call; 500 tasks at once",
        Promises(
            "no: its core knows, the call keeps it", "the old one stays", "idle time of a stream entry", "no"
        ),
    ),
    Peer(
        "BullMQ for Node",
        "bullmq-node",
        "drive_bullmq.cjs",
        "`addBulk`, 1,000 a call; 100 jobs at once",
        Promises("no", "silent", "a lock with a time to live per job", "yes, by the lock's token"),
    ),
    Peer(
        "BullMQ for Python",
        "bullmq-python",
        "drive_bullmq.py",
        "`addBulk`, 1,000 a call; 100 jobs at once",
        Promises("no", "silent", "a lock with a time to live per job", "yes, by the lock's token"),
    ),
    Peer(
        "BlitzQ",
        "blitzq",
        "drive_blitzq.py",
        "`enqueue_many`, 1,000 a call, reliable mode; 500 tasks at once",
        Promises("no", "none", "idle time of a stream entry, renewed by owner", "no"),
    ),
    Peer(
        "bee-queue",
        "bee-queue",
        "drive_bee.cjs",
        "`saveAll`, 1,000 a call; 100 jobs at once",
        Promises("errors only", "the job's id becomes null", "a stall check per queue", "no"),
    ),
    Peer(
        "pydocket",
        "pydocket",
        "drive_pydocket.py",
        "`add_many`, 1,000 a pipeline; 100 tasks at once",
        Promises("yes", "the old one stays, and it is said", "idle time of a stream entry, renewed", "no"),
    ),
    Peer(
        "streaq",
        "streaq",
        "drive_streaq.py",
        "`enqueue_many`, 1,000 a call; 100 tasks at once",
        Promises("no", "the old one stays, silent", "idle time of a stream entry, renewed", "no"),
    ),
    Peer(
        "rq",
        "rq",
        "drive_rq.py",
        "`enqueue_many`, 1,000 a call; `SimpleWorker`, one job at a time",
        Promises(
            "no",
            "overwritten and queued twice; `unique` refuses, one by one",
            "a heartbeat per job, with retries left; else it has failed",
            "no",
        ),
    ),
    Peer(
        "saq",
        "saq",
        "drive_saq.py",
        "no call for many: 100 `enqueue` at once; 100 jobs at once",
        Promises("one by one", "refused, and said so", "a heartbeat per job, by update", "no"),
    ),
    Peer(
        "arq",
        "arq",
        "drive_arq.py",
        "no call for many: 100 `enqueue_job` at once; 100 jobs at once",
        Promises("one by one", "refused, and said so", "a key with a time to live, not extended", "no"),
    ),
    Peer(
        "taskiq, Redis streams",
        "taskiq",
        "drive_taskiq.py",
        "no call for many: 100 `kiq` at once; 100 tasks at once",
        Promises("no", "none", "idle time of a stream entry, not renewed", "no"),
    ),
    Peer(
        "dramatiq",
        "dramatiq",
        "drive_dramatiq.py",
        "no call for many: one `send` after the other; 8 threads",
        Promises("no", "none", "a heartbeat per worker", "no"),
    ),
    Peer(
        "huey",
        "huey",
        "drive_huey.py",
        "no call for many: one call after the other; 4 threads",
        Promises("no", "none", "none: a taken job is lost with its worker", "no"),
    ),
    Peer(
        "Celery",
        "celery",
        "drive_celery.py",
        "no call for many: one `apply_async` after the other; 8 threads",
        Promises("no", "none", "a visibility timeout of an hour, not extended", "no"),
    ),
)
