"""The transitions: one Lua file each, read once, known to servers by its SHA-1.

A line ``-- include: name`` in a script stands for ``lua/shared/name.lua``.
"""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

TWINS = {"extend_lock": "EMQ.EXTEND", "extend_locks": "EMQ.EXTENDS"}
"""Scripts that native/emq.c also offers as commands: the same keys, the same arguments, the same replies."""

_include = re.compile(r"^-- include: ([a-z_]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Script:
    """One transition: its name, its full text, and the SHA-1 that EVALSHA takes."""

    name: str
    text: str
    sha: str

    @property
    def twin(self) -> str | None:
        """The native command with the same keys, arguments and replies, if there is one."""
        return TWINS.get(self.name)


@functools.cache
def folder() -> Path:
    """Where the Lua files are: inside an installed package, at the top of the tree in a checkout."""
    here = Path(__file__).resolve().parent
    inside = here / "lua"
    return inside if inside.is_dir() else here.parent / "lua"


@functools.cache
def script(name: str) -> Script:
    """The transition called ``name``, with its shared blocks put in."""
    text = (folder() / f"{name}.lua").read_text(encoding="utf-8")
    text = _include.sub(lambda line: _shared(line[1]), text)
    return Script(name, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def _shared(name: str) -> str:
    return (folder() / "shared" / f"{name}.lua").read_text(encoding="utf-8").rstrip("\n")
