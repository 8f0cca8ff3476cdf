"""A Telegram of one's own: the Bot API on loopback, strict enough to prove something.

``LocalTelegram`` serves one bot over HTTP, simulated people talk to it, and trouble comes on demand.
``python -m codemojex.localtg`` runs it as a process of its own, with a control API for tests.
"""

from codemojex.localtg.errors import CannotDo
from codemojex.localtg.faults import Fault, FaultKind
from codemojex.localtg.journal import Request
from codemojex.localtg.model import Chat, Event, EventKind, Message, User
from codemojex.localtg.people import Person
from codemojex.localtg.telegram import LocalTelegram
from codemojex.localtg.world import Options

__all__ = [
    "CannotDo",
    "Chat",
    "Event",
    "EventKind",
    "Fault",
    "FaultKind",
    "LocalTelegram",
    "Message",
    "Options",
    "Person",
    "Request",
    "User",
]
