"""Servers with the native module, where this machine has a C compiler; else these tests say that it has none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import emq
from emq import native
from tests.emq.native.raw import Raw
from tests.servers import Kind, ServerProcess, binary_of


@pytest.fixture(scope="session")
def module() -> Iterator[Path]:
    """The module, built for this test process."""
    try:
        native.find_compiler()
    except emq.NoNative as reason:
        pytest.skip(str(reason))
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    native.compile_module(folder / "emq.so")
    yield folder / "emq.so"
    shutil.rmtree(folder, ignore_errors=True)


def server_with(kind: Kind, folder: Path, module: Path, *options: str) -> ServerProcess:
    """A server, not started, that loads the module and lets tests load and unload it."""
    if binary_of(kind) is None:
        pytest.skip(f"this machine has no {kind}")
    return ServerProcess(
        kind, folder, "--loadmodule", str(module), "--enable-module-command", "yes", *options
    )


@pytest.fixture(params=[Kind.REDIS7, Kind.VALKEY], ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind of server that can load modules, in turn."""
    return Kind(request.param)


def _shared(kind: Kind, module: Path) -> Iterator[ServerProcess]:
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    server = server_with(kind, folder, module).start()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def native_redis7(module: Path) -> Iterator[ServerProcess]:
    yield from _shared(Kind.REDIS7, module)


@pytest.fixture(scope="session")
def native_valkey(module: Path) -> Iterator[ServerProcess]:
    yield from _shared(Kind.VALKEY, module)


@pytest.fixture
def shared(kind: Kind, request: pytest.FixtureRequest) -> ServerProcess:
    """The shared server with the module, of each kind in turn: use queues of your own, never flush."""
    server: ServerProcess = request.getfixturevalue(f"native_{kind}")
    return server


@pytest.fixture
def raw(shared: ServerProcess) -> Iterator[Raw]:
    with Raw(shared.socket_path) as raw:
        raw.load_scripts()
        yield raw


@pytest.fixture
def own(kind: Kind, module: Path, short_folder: Path) -> Iterator[ServerProcess]:
    """A server with the module, of each kind in turn, that this test may change and restart."""
    server = server_with(kind, short_folder / "p", module).start()
    yield server
    server.stop()
