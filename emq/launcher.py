"""Turns itself into a server that ends when the process that asked for it ends.

Run as a file: ``python -I -S launcher.py MODE PARENT PROGRAM [ARGUMENT ...]``.
``PARENT`` is the pid of the process that must be alive for the program to run. ``MODE`` says who keeps
watch: ``kernel`` (Linux; this process becomes the program, and the kernel sends it SIGTERM when the
thread that started it ends) or ``watch`` (anywhere else; this process stays and looks).

Exit codes of its own: 127 when the program cannot be run, 75 when the parent was gone already.
"""

import os
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
CANNOT_RUN = 127
PARENT_GONE = 75
LOOK_EVERY_S = 0.2


def main(mode: str, parent: int, program: list[str]) -> None:
    """Run ``program`` for as long as ``parent`` lives."""
    # A mask or an ignored SIGTERM inherited from the caller would make the server deaf to its end.
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    os.umask(0o077)
    if mode == "kernel":
        _ask_the_kernel()
    # The parent may have died before the kernel was asked; then nobody would ever send the signal.
    if os.getppid() != parent:
        sys.exit(PARENT_GONE)
    if mode == "kernel":
        _become(program)
    else:
        sys.exit(_keep_watch(parent, program))


def _ask_the_kernel() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGTERM), zero, zero, zero) != 0:
        print(f"the kernel refused PR_SET_PDEATHSIG: {os.strerror(ctypes.get_errno())}", file=sys.stderr)  # noqa: T201
        sys.exit(CANNOT_RUN)


def _become(program: list[str]) -> None:
    try:
        os.execv(program[0], program)  # noqa: S606
    except OSError as error:
        print(f"cannot run {program[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201
        os._exit(CANNOT_RUN)


def _keep_watch(parent: int, program: list[str]) -> int:
    child = os.fork()
    if child == 0:
        _become(program)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) % 256
        if os.getppid() != parent:
            os.kill(child, signal.SIGTERM)
        time.sleep(LOOK_EVERY_S)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
