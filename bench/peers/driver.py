"""A peer's own process, asked over JSON lines: `{"do": "drain", "jobs": 10000}` -> `{"seconds": 1.9}`.

The process lives through the whole run, so its start is never measured. It answers `{"missing": "..."}` to a verb
that its library does not have, and `{"error": "..."}` when something broke.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.peers.installing import Program

ANSWER_S = 300.0


class Missing(Exception):
    """The peer has no such thing."""


class Broken(Exception):
    """The peer's process failed; the text says what it said."""


class Driver:
    """Starts with `async with`, and ends with it.

    Args:
        url: of the server, ``redis://127.0.0.1:port/0``.
        log: where its stderr goes.
    """

    def __init__(self, program: Program, url: str, log: Path) -> None:
        self._program = program
        self._url = url
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._given_up = ""

    async def __aenter__(self) -> Driver:
        pipe = asyncio.subprocess.PIPE
        with self._log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._program.words,
                self._url,
                stdin=pipe,
                stdout=pipe,
                stderr=log,
                env={**os.environ, **self._program.env},
            )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def seconds(self, verb: str, jobs: int) -> float:
        """How long ``jobs`` took, by the peer's own clock.

        Raises:
            Missing, Broken: as their names say.
        """
        return float((await self._ask(verb, jobs))["seconds"])

    async def text(self, verb: str) -> str:
        """What the peer has to say to a question without figures.

        Raises:
            Missing, Broken: as their names say.
        """
        return str((await self._ask(verb, 0))["text"])

    async def _ask(self, verb: str, jobs: int) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise Broken("it was not started")
        if self._given_up:
            raise Broken(self._given_up)
        try:
            process.stdin.write(json.dumps({"do": verb, "jobs": jobs}).encode() + b"\n")
            await process.stdin.drain()
            line = await asyncio.wait_for(process.stdout.readline(), ANSWER_S)
        except TimeoutError as error:
            process.kill()
            self._given_up = f"no answer to `{verb}` in {ANSWER_S:.0f} s"
            raise Broken(self._given_up) from error
        except (OSError, RuntimeError) as error:  # uvloop says it in the second way
            raise Broken(self._last_words()) from error
        if not line:
            raise Broken(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "missing" in answer:
            raise Missing(answer["missing"])
        if "error" in answer:
            raise Broken(answer["error"])
        return answer

    def _last_words(self) -> str:
        said = self._log.read_text(errors="replace").strip().splitlines()
        return f"it ended: {said[-1] if said else 'without a word'}"
