"""Files that the bot sends, kept where only their owner can read them."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path


def keep(folder: Path, name: str, content: bytes) -> Path:
    """Write a file into ``folder``, which is made where there is none, beside files of the same name; its path.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    wanted = Path(name.rpartition("/")[2].lstrip(".") or "file")
    for number in count(1):
        path = folder / (wanted.name if number == 1 else f"{wanted.stem}-{number}{wanted.suffix}")
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
        return path
    raise AssertionError("numbers do not end")
