"""No output of any verb has a secret in it, least of all when something goes wrong."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog
from sqlalchemy import update

import emq.cli
from codemojex import cli
from codemojex.localtg import LocalTelegram
from codemojex.store.engine import open_store
from codemojex.store.schema import games
from tests.play.makers import NONCE, SECRET, seat
from tests.servers import Kind, ServerProcess, binary_of

TOKEN = "7000000001:plantedTokenOfNoBotInTheWorld0000"
HOOK = "plantedWebhookSecret-0001"
PASSWORD, QUOTED = "planted/pass@word:1", "planted%2Fpass%40word%3A1"
PLANTED = (TOKEN, TOKEN.partition(":")[2], HOOK, PASSWORD, QUOTED, SECRET, NONCE)

CODEMOJEX = [
    *(
        ["bot"],
        ["worker"],
        ["up"],
        ["doctor"],
        ["audit"],
        ["audit", "--json"],
        ["repair"],
        ["repair", "--apply"],
    ),
    *(["db", "upgrade"], ["db", "check"], ["player", "paused"], ["player", "pause", "5"]),
]
EMQ = [["stats", "cm"], ["peek", "cm"], ["dead", "cm"], ["lanes", "cm"], ["native", "check"]]


@contextmanager
def _environment(home: Path, monkeypatch: pytest.MonkeyPatch, **settings: str) -> Iterator[None]:
    """This process as a verb finds it, and afterwards as it was."""
    planted = {
        "TELEGRAM_TOKEN": TOKEN,
        "WEBHOOK_SECRET": HOOK,
        "CODEMOJEX_HOME": str(home),
        "LOG_LEVEL": "DEBUG",
    }
    root, mask, interval = logging.getLogger(), os.umask(0o077), sys.getswitchinterval()
    handlers, level = root.handlers, root.level
    with monkeypatch.context() as patch:
        for name, value in (planted | settings).items():
            patch.setenv(name, value)
        patch.chdir(home)
        yield
    os.umask(mask)
    sys.setswitchinterval(interval)
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def _say(main, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a verb to its end; what nobody foresaw is printed as Python prints it."""
    monkeypatch.setattr(sys, "argv", ["codemojex", *words])
    try:
        main()
    except SystemExit as left:
        if isinstance(left.code, str):
            print(left.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()


def _leaks(said: str) -> list[str]:
    return [secret for secret in PLANTED if secret in said]


@contextmanager
def _refusing_postgres() -> Iterator[int]:
    """Speaks as much of PostgreSQL's protocol as it takes to ask for a password and to refuse it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            with line:
                while True:
                    length = int.from_bytes(line.recv(4) or b"\0\0\0\4", "big")
                    asked = line.recv(length - 4)
                    if not asked.startswith(b"\x04\xd2\x16"):
                        break
                    line.sendall(b"N")  # neither TLS nor GSS
                line.sendall(b"R\0\0\0\x08\0\0\0\x03")
                line.recv(1_000)
                words = b'SFATAL\0C28P01\0Mpassword authentication failed for user "me"\0\0'
                line.sendall(b"E" + (len(words) + 4).to_bytes(4, "big") + words)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


NOWHERE = {
    "DATABASE_URL": f"postgresql://me:{QUOTED}@127.0.0.1:1/x",
    "REDIS_URL": f"redis://me:{QUOTED}@127.0.0.1:1",
    "TELEGRAM_API_URL": "http://127.0.0.1:1",
}


@pytest.mark.parametrize("words", CODEMOJEX, ids=" ".join)
def test_nothing_answers(short_folder, monkeypatch, capfd, words):
    with _environment(short_folder, monkeypatch, **NOWHERE):
        _say(cli.main, words, monkeypatch)
    said = capfd.readouterr()
    assert said.out + said.err
    assert _leaks(said.out + said.err) == []


@pytest.mark.parametrize("words", CODEMOJEX, ids=" ".join)
def test_the_database_refuses_the_password(short_folder, monkeypatch, capfd, words, valkey_url):
    with _refusing_postgres() as port:
        url = f"postgresql://me:{QUOTED}@127.0.0.1:{port}/x"
        with _environment(
            short_folder, monkeypatch, **(NOWHERE | {"DATABASE_URL": url, "REDIS_URL": valkey_url})
        ):
            _say(cli.main, words, monkeypatch)
    said = capfd.readouterr()
    assert said.out + said.err
    assert _leaks(said.out + said.err) == []


@pytest.fixture(scope="module")
def guarded_url() -> Iterator[str]:
    """A queue server that wants another password."""
    if binary_of(Kind.VALKEY) is None:
        pytest.skip("this machine has no valkey")
    with tempfile.TemporaryDirectory(prefix="emq-") as folder:
        server = ServerProcess(Kind.VALKEY, Path(folder)).start()
        server.command("CONFIG", "SET", "requirepass", "another")
        yield f"unix://default:{QUOTED}@{server.socket_path}"
        server.stop()


@pytest.mark.parametrize("words", CODEMOJEX, ids=" ".join)
def test_the_queue_refuses_the_password(short_folder, monkeypatch, capfd, words, guarded_url, sqlite_url):
    with _environment(
        short_folder, monkeypatch, **(NOWHERE | {"DATABASE_URL": sqlite_url, "REDIS_URL": guarded_url})
    ):
        _say(cli.main, words, monkeypatch)
    said = capfd.readouterr()
    assert said.out + said.err
    assert _leaks(said.out + said.err) == []


MALFORMED = {
    "a port that is none": {
        "DATABASE_URL": f"postgresql://me:{QUOTED}@127.0.0.1:port/x",
        "REDIS_URL": f"redis://me:{QUOTED}@127.0.0.1:port",
    },
    "a scheme that is none": {
        "DATABASE_URL": f"postgre://me:{QUOTED}@127.0.0.1/x",
        "REDIS_URL": f"rdis://me:{QUOTED}@127.0.0.1",
    },
    "a bracket": {
        "DATABASE_URL": f"postgresql://me:{QUOTED}@[127.0.0.1/x",
        "REDIS_URL": f"redis://me:{QUOTED}@[127.0.0.1",
    },
    "an option that is none": {
        "DATABASE_URL": f"postgresql://me:{QUOTED}@127.0.0.1:1/x?nonsense=1",
        "REDIS_URL": f"redis://me:{QUOTED}@127.0.0.1:1?nonsense=1",
    },
    "a password as it is": {
        "DATABASE_URL": f"postgresql://me:{PASSWORD}@127.0.0.1:1/x",
        "REDIS_URL": f"redis://me:{PASSWORD}@127.0.0.1:1",
    },
    "a webhook that is none": {"WEBHOOK_URL": "example.org", "WEBHOOK_SECRET": f"{HOOK} {HOOK}"},
    "a token with a line in it": {"TELEGRAM_TOKEN": f"{TOKEN}\n{TOKEN}"},
}


@pytest.mark.parametrize(
    "words", [["worker"], ["doctor"], ["player", "paused"], ["db", "check"]], ids=" ".join
)
@pytest.mark.parametrize("how", MALFORMED)
def test_a_setting_is_malformed(short_folder, monkeypatch, capfd, words, how):
    with _environment(short_folder, monkeypatch, **(NOWHERE | MALFORMED[how])):
        _say(cli.main, words, monkeypatch)
    said = capfd.readouterr()
    assert said.out + said.err
    assert _leaks(said.out + said.err) == []


@pytest.fixture
def telegram_url() -> Iterator[str]:
    """A Telegram that knows another bot, in a loop of its own: the verbs have theirs in this thread."""
    up, down = queue.Queue[str](), threading.Event()

    async def stand() -> None:
        async with LocalTelegram() as telegram:
            up.put(telegram.url)
            await asyncio.to_thread(down.wait)

    thread = threading.Thread(target=asyncio.run, args=(stand(),))
    thread.start()
    yield up.get(timeout=60)
    down.set()
    thread.join()


@pytest.mark.parametrize("words", [words for words in CODEMOJEX if words != ["worker"]], ids=" ".join)
def test_telegram_rejects_the_token_while_a_game_runs(
    short_folder, monkeypatch, capfd, words, sqlite_url, valkey_url, telegram_url
):
    # given
    asyncio.run(_game(sqlite_url))
    here = {"DATABASE_URL": sqlite_url, "REDIS_URL": valkey_url, "TELEGRAM_API_URL": telegram_url}

    # when
    with _environment(short_folder, monkeypatch, **here):
        _say(cli.main, words, monkeypatch)

    # then
    said = capfd.readouterr()
    assert said.out + said.err
    assert _leaks(said.out + said.err) == []


async def _game(url: str) -> None:
    """A game that runs, with a guess that waits, and one whose commitment is wrong."""
    opened = open_store(url)
    table = await seat(opened)
    await table.guess()
    await opened.transact(lambda tx: tx.execute(update(games).values(commitment="0" * 64)))
    await opened.aclose()


@pytest.mark.parametrize("words", EMQ, ids=" ".join)
@pytest.mark.parametrize(
    "url", [NOWHERE["REDIS_URL"], *(each["REDIS_URL"] for each in MALFORMED.values() if "REDIS_URL" in each)]
)
def test_the_queue_does_not_answer_its_own_tool(short_folder, monkeypatch, capfd, words, url):
    with _environment(short_folder, monkeypatch, REDIS_URL=url):
        _say(emq.cli.main, words, monkeypatch)
    said = capfd.readouterr()
    assert said.out + said.err
    assert _leaks(said.out + said.err) == []
