"""Each peer in an environment of its own, exactly as pins.toml says, below bench/.peers, which git ignores."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.peers.roster import Peer

DRIVERS = Path(__file__).with_name("drivers")
HOME = Path(__file__).parents[1] / ".peers"
# Names a Python for the peers that the one running this is too old for.
PYTHON = "PEERS_PYTHON"

_INSTALL_S = 600


class NotInstalled(Exception):
    """A peer cannot be had on this machine; the text says why."""


@dataclass(frozen=True, slots=True)
class Program:
    """How a peer's driver is started.

    Attributes:
        words: the program and its arguments, without the server's address.
        env: variables it needs beside those of this process.
    """

    words: tuple[str, ...]
    env: dict[str, str]


def install(peer: Peer) -> Program:
    """Install a peer unless that was done before.

    Raises:
        NotInstalled: its runtime is missing, or a package could not be installed.
    """
    pins = _pins()[peer.pins]
    folder = HOME / peer.pins
    if "npm" in pins:
        return _node(peer, folder, pins["npm"])
    return _python(peer, folder, pins["pypi"], tuple(pins.get("python", (3, 11))))


def version(peer: Peer) -> str:
    """The pinned version of a peer's own package."""
    pins = _pins()[peer.pins]
    first: str = pins.get("npm", pins.get("pypi"))[0]
    return first.replace("==", "@").rpartition("@")[2]


@cache
def _pins() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("pins.toml").read_text(encoding="utf-8"))


def _python(peer: Peer, folder: Path, packages: list[str], oldest: tuple[int, ...]) -> Program:
    program = folder / "bin" / "python"
    if not _is_there(folder, packages):
        shutil.rmtree(folder, ignore_errors=True)
        _run(_pythons(oldest), "-m", "venv", str(folder))
        _run(str(program), "-m", "pip", "install", "-q", "--no-deps", *packages)
        _is_now_there(folder, packages)
    return Program((str(program), str(DRIVERS / peer.driver)), {})


def _node(peer: Peer, folder: Path, packages: list[str]) -> Program:
    if not (shutil.which("node") and shutil.which("npm")):
        raise NotInstalled("Node.js with npm is not on this machine")
    if not _is_there(folder, packages):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text("{}")
        _run("npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", *packages)
        _is_now_there(folder, packages)
    return Program(("node", str(DRIVERS / peer.driver)), {"NODE_PATH": str(folder / "node_modules")})


def _is_there(folder: Path, packages: list[str]) -> bool:
    mark = folder / "installed"
    return mark.exists() and mark.read_text() == "\n".join(packages)


def _is_now_there(folder: Path, packages: list[str]) -> None:
    (folder / "installed").write_text("\n".join(packages))


def _pythons(oldest: tuple[int, ...]) -> str:
    """A Python that is new enough: this one, else the one that is named, else one beside it or on PATH."""
    if sys.version_info >= oldest:
        return sys.executable
    wanted = ".".join(map(str, oldest))
    test = f"import sys, venv, ensurepip; sys.exit(sys.version_info < {oldest})"
    for program in _candidates(oldest):
        if subprocess.run([program, "-c", test], capture_output=True, check=False).returncode == 0:
            return program
    raise NotInstalled(f"it needs Python {wanted} or newer, and none was found; {PYTHON} may name one")


def _candidates(oldest: tuple[int, ...]) -> Iterator[str]:
    if PYTHON in os.environ:
        yield os.environ[PYTHON]
    names = [f"python3.{minor}" for minor in range(oldest[1], oldest[1] + 4)]
    for name in names:
        if found := shutil.which(name):
            yield found
        # Version managers keep one folder for each version.
        yield from map(str, sorted(Path(sys.base_prefix).parent.glob(f"*/bin/{name}")))


def _run(*words: str) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise NotInstalled(f"installing took more than {_INSTALL_S} s") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise NotInstalled(f"it cannot be installed: {said[-1]}")
