"""A hundred thousand random calls: the server lives, every answer is one of the few, and no byte is touched that
is not the module's.

The sanitised run builds the module with gcc's address and undefined-behaviour sanitisers and starts redis-server with
their runtime preloaded. A redis-server that is linked to a shared allocator then takes all its memory from the
sanitiser, so every access of the module is checked against the true bounds of the server's strings, too. Another
test breaks the module on purpose and expects the sanitiser to say so. `EMQ_CALLS` sets the number of calls.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emq import native
from emq.resp import ServerError
from tests.emq.native import fuzz
from tests.emq.native.conftest import server_with
from tests.emq.native.raw import Raw
from tests.servers import Kind, ServerProcess, binary_of

CALLS = int(os.environ.get("EMQ_CALLS", "100000"))
SANITISED = (
    "-std=c99", "-g", "-O1", "-shared", "-fPIC", "-fvisibility=hidden",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer",
)  # fmt: skip
KNOWN = {"ERR", "EMQARG", "EMQSTALE", "EMQIDLE", "WRONGTYPE"}


def feed(raw: Raw, seed: int, calls: int) -> Counter[str]:
    """Send the calls and judge each answer; how often each kind was given."""
    seen: Counter[str] = Counter()
    for burst in fuzz.commands(seed, calls):
        for words, reply in zip(burst, raw.flush(burst), strict=True):
            if str(words[0]).upper().startswith("EMQ."):
                seen[_judged(words, reply)] += 1
    return seen


def _judged(words: tuple[Any, ...], reply: Any) -> str:
    if isinstance(reply, ServerError):
        assert reply.code in KNOWN, reply
        return reply.code
    if isinstance(reply, list):
        given = iter(word if isinstance(word, bytes) else str(word).encode() for word in words[5::2])
        assert all(id in given for id in reply), "the failed ids are not in input order"
        return "list"
    assert reply in (1, -1)
    return str(reply)


@pytest.fixture
def runtimes(module: Path) -> str:
    """The sanitisers' runtimes, as LD_PRELOAD takes them."""
    compiler = native.find_compiler()
    found = []
    for name in ("libasan.so", "libubsan.so"):
        asked = subprocess.run(
            [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False
        )
        path = Path(asked.stdout.strip())
        if not path.is_absolute() or not path.exists():
            pytest.skip(f"{compiler[0]} has no {name}: no sanitised build here")
        found.append(str(path.resolve()))
    return " ".join(found)


@pytest.fixture
def seen_by_sanitiser(runtimes: str) -> None:
    """Only where redis-server takes its memory from a shared allocator, which the sanitiser then replaces."""
    binary = binary_of(Kind.REDIS7)
    if binary is None:
        pytest.skip("this machine has no redis7")
    if b"mallctl" in Path(binary).read_bytes() and b"libjemalloc.so" not in Path(binary).read_bytes():
        pytest.skip("this redis-server carries its allocator in itself: the sanitiser cannot see its memory")


def start_sanitised(folder: Path, runtimes: str, module: Path) -> ServerProcess:
    """A redis-server under the sanitisers that leaves their reports in ``folder``."""
    server = server_with(Kind.REDIS7, folder / "p", module)
    with pytest.MonkeyPatch.context() as env:
        env.setenv("LD_PRELOAD", runtimes)
        env.setenv("ASAN_OPTIONS", f"detect_leaks=0:abort_on_error=1:log_path={folder / 'report'}")
        env.setenv("UBSAN_OPTIONS", f"abort_on_error=1:log_path={folder / 'report'}")
        return server.start()


def reports(folder: Path) -> str:
    return "".join(path.read_text(errors="replace") for path in folder.glob("report*"))


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("seen_by_sanitiser")
def test_a_sanitised_build_has_nothing_to_report(runtimes: str, short_folder: Path) -> None:
    # given
    native.compile_module(short_folder / "emq.so", SANITISED)
    server = start_sanitised(short_folder, runtimes, short_folder / "emq.so")

    # when
    try:
        with Raw(server.socket_path) as raw:
            seen = feed(raw, 7, CALLS)
            assert raw.ask("PING") == b"PONG"
    finally:
        server.stop()

    # then
    assert reports(short_folder) == ""
    assert sum(seen.values()) == CALLS
    assert seen.keys() >= {*KNOWN, "list", "1", "-1"}


@pytest.mark.usefixtures("seen_by_sanitiser")
def test_the_sanitiser_would_report_a_byte_too_far(
    runtimes: str, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a module whose buffer for row names is four bytes short
    text = native.source().read_text()
    broken = text.replace("base.length + 4 + longest", "base.length + longest")
    assert broken != text
    (short_folder / "emq.c").write_text(broken)
    monkeypatch.setattr(native, "source", lambda: short_folder / "emq.c")
    native.compile_module(short_folder / "emq.so", SANITISED)
    server = start_sanitised(short_folder, runtimes, short_folder / "emq.so")

    # when
    with Raw(server.socket_path) as raw, pytest.raises((AssertionError, OSError)):
        raw.ask("EMQ.EXTENDS", "2", "emq:{q}:active", "emq:{q}:", "1", "JOB0KHTOWnGLuA", "1")
    server.stop()

    # then
    assert "heap-buffer-overflow" in reports(short_folder)


def test_random_calls_leave_no_memory_behind(own: ServerProcess) -> None:
    with Raw(own.socket_path) as raw:
        used = []
        for _ in range(3):
            seen = feed(raw, 11, 5_000)
            raw.ask("FLUSHALL")
            raw.ask("SCRIPT", "FLUSH")
            used.append(_used_memory(raw))

    assert sum(seen.values()) == 5_000
    assert used[2] - used[1] < 100_000


def _used_memory(raw: Raw) -> int:
    (line,) = (line for line in raw.ask("INFO", "memory").splitlines() if line.startswith(b"used_memory:"))
    return int(line.split(b":")[1])
