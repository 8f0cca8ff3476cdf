"""A Telegram of one's own: the Bot API on loopback, strict enough to prove something.

``LocalTelegram`` serves one bot over HTTP, simulated people talk to it in private, in groups and in topics,
and trouble comes on demand::

    async with LocalTelegram() as tg:
        ada, bo = tg.person("Ada"), tg.person("Bo")
        fruit = tg.group("Fruit", members=[bo], admins=[ada])
        await bo.say(fruit, "/new")
        board = await fruit.wait_for("420/600")
        await bo.press(board, "✅")

``python -m codemojex.localtg`` runs it as a process of its own, with a control API for tests. What it does
not model it refuses: methods, parameters, fields and markup it does not know.
"""

from codemojex.localtg.channels import Channel
from codemojex.localtg.chats import Chat, Status
from codemojex.localtg.courier import Delivery, Patience
from codemojex.localtg.errors import CannotDo
from codemojex.localtg.faults import Fault, FaultKind
from codemojex.localtg.groups import Group, Topic
from codemojex.localtg.journal import Request
from codemojex.localtg.model import Event, EventKind, Message, User
from codemojex.localtg.people import Person
from codemojex.localtg.telegram import LocalTelegram
from codemojex.localtg.world import Options

__all__ = [
    "CannotDo",
    "Channel",
    "Chat",
    "Delivery",
    "Event",
    "EventKind",
    "Fault",
    "FaultKind",
    "Group",
    "LocalTelegram",
    "Message",
    "Options",
    "Patience",
    "Person",
    "Request",
    "Status",
    "Topic",
    "User",
]
