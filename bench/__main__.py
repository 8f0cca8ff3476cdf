"""Run every bench and write bench/README.md anew: `make bench`, or `python -m bench`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench import queue
from bench.rig import machine, server

HEAD = """# Measurements

Written by `make bench`; run it again to check. Contenders take turns within one run, a figure is the median of five
rounds, and only the ratios mean anything on another machine.

"""


async def main() -> None:
    """Measure, print, and write the page."""
    parts = []
    async with server() as url:
        parts.append(f"Measured on {await machine(url)}.")
        for bench in (queue.enqueue, queue.drain):
            section = (await bench(url)).markdown()
            print(section, "\n")
            parts.append(section)
    Path(__file__).with_name("README.md").write_text(HEAD + "\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:
        asyncio.run(main())
    else:
        uvloop.run(main())
