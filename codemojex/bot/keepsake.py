"""A secret that a deployment makes for itself and keeps: the same after a restart, and for every process."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The secret in the file ``path``, made at first use, readable by this user alone.

    Two processes that make it at once end up with the same one.

    Raises:
        OSError: the file can be neither read nor made.
    """
    if not path.exists():
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(32))
        try:
            os.link(fresh, path)  # fails when another process was faster; its secret counts
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
