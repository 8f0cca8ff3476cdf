"""emq: a job queue on Valkey or Redis where a re-sent burst converges."""

from importlib import import_module
from typing import TYPE_CHECKING

from .backoff import Backoff, doubling, exponential, fixed, full_jitter
from .connector import Connector, connect
from .errors import (
    Closed,
    EmptyPipeline,
    EmqError,
    Gone,
    HandshakeRefused,
    Kind,
    LeaseLost,
    Locked,
    MalformedArgument,
    MalformedId,
    MalformedPayload,
    MalformedQueue,
    MalformedUrl,
    NodeLapsed,
    NoNative,
    NoServer,
    NotActive,
    NotSent,
    ServerRefused,
    Stale,
    Uncertain,
    Unreachable,
    VersionMismatch,
    WrongState,
)
from .events import Event, Events
from .groups import group, group_number
from .handlers import HeldJob
from .ids import BrandedId, encode, is_valid, parse
from .jobs import Jobs
from .keyspace import Keyspace, slot
from .lanes import Lanes
from .lease import Lease
from .leases import LeaseKeeper
from .minting import Minter, mint, mint_many, set_node
from .options import LeaseStats, WorkerOptions, WorkerStats
from .outcomes import DONE, Again, Dead, Done, Later, Outcome
from .verdicts import DUPLICATE, ENQUEUED, Admission, Claim, Counts, Refused, Requeued, Settlement, Verdict
from .worker import Worker

if TYPE_CHECKING:
    from .admin import Admin
    from .dead import DeadLetters
    from .embedded import EmbeddedServer
    from .metrics import Metric
    from .nodes import NodeLease, NoNode, lease_node
    from .views import Ages, DeadLetter, Failure, State, Throughput

__all__ = [
    "DONE",
    "DUPLICATE",
    "ENQUEUED",
    "Admin",
    "Admission",
    "Again",
    "Ages",
    "Backoff",
    "BrandedId",
    "Claim",
    "Closed",
    "Connector",
    "Counts",
    "Dead",
    "DeadLetter",
    "DeadLetters",
    "Done",
    "EmbeddedServer",
    "EmptyPipeline",
    "EmqError",
    "Event",
    "Events",
    "Failure",
    "Gone",
    "HandshakeRefused",
    "HeldJob",
    "Jobs",
    "Keyspace",
    "Kind",
    "Lanes",
    "Later",
    "Lease",
    "LeaseKeeper",
    "LeaseLost",
    "LeaseStats",
    "Locked",
    "MalformedArgument",
    "MalformedId",
    "MalformedPayload",
    "MalformedQueue",
    "MalformedUrl",
    "Metric",
    "Minter",
    "NoNative",
    "NoNode",
    "NoServer",
    "NodeLapsed",
    "NodeLease",
    "NotActive",
    "NotSent",
    "Outcome",
    "Refused",
    "Requeued",
    "ServerRefused",
    "Settlement",
    "Stale",
    "State",
    "Throughput",
    "Uncertain",
    "Unreachable",
    "Verdict",
    "VersionMismatch",
    "Worker",
    "WorkerOptions",
    "WorkerStats",
    "WrongState",
    "connect",
    "doubling",
    "encode",
    "exponential",
    "fixed",
    "full_jitter",
    "group",
    "group_number",
    "is_valid",
    "lease_node",
    "mint",
    "mint_many",
    "parse",
    "set_node",
    "slot",
]

# What neither a producer nor a worker needs is imported when it is first asked for.
_LATER = {
    "Admin": "admin",
    "Ages": "views",
    "DeadLetter": "views",
    "DeadLetters": "dead",
    "EmbeddedServer": "embedded",
    "Failure": "views",
    "Metric": "metrics",
    "NoNode": "nodes",
    "NodeLease": "nodes",
    "State": "views",
    "Throughput": "views",
    "lease_node": "nodes",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
