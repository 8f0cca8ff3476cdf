"""Processes in milliseconds: one that has imported everything and forks a child for each program asked for.

A child is a process like any other (its own pid, session, environment, output); it only starts a hundred times
faster than an interpreter, which is what makes thousands of kills affordable. As a module this is that one
process: a line of JSON on stdin asks for a child, a line on stdout says what became of one. When stdin ends,
everything ends.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import selectors
import signal
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

_PR_SET_PDEATHSIG = 1


@dataclass
class Child:
    """A program that was started. ``code`` is its exit code, below 0 for a signal, None while it runs."""

    name: str
    pid: int
    log: Path
    code: int | None = None
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    @property
    def runs(self) -> bool:
        return self.code is None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; nothing happens when it has ended."""
        if number is signal.SIGCONT:
            self.stopped.clear()
        if self.runs:
            os.kill(self.pid, number)

    async def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        self.signal(signal.SIGKILL)
        await asyncio.wait_for(self.ended.wait(), 60)

    async def stop(self) -> int:
        """SIGTERM; its exit code."""
        self.signal(signal.SIGTERM)
        await asyncio.wait_for(self.ended.wait(), 60)
        assert self.code is not None
        return self.code


class Nursery:
    """The test's handle on the process that forks."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._born: asyncio.Queue[int] = asyncio.Queue()
        self._children: dict[int, Child] = {}
        self._early: dict[int, list[dict[str, Any]]] = {}
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Nursery:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.faults.nursery",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
            cwd=Path(__file__).parents[2],
            start_new_session=True,
        )
        assert self._process.stdout is not None
        await asyncio.wait_for(self._process.stdout.readline(), 60)
        self._reading = asyncio.create_task(self._read(self._process.stdout))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await asyncio.wait_for(self._process.wait(), 60)
        assert self._reading is not None
        await self._reading

    async def start(self, name: str, words: list[str], environment: dict[str, str], log: Path) -> Child:
        """Run ``host`` with these words, in a process of its own."""
        assert self._process is not None
        assert self._process.stdin is not None
        log.touch()
        asked = {"words": words, "environment": environment, "log": str(log)}
        async with self._turn:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            await self._process.stdin.drain()
            pid = await asyncio.wait_for(self._born.get(), 60)
        child = self._children[pid] = Child(name, pid, log)
        for said in self._early.pop(pid, []):
            self._note(said)
        return child

    async def _read(self, lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            said = json.loads(line)
            if "born" in said:
                self._born.put_nowait(said["born"])
            else:
                self._note(said)

    def _note(self, said: dict[str, Any]) -> None:
        child = self._children.get(said["pid"])
        if child is None:
            self._early.setdefault(said["pid"], []).append(said)
        elif said["state"] == "stopped":
            child.stopped.set()
        else:
            child.code = said["code"]
            child.ended.set()
            del self._children[said["pid"]]


class _Forker:
    """The forking process: one thread, no event loop, everything imported."""

    def __init__(self) -> None:
        self._children: set[int] = set()
        self._woken, waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(waker, False)
        self._waker = waker
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        self._asked = b""

    def serve(self) -> None:
        gc.freeze()
        with selectors.DefaultSelector() as ready:
            ready.register(0, selectors.EVENT_READ)
            ready.register(self._woken, selectors.EVENT_READ)
            _say(ready=True)
            while True:
                for key, _ in ready.select():
                    if key.fd == self._woken:
                        os.read(self._woken, 65536)
                    elif not self._take():
                        self._end_all()
                        return
                self._look()

    def _take(self) -> bool:
        data = os.read(0, 65536)
        self._asked += data
        while b"\n" in self._asked:
            line, _, self._asked = self._asked.partition(b"\n")
            self._fork(**json.loads(line))
        return bool(data)

    def _fork(self, words: list[str], environment: dict[str, str], log: str) -> None:
        pid = os.fork()
        if pid:
            self._children.add(pid)
            _say(born=pid)
            return
        code = 70
        try:
            self._become(environment, log)
            code = _run(words)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _become(self, environment: dict[str, str], log: str) -> None:
        """Leave everything of the parent behind, and end with it, however it ends."""
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(self._woken)
        os.close(self._waker)
        os.setsid()
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for number, other in ((0, os.open(os.devnull, os.O_RDONLY)), (1, out), (2, out)):
            os.dup2(other, number)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(Path(log).parent)

    def _look(self) -> None:
        """Say which children have stopped or ended."""
        while self._children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if not pid:
                return
            if os.WIFSTOPPED(status):
                _say(pid=pid, state="stopped")
            else:
                self._children.discard(pid)
                _say(pid=pid, state="ended", code=os.waitstatus_to_exitcode(status))

    def _end_all(self) -> None:
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)


def _run(words: list[str]) -> int:
    from tests.faults import host

    try:
        host.main(words)
    except SystemExit as leaving:
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return 0


def _say(**words: Any) -> None:
    os.write(1, json.dumps(words).encode() + b"\n")


def _import_all() -> None:
    import aiosqlite  # noqa: F401
    import psycopg  # noqa: F401
    import uvloop  # noqa: F401

    import tests.faults.host  # noqa: F401


if __name__ == "__main__":
    _import_all()
    _Forker().serve()
