"""emq: a job queue on Valkey or Redis where a re-sent burst converges."""

from .admin import Admin
from .backoff import Backoff, doubling, exponential, fixed, full_jitter
from .connector import Connector, connect
from .dead import DeadLetters
from .embedded import EmbeddedServer
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
from .metrics import Metric
from .minting import Minter, mint, mint_many, set_node
from .nodes import NodeLease, NoNode, lease_node
from .options import LeaseStats, WorkerOptions, WorkerStats
from .outcomes import DONE, Again, Dead, Done, Later, Outcome
from .verdicts import DUPLICATE, ENQUEUED, Admission, Claim, Counts, Refused, Requeued, Settlement, Verdict
from .views import Ages, DeadLetter, Failure, State, Throughput
from .worker import Worker

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
