"""Child processes that end when this process does, even when it is killed with SIGKILL."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("launcher.py")

Child = subprocess.Popen[bytes]
_Errand = tuple[list[str], Path, int, tuple[int, ...], "Future[Child]"]


class _Nursery:
    """One thread that starts every child and lives as long as the process.

    The kernel sends the death signal when the *thread* that forked ends. A caller's thread may end long
    before the process: a worker thread, an executor, an event loop that was run off the main thread.
    """

    def __init__(self) -> None:
        self._errands: queue.SimpleQueue[_Errand] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="emq-offspring", daemon=True).start()

    def ask(self, argv: list[str], folder: Path, log: int, inherited: tuple[int, ...]) -> Future[Child]:
        future: Future[Child] = Future()
        self._errands.put((argv, folder, log, inherited, future))
        return future

    def _serve(self) -> None:
        while True:
            argv, folder, log, inherited, future = self._errands.get()
            try:
                child = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=folder,
                    pass_fds=inherited,
                    # Ctrl-C in a terminal is meant for the program, which ends the child in good order.
                    start_new_session=True,
                )
            except BaseException as error:  # the thread must outlive every failure; the asker gets it
                future.set_exception(error)
            else:
                future.set_result(child)
            del argv, folder, log, inherited, future


_nursery: _Nursery | None = None
_lock = threading.Lock()


def spawn(program: Sequence[str], *, folder: Path, log: int, inherited: tuple[int, ...] = ()) -> Child:
    """Start ``program`` (an absolute path and its arguments) as a child bound to this process's life.

    Args:
        folder: its working directory.
        log: the file descriptor for its output.
        inherited: file descriptors that it keeps open.

    Returns when the child runs, a few milliseconds.

    Source: emq/launcher.py
    """
    global _nursery
    with _lock:
        if _nursery is None:
            _nursery = _Nursery()
    mode = "kernel" if sys.platform == "linux" else "watch"
    argv = [sys.executable, "-I", "-S", str(_LAUNCHER), mode, str(os.getpid()), *program]
    return _nursery.ask(argv, folder, log, inherited).result()


def _after_fork() -> None:
    # Threads do not survive a fork, and a lock held at that moment would stay held.
    global _nursery, _lock
    _nursery, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
