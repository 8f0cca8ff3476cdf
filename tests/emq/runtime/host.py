"""A process of its own that holds an embedded server, for tests that kill it.

As a module it is that process: one line of stdin is one verb (``ensure``, ``stop``, ``thread``), one line of
stdout is what it has then.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any


class Host:
    """The test's handle on such a process."""

    def __init__(self, folder: Path, binary: str = "", environment: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.emq.runtime.host", str(folder), binary],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )

    def __enter__(self) -> Host:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, verb: str) -> dict[str, Any]:
        """Send a verb and wait for what the process has then: url, pid, owned, or error."""
        self.tell(verb)
        return self.answer()

    def tell(self, verb: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(verb + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            assert self._process.stderr is not None
            raise AssertionError(f"the host ended: {self._process.stderr.read()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """SIGKILL: it gets no chance to stop its server."""
        self._process.kill()
        self._process.wait(60)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


async def _start(folder: Path, binary: str) -> Any:
    from emq.embedded import EmbeddedServer

    return await EmbeddedServer.start(folder, binary=binary or None)


async def _serve(folder: Path, binary: str) -> None:
    from emq.errors import EmqError

    server: Any = None
    while verb := await asyncio.to_thread(sys.stdin.readline):
        try:
            if verb == "thread\n":
                server = await _start_on_a_thread_that_ends(folder, binary)
            elif verb == "stop\n":
                await server.stop()
            elif server is None:
                server = await _start(folder, binary)
            else:
                await server.ensure()
            answer = {"url": server.url, "pid": server.pid, "owned": server.owned}
        except EmqError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


async def _start_on_a_thread_that_ends(folder: Path, binary: str) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(_start(folder, binary))))
    thread.start()
    await asyncio.to_thread(thread.join)
    return found[0]


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), sys.argv[2]))
