"""Building, finding and loading the module: `emq native`, its sentences, and servers that are too old."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import emq
from emq import native
from tests.servers import Kind, ServerProcess, binary_of

EMQ = [sys.executable, "-W", "error", "-c", "from emq.cli import main; main()", "native"]


def emq_native(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "CC")}
    return subprocess.run(
        [*EMQ, *words], capture_output=True, text=True, timeout=200, check=False, env=kept | env
    )


@pytest.mark.usefixtures("module")
def test_the_path_is_the_last_line_and_the_file_may_be_loaded(tmp_path: Path) -> None:
    # when it is built, on a machine that is careful with its files
    old = os.umask(0o077)
    try:
        built = emq_native("build", XDG_CACHE_HOME=str(tmp_path))
    finally:
        os.umask(old)

    # then the last line is its path, and the lines above say what a server needs
    assert built.returncode == 0, built.stderr
    path = Path(built.stdout.splitlines()[-1])
    assert path.is_relative_to(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert "loadmodule" in built.stdout
    assert "enable-module-command" in built.stdout

    # and asking for the path builds nothing
    before = path.stat().st_mtime_ns
    asked = emq_native("path", XDG_CACHE_HOME=str(tmp_path))
    assert asked.stdout.splitlines()[-1] == str(path)
    assert path.stat().st_mtime_ns == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.usefixtures("module")
def test_asking_for_the_path_builds_what_is_not_there(tmp_path: Path) -> None:
    asked = emq_native("path", XDG_CACHE_HOME=str(tmp_path))

    assert Path(asked.stdout.splitlines()[-1]).is_file()


@pytest.mark.parametrize(
    ("env", "sentence"),
    [
        ({"CC": "no-such-compiler"}, "CC names 'no-such-compiler'"),
        ({"PATH": "/nowhere"}, "no C compiler"),
        ({"CC": "false"}, "the compiler failed"),
    ],
)
def test_what_stops_a_build_is_one_sentence(tmp_path: Path, env: dict[str, str], sentence: str) -> None:
    built = emq_native("build", XDG_CACHE_HOME=str(tmp_path), **env)

    assert built.returncode == 1
    assert built.stderr.startswith("emq: ")
    assert sentence in built.stderr
    assert not list(tmp_path.rglob("*.so"))


def test_a_cache_that_cannot_be_written_is_one_sentence(module: Path) -> None:
    built = emq_native("build", XDG_CACHE_HOME=str(module))

    assert built.returncode == 1
    assert "XDG_CACHE_HOME" in built.stderr


def test_a_running_server_takes_the_module_if_its_configuration_says_so(
    kind: Kind, module: Path, short_folder: Path, tmp_path: Path
) -> None:
    if binary_of(kind) is None:
        pytest.skip(f"this machine has no {kind}")
    server = ServerProcess(kind, short_folder / "p", "--enable-module-command", "local").start()
    cache = {"XDG_CACHE_HOME": str(tmp_path)}

    # given a server without it
    found = emq_native("check", server.url)
    assert found.returncode == 1
    assert "does not have the native commands" in found.stdout
    assert "with scripts" in found.stdout

    # when it is loaded, then it is there, and loading it again changes nothing
    for _ in range(2):
        loaded = emq_native("load", server.url, **cache)
        assert loaded.returncode == 0, loaded.stdout + loaded.stderr
        assert "loadmodule " in loaded.stdout
    found = emq_native("check", REDIS_URL=server.url)
    assert found.returncode == 0
    assert "with native commands" in found.stdout
    server.stop()


def test_a_server_that_may_not_load_modules_is_told_how_it_may(real_server_url: str, tmp_path: Path) -> None:
    try:
        native.find_compiler()
    except emq.NoNative as reason:
        pytest.skip(str(reason))
    loaded = emq_native("load", real_server_url, XDG_CACHE_HOME=str(tmp_path))

    assert loaded.returncode == 1
    assert "enable-module-command local" in loaded.stdout


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    found = emq_native("check", "redis://127.0.0.1:1")

    assert found.returncode == 1
    assert found.stderr.startswith("emq: no connection to the queue server")
    assert found.stderr.count("\n") == 1


def test_the_module_needs_no_library_and_offers_two_names(module: Path) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("this machine has no nm")
    lines = subprocess.run(
        [nm, "-D", str(module)], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert [line.split()[-2:] for line in lines] == [
        ["T", "RedisModule_OnLoad"],
        ["T", "RedisModule_OnUnload"],
    ]


class OldServer:
    """What the module sees of a server when it is loaded: functions by name. This one knows all but some."""

    def __init__(self, *unknown: str) -> None:
        self.unknown = unknown
        self.asked: list[str] = []
        self.logged: list[bytes] = []
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))
        log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
        self._log = log(lambda ctx, level, text, word: self.logged.append(text.replace(b"%s", word)))
        self._get = kind(self._find)
        self.context = (ctypes.c_void_p * 4)(ctypes.cast(self._get, ctypes.c_void_p).value)

    def _find(self, name: bytes, target: object) -> int:
        word = name.decode().removeprefix("RedisModule_")
        self.asked.append(word)
        if word in self.unknown:
            return 1
        target[0] = ctypes.cast(self._log, ctypes.c_void_p).value  # type: ignore[index]
        return 0


@pytest.mark.parametrize("unknown", ["ACLCheckKeyPermissions", "GetModuleUserFromUserName", "ACLAddLogEntry"])
def test_a_server_before_7_refuses_to_load_it_and_its_log_says_why(module: Path, unknown: str) -> None:
    # given a server that has no such function, as Redis 6.2 has none of these
    server = OldServer(unknown)

    # when
    outcome = ctypes.CDLL(str(module)).RedisModule_OnLoad(server.context, None, 0)

    # then it was refused before anything else was called
    assert outcome == 1
    (told,) = server.logged
    assert b"Redis 7.0" in told
    assert unknown.encode() in told


def test_a_server_that_cannot_even_log_refuses_to_load_it(module: Path) -> None:
    server = OldServer("Log", "SetModuleAttribs")

    assert ctypes.CDLL(str(module)).RedisModule_OnLoad(server.context, None, 0) == 1
    assert server.logged == []


def test_an_unloaded_module_leaves_a_server_that_can_load_it_again(own: ServerProcess, module: Path) -> None:
    for _ in range(3):
        assert own.command("MODULE", "UNLOAD", "emq") == b"+OK\r\n"
        assert b"unknown command" in own.command("EMQ.EXTENDS")
        assert own.command("MODULE", "LOAD", str(module)) == b"+OK\r\n"
    assert b"wrong number of arguments" in own.command("EMQ.EXTENDS")
    assert own.command("MODULE", "LOAD", str(module)).startswith(b"-ERR")
    assert b"wrong number of arguments" in own.command("EMQ.EXTENDS")


def test_the_wheel_carries_the_source() -> None:
    settings = (Path(emq.__file__).parents[1] / "pyproject.toml").read_text()

    assert '"native/emq.c" = "emq/emq.c"' in settings
    assert native.source().name == "emq.c"
