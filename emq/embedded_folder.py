"""The folder an embedded server lives in: its files, its socket's address, and the two locks on it.

``server.lock`` is held by the server process itself, which inherited it: it is free exactly when no server
runs here. ``owner.lock`` is held by the process that started the server: while it is free, a server that
still answers is on its way out, because it ends with its owner.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote

from .errors import NoServer

# The kernel takes 107 bytes on Linux and 103 on macOS.
SOCKET_PATH_BYTES = 103
LOG_BYTES = 1_000_000
OWNER_LOCK = "owner.lock"
SERVER_LOCK = "server.lock"


class ServerFolder:
    """Where one embedded server keeps everything.

    Raises:
        NoServer: the folder cannot be made or written, or no socket path is short enough.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path.expanduser()))
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path / OWNER_LOCK, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise NoServer(
                f"the queue cannot live in {self.path}: {error.strerror}; name a folder that you may "
                "write to (CODEMOJEX_HOME), or set REDIS_URL to a running server"
            ) from error
        self.socket = self._short_socket()
        self.log_path = self.path / "server.log"
        self.fake_address = self.path / "fakeredis.address"
        self._address = self.path / "server.address"

    @property
    def socket_url(self) -> str:
        return f"unix://{quote(str(self.socket))}?db=0"

    def lock(self, name: str) -> int | None:
        """An open file that holds the lock ``name``, or None while another holds it; for :func:`let_go`."""
        file = os.open(self.path / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        except OSError as error:
            os.close(file)
            raise NoServer(
                f"the file system of {self.path} has no locks ({error.strerror}): "
                "choose a folder on a local disk"
            ) from error
        _locks.add(file)
        return file

    def publish(self, url: str, pid: int) -> None:
        """Tell other processes where the server is, all at once."""
        draft = self._address.with_suffix(".draft")
        draft.write_text(f"{url}\n{pid}\n")
        os.replace(draft, self._address)

    def published(self) -> tuple[str, int] | None:
        """What the server's owner told: its URL and its pid."""
        try:
            url, pid = self._address.read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        return url, int(pid)

    def withdraw_address(self) -> None:
        """No server is to be joined here from now on."""
        self._address.unlink(missing_ok=True)

    def withdraw(self) -> None:
        """Remove what leads to a server; only while holding the server's lock."""
        self.withdraw_address()
        self.fake_address.unlink(missing_ok=True)
        try:
            self.socket.unlink(missing_ok=True)
        except OSError as error:
            raise NoServer(
                f"{self.socket} is in the way of the queue ({error.strerror}): move it away"
            ) from error

    def open_log(self) -> int:
        """The log, opened for appending; a large one is set aside first (one is kept)."""
        if self.log_path.exists() and self.log_path.stat().st_size > LOG_BYTES:
            os.replace(self.log_path, self.log_path.with_suffix(".log.1"))
        return os.open(self.log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def last_words(self, since: int = 0) -> str:
        """The last line that the server logged after byte ``since``."""
        with self.log_path.open("rb") as log:
            log.seek(since)
            lines = log.read()[-8192:].decode(errors="replace").splitlines()
        spoken = [line.strip() for line in lines if line.strip()]
        return spoken[-1] if spoken else "it said nothing"

    def _short_socket(self) -> Path:
        beside = self.path / "emq.sock"
        if len(os.fsencode(beside)) <= SOCKET_PATH_BYTES:
            return beside
        name = hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:16] + ".sock"
        for folder in filter(None, (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp")):  # noqa: S108
            private = Path(folder) / f"emq-{os.getuid()}"
            if len(os.fsencode(private / name)) <= SOCKET_PATH_BYTES and _make_private(private):
                return private / name
        raise NoServer(
            f"{self.path} is too long a path for a socket, and no short folder for one was found: "
            "set TMPDIR to a short path, or choose a shorter folder"
        )


_locks: set[int] = set()


def let_go(lock: int) -> None:
    """Let go of a lock that this process took; one that a forked child inherited is none of the child's."""
    if lock in _locks:
        _locks.discard(lock)
        os.close(lock)


def _after_fork() -> None:
    # A lock lasts until its last copy is closed, and a child may outlive the process that holds it.
    for lock in _locks:
        with contextlib.suppress(OSError):
            os.close(lock)
    _locks.clear()


os.register_at_fork(after_in_child=_after_fork)


def _make_private(folder: Path) -> bool:
    """Whether ``folder`` exists or could be made, and is this user's alone."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and found.st_uid == os.getuid()
        and not found.st_mode & 0o077
    )
