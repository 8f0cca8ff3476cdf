"""A process from its first connection to its exit code: what runs until a signal, and stops in time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

import emq
from codemojex.app import App, Table
from codemojex.collecting import collecting_little
from codemojex.connections import open_connections
from codemojex.settings import BadSettings, Settings
from codemojex.store import revision
from codemojex.store.clock import SharedClock
from codemojex.supervise import Part, Supervisor

log = structlog.get_logger(__name__)

# From the signal to the exit, whatever a server or a library does meanwhile: what is promised is ten seconds, and the
# interpreter takes its own time to end, when no timer of ours runs any more. What the parts need of it is less.
_LAST_MOMENT_S = 8.0

_SWITCH_S = 0.0005


@dataclass(frozen=True, slots=True)
class Roles:
    """Which halves of the system this process runs."""

    bot: bool
    worker: bool


async def run(
    settings: Settings,
    roles: Roles,
    *,
    table: Table | None = None,
    upgrade: bool = False,
    started: Callable[[App, Supervisor], None] | None = None,
) -> None:
    """Run the halves of ``roles`` until SIGTERM or SIGINT.

    Args:
        table: what local play sets differently.
        upgrade: bring the database's schema up to date first; a deployment does so by itself.
        started: called once everything is open, with the means to watch and to stop.

    Raises:
        BadSettings, StoreDown, SchemaError, InvalidToken: one sentence with the cure.
    """
    stopping = asyncio.Event()
    _stop_on_signals(stopping)
    fatal: tuple[type[Exception], ...] = (BadSettings,)
    if roles.bot:
        settings.token()
        from codemojex.bot_side import FATAL  # a worker does without, and starts in two thirds of the time

        fatal += FATAL
    # SQLite's driver works in threads: its answers must not wait until the busy loop has had its usual 5 ms.
    sys.setswitchinterval(_SWITCH_S)
    if settings.database_url is None or settings.redis_url is None:
        settings.make_home()
    async with contextlib.AsyncExitStack() as stack:
        listener = None
        if settings.ops_on is not None:
            from codemojex.ops.listener import listening  # brings a server and a library of metrics

            listener = await stack.enter_async_context(listening(settings, settings.ops_on, stopping))
        if upgrade:
            await asyncio.to_thread(revision.upgrade, settings.store_url)
        opening = asyncio.create_task(open_parts(stack, settings, roles, table or Table()))
        if not await _before_stop(opening, stopping):
            return
        app, parts = opening.result()
        supervisor = Supervisor(parts, fatal=fatal, stopping=stopping)
        app.watched.restarts = supervisor.restarts
        if listener is not None:
            await stack.enter_async_context(listener.watch(app.watched))
        if started is not None:
            started(app, supervisor)
        log.info("running", bot=roles.bot, worker=roles.worker, queue=settings.guess_queue)
        with collecting_little():
            await supervisor.run()
        log.info("stopped")


async def open_parts(
    stack: contextlib.AsyncExitStack, settings: Settings, roles: Roles, table: Table
) -> tuple[App, list[Part]]:
    """Connect to everything and make the parts; what is opened is closed with ``stack``."""
    open_ = await stack.enter_async_context(open_connections(settings))
    node = await emq.lease_node(open_.queue)
    stack.push_async_callback(node.release)
    app = App(settings, open_, table, table.clock or await SharedClock.of(open_.store))
    parts: list[Part] = []
    if roles.bot:
        from codemojex.bot_side import open_bot_parts

        parts += await open_bot_parts(stack, settings, app)
    if roles.worker:
        parts = _before(parts, "notice intake", app.worker_parts())
    return app, [*parts, *app.shared_parts()]


async def _before_stop(opening: asyncio.Task[tuple[App, list[Part]]], stopping: asyncio.Event) -> bool:
    """Wait for ``opening``; False when the process was told to stop first."""
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({opening, stop}, return_when=asyncio.FIRST_COMPLETED)
        return opening.done()
    finally:
        stop.cancel()
        if not opening.done():
            opening.cancel()
        await asyncio.gather(stop, opening, return_exceptions=True)


def _before(parts: Sequence[Part], name: str, new: Sequence[Part]) -> list[Part]:
    """``new`` in front of the part called ``name``: scores end before the messages that tell them."""
    at = next((index for index, part in enumerate(parts) if part.name == name), len(parts))
    return [*parts[:at], *new, *parts[at:]]


def _stop_on_signals(stopping: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        # A second signal finds the default again and ends the process at once.
        def handle(name: signal.Signals = name) -> None:
            loop.remove_signal_handler(name)
            _leave_in_time()
            stopping.set()

        with contextlib.suppress(NotImplementedError, RuntimeError):
            loop.add_signal_handler(name, handle)


def _leave_in_time() -> None:
    """End the process before anybody loses patience, even when a driver's thread never returns.

    Nothing is lost by it: it is the same as being killed, and everything here bears that.
    """

    def leave() -> None:
        log.warning("a connection would not close in time; leaving without it, nothing is lost")
        os._exit(0)

    timer = threading.Timer(_LAST_MOMENT_S, leave)
    timer.daemon = True
    timer.start()
