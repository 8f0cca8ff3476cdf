"""Starting a server program in a folder, and waiting until it answers or is known not to."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from dataclasses import dataclass

from .binaries import Program, fake_argv
from .embedded_folder import ServerFolder
from .errors import NoServer
from .knock import Presence, knock, version
from .offspring import Child, spawn

START_WITHIN_S = 15.0
LOADING_WITHIN_S = 300.0
STOP_WITHIN_S = 10.0
LOOK_EVERY_S = 0.01
OLDEST = (7, 0)
_CANNOT_RUN = (126, 127)

log = logging.getLogger("emq.embedded")


@dataclass(frozen=True, slots=True)
class Running:
    """A server that this process started and that answered."""

    child: Child
    url: str

    @property
    def alive(self) -> bool:
        return self.child.poll() is None


async def start_one(folder: ServerFolder, programs: list[Program], *, lock: int, persist: bool) -> Running:
    """Start the first of ``programs`` that this machine can run; it keeps the file ``lock`` open.

    Raises:
        NoServer: none answers; the sentence tells the last one's own words.
    """
    for program in programs:
        attempt = _Attempt(folder, program)
        child = attempt.spawn(lock, persist)
        try:
            return Running(child, await attempt.until_it_serves(child))
        except BaseException:
            unusable = child.poll() in _CANNOT_RUN and program is not programs[-1]
            await end(child)
            if not unusable:
                raise
            log.warning("%s (%s) cannot run on this machine; trying the next", program.path, program.origin)
    raise NoServer("no program to start")


async def until_it_answers(child: Child, url: str, who: str) -> None:
    """Wait while the server starts or loads its data; returns early when its process ends.

    Raises:
        NoServer: it runs and stays silent; the sentence begins with ``who``.
    """
    last = time.monotonic() + LOADING_WITHIN_S
    deadline = time.monotonic() + START_WITHIN_S
    while child.poll() is None:
        found = await knock(url)
        if found is Presence.THERE:
            return
        if found is Presence.LOADING:
            deadline = min(last, time.monotonic() + START_WITHIN_S)
        if time.monotonic() > deadline:
            raise NoServer(
                f"{who} runs (pid {child.pid}) and has not answered for {START_WITHIN_S:g} s: "
                "end it, or name another with EMQ_SERVER"
            )
        await asyncio.sleep(LOOK_EVERY_S)


async def end(child: Child) -> None:
    """SIGTERM, then SIGKILL for one that does not listen; returns when the process is gone."""
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + STOP_WITHIN_S
    while child.poll() is None:
        if time.monotonic() > deadline:
            child.kill()
        await asyncio.sleep(LOOK_EVERY_S)


class _Attempt:
    """One program, tried once."""

    def __init__(self, folder: ServerFolder, program: Program) -> None:
        self._folder = folder
        self._program = program
        self._who = f"{program.path} ({program.origin})"
        self._log_begun = 0

    def spawn(self, lock: int, persist: bool) -> Child:
        self._folder.withdraw()
        log_file = self._folder.open_log()
        self._log_begun = os.fstat(log_file).st_size
        try:
            return spawn(self._argv(persist), folder=self._folder.path, log=log_file, inherited=(lock,))
        finally:
            os.close(log_file)

    async def until_it_serves(self, child: Child) -> str:
        url = await self._fake_url(child) if self._program.fake else self._folder.socket_url
        await until_it_answers(child, url, self._who)
        if child.poll() is not None:
            raise NoServer(self._why_it_ended(child))
        if self._program.fake:
            log.warning(
                "no queue server on this machine: fakeredis holds the queue in memory, nothing is kept"
            )
        elif (found := await version(url)) is not None and found < OLDEST:
            raise NoServer(
                f"{self._who} is version {found[0]}.{found[1]}, and the queue "
                "needs Redis 7.0 or Valkey 8 or newer: install one, or set EMQ_SERVER to one"
            )
        return url

    async def _fake_url(self, child: Child) -> str:
        deadline = time.monotonic() + START_WITHIN_S
        while not self._folder.fake_address.exists():
            if child.poll() is not None or time.monotonic() > deadline:
                raise NoServer(self._why_it_ended(child))
            await asyncio.sleep(LOOK_EVERY_S)
        return self._folder.fake_address.read_text().strip()

    def _why_it_ended(self, child: Child) -> str:
        words = self._folder.last_words(self._log_begun)
        cure = "name another with EMQ_SERVER"
        if "append only" in words.lower() or "aof" in words.lower():
            data = self._folder.path / "appendonlydir"
            cure = f"mend the files in {data} with valkey-check-aof --fix, or move them away"
        return (
            f"{self._who} ended with code {child.returncode} before it answered: {words}; "
            f"{cure} (log: {self._folder.log_path})"
        )

    def _argv(self, persist: bool) -> list[str]:
        if self._program.fake:
            return fake_argv(self._folder.fake_address)
        settings = {
            "port": "0",
            "unixsocket": str(self._folder.socket),
            "unixsocketperm": "600",
            "dir": str(self._folder.path),
            "save": "",
            "appendonly": "yes" if persist else "no",
            "appendfsync": "everysec",
            "aof-load-truncated": "yes",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        return [
            self._program.path,
            *(word for key, value in settings.items() for word in (f"--{key}", value)),
        ]
