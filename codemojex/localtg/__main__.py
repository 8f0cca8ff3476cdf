"""Run the local Telegram as a process: ``python -m codemojex.localtg --port N [--state FILE] [--token T]``.

It prints one line of JSON with ``url`` and ``token`` once it listens, and stops on SIGTERM or SIGINT.
Updates that a killed bot did not confirm wait in this process. The control API is described in
``codemojex.localtg.control``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from codemojex import loops
from codemojex.localtg.telegram import LocalTelegram
from codemojex.localtg.world import Options


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m codemojex.localtg", description="A local Telegram.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--state", type=Path, help="file that keeps ids from repeating across restarts")
    parser.add_argument("--token", help="bot token; a fresh one when absent")
    parser.add_argument("--budgets", action="store_true", help="answer 429 beyond Telegram's budgets")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> int:
    telegram = LocalTelegram(arguments.token, arguments.state, options=Options(budgets=arguments.budgets))
    try:
        await telegram.start(arguments.host, arguments.port)
    except OSError as wrong:
        where = f"{arguments.host}:{arguments.port}"
        sys.stderr.write(
            f"The local Telegram cannot listen on {where}: {wrong.strerror}. Pass another --port.\n"
        )
        return 1
    try:
        sys.stdout.write(json.dumps({"url": telegram.url, "token": telegram.token}) + "\n")
        sys.stdout.flush()
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await stop.wait()
    finally:
        await telegram.stop()
    return 0


def main() -> int:
    """Serve until a signal; uvloop where it is installed."""
    arguments = _arguments()
    return loops.run(lambda: _serve(arguments))


if __name__ == "__main__":
    sys.exit(main())
