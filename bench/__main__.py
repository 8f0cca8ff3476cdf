"""Run every bench and write bench/README.md anew: `make bench`, or `python -m bench`."""

from __future__ import annotations

from pathlib import Path

from bench import admission, endtoend, flow, footprint, lanes, path, queue, waits
from bench.rig import machine, server
from codemojex import loops

HEAD = """# Measurements

Written by `make bench`; run it again to check. Contenders take turns within one run, and a figure is the median of its
rounds, five or more. Where the first line is the server's limit, it is measured anew on an empty server before each
turn, and a ratio is the median of the rounds' ratios: a machine that others use too is twice as fast in one second as
in another. Only the ratios mean anything elsewhere.

"""


async def sections(url: str) -> list[str]:
    """Every measurement on one server, one after the other."""
    made = [await queue.enqueue(url), await queue.drain(url)]
    made += [await lanes.enqueue(url, shape, groups) for shape, groups in lanes.SHAPES.items()]
    made += [await lanes.drain(url), await footprint.start()]
    texts = [section.markdown() for section in made]
    return [*texts, await footprint.memory(url), await waits.waits(url), await flow.flow(url)]


async def main() -> None:
    """Measure, print, and write the page."""
    parts = []
    async with server() as url:
        parts.append(f"Measured on {await machine(url)}.")
        for section in await sections(url):
            print(section, "\n")
            parts.append(section)
    for section in [await admission.admission(), *await path.path(), *await endtoend.endtoend()]:
        print(section.markdown(), "\n")
        parts.append(section.markdown())
    parts.append("Lease extension, by script and by native command, is measured in [native.md](native.md).")
    Path(__file__).with_name("README.md").write_text(HEAD + "\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    loops.run(main)
