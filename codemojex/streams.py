"""Standard streams that every program here can rely on, whoever started it."""

from __future__ import annotations

import io
import os
import sys


def make_streams_usable() -> None:
    """Open what is closed among stdin, stdout and stderr, and make them and the command line speak UTF-8.

    A program that is started with one of them closed would be given its number for the next socket or file, and
    event loops refuse to work with those. And a game of emojis has no use for a locale that knows none.
    """
    sys.argv = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv]
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(encoding="utf-8", errors="replace")
