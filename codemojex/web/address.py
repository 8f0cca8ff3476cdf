"""The page's address, kept in a folder: a tab that was open finds the game again when it is started anew."""

from __future__ import annotations

import json
import os
import re
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)
_KEY = re.compile(r"[A-Za-z0-9_-]{24}")


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is.

    Attributes:
        port: on 127.0.0.1; 0: any that is free.
        key: what the path begins with, 144 bits of chance; who knows it may play.
    """

    port: int
    key: str

    @classmethod
    def fresh(cls) -> Address:
        """A key that nobody knows, on any port."""
        return cls(0, secrets.token_urlsafe(18))


def recall(path: Path | None) -> Address:
    """The address that was kept in ``path``; a fresh one where there is none, or where others could have read it."""
    if path is None:
        return Address.fresh()
    try:
        with path.open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                log.warning(
                    "the page gets another address: others could read the one of before", file=str(path)
                )
                return Address.fresh()
            kept = json.load(file)
        port, key = int(kept["port"]), str(kept["key"])
    except (OSError, ValueError, KeyError, TypeError):
        return Address.fresh()
    return Address(port, key) if 0 < port < 65_536 and _KEY.fullmatch(key) else Address.fresh()


def keep(path: Path | None, address: Address) -> None:
    """Write the address down for its owner alone; where that is not possible, the next game has another one."""
    if path is None:
        return
    fresh = path.with_suffix(".new")
    try:
        fresh.unlink(missing_ok=True)
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as file:
            json.dump(asdict(address), file)
        fresh.replace(path)
    except OSError as error:
        log.warning("the page's address is not kept", file=str(path), error=error.strerror)
