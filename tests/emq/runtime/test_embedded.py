"""The embedded server: found, started, shared, kept, ended with its owner."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from emq.embedded import EmbeddedServer
from emq.errors import NoServer
from emq.launcher import CANNOT_RUN, PARENT_GONE
from tests.emq.runtime.host import Host
from tests.emq.runtime.processes import alive, children, eventually
from tests.resp import packed
from tests.servers import LAUNCHER, Kind, binary_of

REDIS7 = binary_of(Kind.REDIS7)
VALKEY = binary_of(Kind.VALKEY)
needs_redis7 = pytest.mark.skipif(REDIS7 is None, reason="no redis-server on PATH")


@pytest.fixture(params=[Kind.REDIS7, Kind.VALKEY], ids=str)
def binary(request: pytest.FixtureRequest) -> str:
    path = binary_of(request.param)
    if path is None:
        pytest.skip(f"this machine has no {request.param}")
    return path


@pytest.fixture(autouse=True)
def unconfigured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMQ_SERVER", raising=False)


@pytest.fixture
def host(short_folder: Path, binary: str) -> Iterator[Host]:
    with Host(short_folder, binary) as host:
        yield host


async def say(url: str, *words: str) -> bytes:
    """One command to a server on a unix socket or a port."""
    address = urlsplit(url)
    if address.scheme == "unix":
        reader, writer = await asyncio.open_unix_connection(unquote(address.path))
    else:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(packed(*words))
    reply = await reader.read(65536)
    writer.close()
    await writer.wait_closed()
    return reply


async def test_it_listens_on_a_private_unix_socket_only(short_folder: Path, binary: str) -> None:
    # given
    folder = short_folder / "home"

    # when
    server = await EmbeddedServer.start(folder, binary=binary)

    # then
    try:
        where = Path(unquote(urlsplit(server.url).path))
        assert server.url == f"unix://{folder}/emq.sock?db=0"
        assert stat.S_IMODE(where.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert os.getsid(server.pid) == server.pid, "Ctrl-C in the terminal would reach the server"
        for setting, value in (
            ("port", "0"),
            ("appendonly", "yes"),
            ("appendfsync", "everysec"),
            ("save", ""),
            ("maxmemory-policy", "noeviction"),
        ):
            assert (await say(server.url, "CONFIG", "GET", setting)).split(b"\r\n")[4] == value.encode()
    finally:
        await server.stop()


async def test_it_keeps_its_data_over_a_stop_and_a_start(short_folder: Path, binary: str) -> None:
    # given
    server = await EmbeddedServer.start(short_folder, binary=binary)
    await say(server.url, "SET", "k", "v")
    await server.stop()
    await server.stop()
    assert not alive(server.pid)

    # when
    again = await EmbeddedServer.start(short_folder, binary=binary)

    # then
    reply = await say(again.url, "GET", "k")
    await again.stop()
    assert reply == b"$1\r\nv\r\n"
    assert again.url == server.url


async def test_without_persistence_it_forgets(short_folder: Path) -> None:
    # given
    server = await EmbeddedServer.start(short_folder, persist=False)
    await say(server.url, "SET", "k", "v")
    await server.stop()

    # when
    again = await EmbeddedServer.start(short_folder, persist=False)

    # then
    reply = await say(again.url, "GET", "k")
    await again.stop()
    assert reply == b"$-1\r\n"


async def test_a_killed_owner_takes_its_server_along_and_the_next_finds_the_data(
    short_folder: Path, binary: str, host: Host
) -> None:
    # given
    first = host.ask("ensure")
    assert first["owned"]
    await say(first["url"], "SET", "k", "v")

    # when: killed, and started again without a pause
    host.kill()
    server = await EmbeddedServer.start(short_folder, binary=binary)

    # then
    reply = await say(server.url, "GET", "k")
    assert server.owned
    assert not alive(first["pid"])
    await server.stop()
    assert reply == b"$1\r\nv\r\n"


def test_the_end_of_the_thread_that_asked_does_not_end_the_server(host: Host) -> None:
    # given
    server = host.ask("thread")

    # when: a server that was told to end would be gone by then
    time.sleep(0.5)

    # then
    assert alive(server["pid"])
    assert host.ask("ensure")["pid"] == server["pid"]
    host.kill()
    eventually(lambda: not alive(server["pid"]))


def test_an_owner_that_just_ends_takes_its_server_along(short_folder: Path) -> None:
    # given
    program = (
        "import asyncio, sys, pathlib; from emq.embedded import EmbeddedServer\n"
        "server = asyncio.run(EmbeddedServer.start(pathlib.Path(sys.argv[1]), binary=sys.argv[2]))\n"
        "print(server.pid)"
    )

    # when
    ended = subprocess.run(
        [sys.executable, "-c", program, str(short_folder), VALKEY or REDIS7 or ""],
        capture_output=True,
        text=True,
        check=True,
    )

    # then
    eventually(lambda: not alive(int(ended.stdout)))


async def test_two_processes_on_one_folder_share_one_server(
    short_folder: Path, binary: str, host: Host
) -> None:
    # given
    first = host.ask("ensure")

    # when
    joined = await EmbeddedServer.start(short_folder, binary=binary)

    # then
    assert (joined.url, joined.pid, joined.owned) == (first["url"], first["pid"], False)
    await joined.stop()
    assert alive(first["pid"])


async def test_a_joined_process_takes_over_when_the_owner_is_killed(
    short_folder: Path, binary: str, host: Host
) -> None:
    # given
    first = host.ask("ensure")
    joined = await EmbeddedServer.start(short_folder, binary=binary)
    await say(joined.url, "SET", "k", "v")

    # when
    host.kill()
    eventually(lambda: not alive(first["pid"]))
    await joined.ensure()

    # then
    reply = await say(joined.url, "GET", "k")
    assert joined.owned
    await joined.stop()
    assert reply == b"$1\r\nv\r\n"
    assert joined.url == first["url"]


def test_many_processes_at_once_start_one_server(short_folder: Path) -> None:
    # given
    hosts = [Host(short_folder) for _ in range(4)]

    # when
    try:
        for host in hosts:
            host.tell("ensure")
        answers = [host.answer() for host in hosts]
    finally:
        for host in hosts:
            host.kill()

    # then
    assert len({answer["pid"] for answer in answers}) == 1
    assert [answer["owned"] for answer in answers].count(True) == 1
    eventually(lambda: not alive(answers[0]["pid"]))


async def test_a_server_killed_under_its_owner_is_started_again(short_folder: Path, binary: str) -> None:
    # given
    server = await EmbeddedServer.start(short_folder, binary=binary)
    await say(server.url, "SET", "k", "v")
    os.kill(server.pid, 9)

    # when
    eventually(lambda: not alive(server.pid))
    await server.ensure()

    # then
    reply = await say(server.url, "GET", "k")
    await server.stop()
    assert reply == b"$1\r\nv\r\n"


async def test_a_new_start_waits_for_a_server_that_takes_its_time_to_end(
    short_folder: Path, binary: str, host: Host
) -> None:
    # given: the server cannot react to the end of its owner yet
    first = host.ask("ensure")
    os.kill(first["pid"], 19)
    host.kill()

    # when
    starting = asyncio.create_task(EmbeddedServer.start(short_folder, binary=binary))
    done, _ = await asyncio.wait([starting], timeout=0.3)
    os.kill(first["pid"], 18)
    server = await starting

    # then
    assert not done
    assert server.owned
    assert server.pid != first["pid"]
    await server.stop()


async def test_a_path_with_spaces_and_signs_works(short_folder: Path, binary: str) -> None:
    # given
    folder = short_folder / "a b'c\"d #?% é"

    # when
    server = await EmbeddedServer.start(folder, binary=binary)

    # then
    reply = await say(server.url, "PING")
    await server.stop()
    assert reply == b"+PONG\r\n"
    assert (folder / "appendonlydir").is_dir()


async def test_a_path_of_200_characters_gets_a_short_socket(short_folder: Path, binary: str) -> None:
    # given
    folder = short_folder / ("x" * 200)

    # when
    server = await EmbeddedServer.start(folder, binary=binary)
    joined = await EmbeddedServer.start(folder, binary=binary)

    # then
    where = Path(urlsplit(server.url).path)
    assert len(str(where)) < 104
    assert stat.S_IMODE(where.parent.stat().st_mode) == 0o700
    assert joined.url == server.url
    await server.stop()
    assert not where.exists()


async def test_a_stale_socket_file_is_no_obstacle(short_folder: Path, binary: str) -> None:
    # given
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(short_folder / "emq.sock"))

    # when
    server = await EmbeddedServer.start(short_folder, binary=binary)

    # then
    assert await say(server.url, "PING") == b"+PONG\r\n"
    await server.stop()


async def test_a_truncated_log_of_commands_costs_only_its_tail(short_folder: Path, binary: str) -> None:
    # given
    server = await EmbeddedServer.start(short_folder, binary=binary)
    await say(server.url, "SET", "k", "v")
    await say(server.url, "SET", "tail", "x" * 100)
    await server.stop()
    (aof,) = (short_folder / "appendonlydir").glob("*.incr.aof")
    os.truncate(aof, aof.stat().st_size - 30)

    # when
    server = await EmbeddedServer.start(short_folder, binary=binary)

    # then
    replies = [await say(server.url, "GET", key) for key in ("k", "tail")]
    await server.stop()
    assert replies == [b"$1\r\nv\r\n", b"$-1\r\n"]


async def test_a_broken_log_of_commands_is_one_sentence(short_folder: Path, binary: str) -> None:
    # given
    server = await EmbeddedServer.start(short_folder, binary=binary)
    await say(server.url, "SET", "k", "v")
    await server.stop()
    (aof,) = (short_folder / "appendonlydir").glob("*.incr.aof")
    aof.write_bytes(b"*3\r\n$3\r\nSET\r\nnonsense" * 5)

    # when
    with pytest.raises(NoServer) as refusal:
        await EmbeddedServer.start(short_folder, binary=binary)

    # then
    assert "mend the files in" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("nowhere", "does not exist"),
        ("folder", "is a folder"),
        ("text", "is not a program that you may run"),
    ],
)
async def test_a_wrong_emq_server_is_one_sentence_with_a_cure(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path, named: str, said: str
) -> None:
    # given
    (short_folder / "folder").mkdir()
    (short_folder / "text").write_text("not a program")
    path = str(short_folder / named)
    monkeypatch.setenv("EMQ_SERVER", path)

    # when
    with pytest.raises(NoServer) as refusal:
        await EmbeddedServer.start(short_folder / "home")

    # then
    assert str(refusal.value).startswith(f"EMQ_SERVER names {path!r}, which {said}: set it to")


@pytest.mark.parametrize("named", ["true", "false"])
async def test_a_program_that_is_no_server_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path, named: str
) -> None:
    # given
    monkeypatch.setenv("EMQ_SERVER", named)

    # when
    with pytest.raises(NoServer, match=r"\(EMQ_SERVER\) ended with code \d before it answered") as refusal:
        await EmbeddedServer.start(short_folder)

    # then: nothing is left behind that would keep the next from starting
    assert "\n" not in str(refusal.value)
    monkeypatch.delenv("EMQ_SERVER")
    server = await EmbeddedServer.start(short_folder)
    await server.stop()


async def test_a_program_that_never_answers_is_one_sentence_and_is_ended(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path
) -> None:
    # given
    monkeypatch.setattr("emq.launching.START_WITHIN_S", 0.2)
    mute = short_folder / "mute"
    mute.write_text("#!/bin/sh\nexec sleep 600\n")
    mute.chmod(0o755)

    # when
    with pytest.raises(NoServer, match=r"mute \(binary\) runs \(pid \d+\) and has not answered") as refusal:
        await EmbeddedServer.start(short_folder, binary=str(mute))

    # then
    pid = int(str(refusal.value).split("pid ")[1].split(")")[0])
    assert not alive(pid)


async def test_a_file_in_the_way_of_the_log_is_one_sentence(short_folder: Path) -> None:
    # given
    (short_folder / "server.log").mkdir()

    # when
    with pytest.raises(NoServer, match="could not be started in") as refusal:
        await EmbeddedServer.start(short_folder)

    # then
    assert "\n" not in str(refusal.value)


async def test_a_program_that_cannot_run_here_gives_way_to_the_next(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path, binary: str
) -> None:
    # given: first on PATH is a program for another machine
    broken = short_folder / "bin" / "valkey-server"
    broken.parent.mkdir()
    broken.write_bytes(b"\x7fELF not for this machine")
    broken.chmod(0o755)
    (short_folder / "bin" / "redis-server").symlink_to(binary)
    monkeypatch.setattr("emq.binaries._bundled", list)
    monkeypatch.setenv("PATH", str(broken.parent))

    # when
    server = await EmbeddedServer.start(short_folder / "home")

    # then
    assert os.readlink(f"/proc/{server.pid}/exe") == os.path.realpath(binary)
    await server.stop()


async def test_where_there_is_no_server_fakeredis_serves_and_says_so(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    pytest.importorskip("fakeredis")
    monkeypatch.setattr("emq.binaries._bundled", list)
    monkeypatch.setenv("PATH", str(short_folder))

    # when
    server = await EmbeddedServer.start(short_folder / "home")
    joined = await EmbeddedServer.start(short_folder / "home")

    # then
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert joined.url == server.url
    assert "nothing is kept" in caplog.text
    assert await say(server.url, "PING") == b"+PONG\r\n"
    await server.stop()
    assert not alive(server.pid)


async def test_a_server_that_is_too_old_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, short_folder: Path
) -> None:
    # given
    monkeypatch.setattr("emq.launching.OLDEST", (99, 0))

    # when
    with pytest.raises(NoServer, match=r"needs Redis 7\.0 or Valkey 8 or newer"):
        await EmbeddedServer.start(short_folder)

    # then
    assert not [
        child for child in children(os.getpid()) if "emq.sock" in Path(f"/proc/{child}/cmdline").read_text()
    ]


@pytest.mark.parametrize("obstacle", ["a file", "no permission", "a folder for a socket"])
async def test_a_folder_that_cannot_be_used_is_one_sentence(short_folder: Path, obstacle: str) -> None:
    # given
    folder = short_folder / "home"
    if obstacle == "a file":
        folder.write_text("")
    elif obstacle == "no permission":
        folder = Path("/proc/emq/home")
    else:
        (folder / "emq.sock").mkdir(parents=True)

    # when
    with pytest.raises(NoServer) as refusal:
        await EmbeddedServer.start(folder)

    # then
    assert str(folder) in str(refusal.value)
    assert "\n" not in str(refusal.value)


async def test_a_start_that_is_cancelled_leaves_no_server(short_folder: Path, binary: str) -> None:
    # given
    starting = asyncio.create_task(EmbeddedServer.start(short_folder, binary=binary))
    while not (short_folder / "server.log").exists():
        await asyncio.sleep(0)

    # when
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    # then
    server = await EmbeddedServer.start(short_folder, binary=binary)
    assert server.owned
    await server.stop()


def launch(mode: str, parent: int, *program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(LAUNCHER), mode, str(parent), *program], stderr=subprocess.DEVNULL
    )


@pytest.mark.parametrize("mode", ["kernel", "watch"])
def test_the_launcher_does_not_start_for_a_parent_that_is_gone(mode: str) -> None:
    # given
    gone = subprocess.Popen(["true"])
    gone.wait()

    # when
    launched = launch(mode, gone.pid, shutil.which("true") or "")

    # then
    assert launched.wait(60) == PARENT_GONE


@pytest.mark.parametrize("mode", ["kernel", "watch"])
def test_the_launcher_says_when_a_program_cannot_run(mode: str) -> None:
    assert launch(mode, os.getpid(), "/etc/hostname").wait(60) == CANNOT_RUN


def test_the_launcher_can_keep_watch_itself() -> None:
    # given: a parent that starts the launcher in watch mode and is then killed
    program = (
        "import os, subprocess, sys, time\n"
        "how = [sys.executable, '-I', '-S', sys.argv[1], 'watch', str(os.getpid()), sys.argv[2], '600']\n"
        "launched = subprocess.Popen(how)\n"
        "print(launched.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(LAUNCHER), shutil.which("sleep") or ""], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    watcher = int(parent.stdout.readline())
    eventually(lambda: bool(children(watcher)))
    (server,) = children(watcher)

    # when
    parent.kill()
    parent.wait()
    parent.stdout.close()

    # then
    eventually(lambda: not alive(server) and not alive(watcher))


@needs_redis7
def test_a_program_named_by_emq_server_wins(short_folder: Path) -> None:
    # when
    with Host(short_folder, environment={"EMQ_SERVER": "redis-server"}) as host:
        server = host.ask("ensure")

        # then
        assert os.readlink(f"/proc/{server['pid']}/exe") == os.path.realpath(REDIS7 or "")


def test_starting_waits_for_nothing_but_the_server(short_folder: Path) -> None:
    # given
    with Host(short_folder) as host:
        begun = time.monotonic()

        # when
        host.ask("ensure")

        # then: it takes well under a second where nothing else is to be done
        assert time.monotonic() - begun < 15
