"""One process of a swarm's system: ``python -m codemojex.swarm.member bot|worker [--lifted]``.

It is what `codemojex bot` and `codemojex worker` are, and ends when its standard input does: a swarm that is killed
leaves nobody behind. Settings come from the environment alone.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading

from codemojex import loops, running
from codemojex.app import Table
from codemojex.logs import start_logs
from codemojex.notices.budgets import Budgets
from codemojex.settings import read_settings


def main() -> None:
    """Run until SIGTERM, or until whoever started this is gone."""
    parser = argparse.ArgumentParser(prog="python -m codemojex.swarm.member", description=__doc__)
    parser.add_argument("role", choices=("bot", "worker"))
    parser.add_argument("--lifted", action="store_true", help="write as fast as the local Telegram takes it")
    asked = parser.parse_args()
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    settings = read_settings(_env_file=None)
    start_logs(settings)
    table = Table(budgets=Budgets.loopback()) if asked.lifted else Table()
    roles = running.Roles(bot=asked.role == "bot", worker=asked.role == "worker")
    loops.run(lambda: running.run(settings, roles, table=table))


def _leave_with_parent() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
