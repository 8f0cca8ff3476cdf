"""A port that is to be the same later on."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def held(port: int) -> Iterator[None]:
    """Nobody is given this port of 127.0.0.1 meanwhile; who asks for it by its number can listen on it."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", port))
        yield
