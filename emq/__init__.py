"""emq: a job queue on Valkey or Redis where a re-sent burst converges."""

from .admin import Admin
from .backoff import Backoff, exponential
from .connector import Connector, connect
from .embedded import EmbeddedServer
from .errors import (
    Closed,
    EmptyPipeline,
    EmqError,
    Gone,
    HandshakeRefused,
    Kind,
    LeaseLost,
    MalformedArgument,
    MalformedId,
    MalformedPayload,
    MalformedQueue,
    MalformedUrl,
    NodeLapsed,
    NoServer,
    NotActive,
    NotSent,
    ServerRefused,
    Stale,
    Uncertain,
    Unreachable,
    VersionMismatch,
)
from .handlers import HeldJob
from .ids import BrandedId, encode, is_valid, parse
from .jobs import Jobs
from .keyspace import Keyspace, slot
from .lease import Lease
from .leases import LeaseKeeper
from .minting import Minter, mint, set_node
from .nodes import NodeLease, NoNode, lease_node
from .options import WorkerOptions, WorkerStats
from .outcomes import DONE, Again, Dead, Done, Outcome
from .verdicts import DUPLICATE, ENQUEUED, Admission, Claim, Counts, Refused, Settlement, Verdict
from .worker import Worker

__all__ = [
    "DONE",
    "DUPLICATE",
    "ENQUEUED",
    "Admin",
    "Admission",
    "Again",
    "Backoff",
    "BrandedId",
    "Claim",
    "Closed",
    "Connector",
    "Counts",
    "Dead",
    "Done",
    "EmbeddedServer",
    "EmptyPipeline",
    "EmqError",
    "Gone",
    "HandshakeRefused",
    "HeldJob",
    "Jobs",
    "Keyspace",
    "Kind",
    "Lease",
    "LeaseKeeper",
    "LeaseLost",
    "MalformedArgument",
    "MalformedId",
    "MalformedPayload",
    "MalformedQueue",
    "MalformedUrl",
    "Minter",
    "NoNode",
    "NoServer",
    "NodeLapsed",
    "NodeLease",
    "NotActive",
    "NotSent",
    "Outcome",
    "Refused",
    "ServerRefused",
    "Settlement",
    "Stale",
    "Uncertain",
    "Unreachable",
    "Verdict",
    "VersionMismatch",
    "Worker",
    "WorkerOptions",
    "WorkerStats",
    "connect",
    "encode",
    "exponential",
    "is_valid",
    "lease_node",
    "mint",
    "parse",
    "set_node",
    "slot",
]
