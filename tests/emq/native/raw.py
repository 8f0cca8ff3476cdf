"""One blocking connection to a queue server, for tests that must see the very replies."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from emq.resp import MORE, Word, pack, reader
from emq.scripts import script


class Raw:
    """Sends commands as they are; error replies are :class:`emq.resp.ServerError` values."""

    def __init__(self, path: Path | str, *, user: str = "") -> None:
        self._wire = socket.socket(socket.AF_UNIX)
        self._wire.settimeout(60)
        self._wire.connect(str(path))
        self._reader = reader()
        if user:
            assert self.ask("AUTH", user, "secret") == b"OK"

    def __enter__(self) -> Raw:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wire.close()

    def ask(self, *words: Word) -> Any:
        return self.flush([words])[0]

    def flush(self, commands: Sequence[Sequence[Word]]) -> list[Any]:
        """All commands in one write, then all replies."""
        self._wire.sendall(b"".join(pack(words) for words in commands))
        replies: list[Any] = []
        while len(replies) < len(commands):
            reply = self._reader.gets()
            if reply is MORE:
                data = self._wire.recv(1 << 20)
                assert data, "the server hung up"
                self._reader.feed(data)
            else:
                replies.append(reply)
        return replies

    def load_scripts(self) -> None:
        for name in ("extend_lock", "extend_locks"):
            assert self.ask("SCRIPT", "LOAD", script(name).text) == script(name).sha.encode()

    def now_ms(self) -> int:
        seconds, micros = self.ask("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    def run_id(self) -> bytes:
        lines = self.ask("INFO", "server").splitlines()
        (found,) = (line for line in lines if line.startswith(b"run_id:"))
        return bytes(found[7:])
