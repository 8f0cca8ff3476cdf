"""The repair as an operator runs it: what the sweep should have mended, named by the audit, and mended on request.

Nothing here is invented for the repair: jobs go again under their own ids, games end under their row's lock, chats are
woken. So it may run beside everything else, twice, or stop half way.
"""

from __future__ import annotations

import contextlib
from datetime import datetime

import emq
from codemojex import connections
from codemojex.repair.jobs import JobRepairs
from codemojex.repair.rows import RowRepairs
from codemojex.repair.steps import Repair, Steps
from codemojex.settings import Settings
from codemojex.store.engine import Store

__all__ = ["Repair", "repair"]


async def repair(store: Store, settings: Settings, now: datetime, *, apply: bool) -> list[Repair]:
    """What the audit names and the sweep should have mended, in the order in which it is put right.

    Args:
        apply: False changes nothing.

    Raises:
        StoreDown, BadSettings, emq.EmqError: a server does not answer; what was done until then stays done.
    """
    steps, minter = Steps(apply), emq.Minter(0)
    async with contextlib.AsyncExitStack() as stack:
        queue, _ = await stack.enter_async_context(connections.open_queue_server(settings))
        if apply:
            node = await emq.lease_node(queue, minter=minter)
            stack.push_async_callback(node.release)
        await RowRepairs(store, queue, settings, now, minter.mint).run(steps)
        await JobRepairs(store, queue, settings, now).run(steps)
    return steps.taken
