"""The native module: its source, building it on this machine, and loading it into a server.

Nothing here is needed to use emq. A server without the module runs the scripts, and most managed services cannot
load modules at all.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .connector import Connector
from .errors import NoNative
from .executors import has_twins
from .resp import ServerError
from .scripts import TWINS

FLAGS = (
    "-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
    # It calls nothing but the server, so one file fits servers of any libc.
    "-ffreestanding", "-nostdlib", "-fno-stack-protector",
)  # fmt: skip
COMPILERS = ("cc", "gcc", "clang")

ALLOWING = """\
The server loads it at its start with this line in its configuration:
    loadmodule {path}
or while it runs, with `emq native load URL`, if its configuration says
    enable-module-command local     (or yes; read at the server's start only)
The file must be on the server's machine, where the server's user may read it and it has its x bits (0755).\
"""


def source() -> Path:
    """The C file: inside an installed package, at the top of the tree in a checkout."""
    here = Path(__file__).resolve().parent
    inside = here / "emq.c"
    return inside if inside.is_file() else here.parent / "native" / "emq.c"


def built_path() -> Path:
    """Where this version of the module is kept once it is built: in ``$XDG_CACHE_HOME``, or ``~/.cache``."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    made_of = source().read_bytes() + " ".join(FLAGS).encode()
    version = hashlib.sha256(made_of).hexdigest()[:12]
    return Path(home) / "emq" / f"emq-{version}-{platform.machine() or 'any'}.so"


def find_compiler() -> list[str]:
    """The words that begin a call of the C compiler: ``$CC``, else the first of cc, gcc, clang on PATH.

    Raises:
        NoNative: there is none.
    """
    named = shlex.split(os.environ.get("CC", ""))
    if named:
        if shutil.which(named[0]):
            return named
        raise NoNative(
            f"CC names {named[0]!r}, which is no program on PATH: set it to a C compiler, or unset it"
        )
    for name in COMPILERS:
        if shutil.which(name):
            return [name]
    raise NoNative(
        "this machine has no C compiler (cc, gcc, clang): install one, or build the module on a like machine. "
        "emq works without it, with scripts."
    )


def compile_module(target: Path, flags: Sequence[str] = FLAGS) -> None:
    """Build the module as ``target``, in one step: whoever looks finds the old file, none, or the whole new one.

    Raises:
        NoNative: there is no compiler, it failed, or the folder cannot be written; the sentence says which.
    """
    compiler = find_compiler()
    try:
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=target.parent, suffix=".so")
        os.close(number)
    except OSError as error:
        raise NoNative(
            f"{target.parent} cannot be written ({error}): set XDG_CACHE_HOME elsewhere"
        ) from error
    try:
        call = [*compiler, *flags, "-o", name, str(source())]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoNative(f"the compiler failed: {shlex.join(call)}\n{done.stderr.strip()}")
        os.chmod(name, 0o755)  # noqa: S103 - a server refuses a module without its x bits
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def build(*, anew: bool = False) -> Path:
    """The built module; it is built now if this version of it is not there yet, or ``anew``.

    Raises:
        NoNative: it cannot be built.
    """
    path = built_path()
    if anew or not path.is_file():
        compile_module(path)
    return path


@dataclass(frozen=True, slots=True)
class Primary:
    """What one server said.

    Attributes:
        shown: its address.
        loaded: it has the native commands now.
        trouble: why not, and what to do about it.
    """

    shown: str
    loaded: bool
    trouble: str = ""


async def look(conn: Connector) -> list[Primary]:
    """Whether each primary has the native commands.

    Raises:
        NotSent, Uncertain: one did not answer.
    """
    return [
        Primary(
            shown, has_twins(reply), f"cannot say ({reply.code})" if isinstance(reply, ServerError) else ""
        )
        for shown, reply in await conn.on_each_primary("COMMAND", "INFO", *TWINS.values())
    ]


async def load(conn: Connector, path: Path) -> list[Primary]:
    """Load the module into each primary that does not have it; ``path`` is on the servers' machines.

    Raises:
        NotSent, Uncertain: one did not answer.
    """
    before = await look(conn)
    if all(primary.loaded for primary in before):
        return before
    replies = dict(await conn.on_each_primary("MODULE", "LOAD", str(path)))
    return [
        primary if primary.loaded else _loaded(primary.shown, replies[primary.shown], path)
        for primary in before
    ]


def _loaded(shown: str, reply: object, path: Path) -> Primary:
    if not isinstance(reply, ServerError):
        return Primary(shown, loaded=True)
    words = reply.message.lower()
    if "not allowed" in words:
        cure = "its configuration needs `enable-module-command local` (or yes), or `loadmodule` and a restart"
    elif "unknown command" in words or reply.code == "NOPERM":
        cure = "this server or this user cannot load modules; scripts do the same work"
    else:
        cure = f"is {path} on its machine, may its user read it, is it Redis 7.0, Valkey 8 or later? Its log says"
    return Primary(shown, loaded=False, trouble=f"{reply.code} {reply.message.rstrip('.')}: {cure}")
