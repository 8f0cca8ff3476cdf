"""Asking a server whether it is there, before any connector exists."""

from __future__ import annotations

import asyncio
import contextlib
from enum import Enum
from urllib.parse import unquote, urlsplit


class Presence(Enum):
    """What a knock found."""

    THERE = "answers"
    LOADING = "is loading its data"
    SILENT = "does not answer"


async def knock(url: str, within_s: float = 1.0) -> Presence:
    """Whether the server at ``url`` answers PING in time; ``unix://path`` or ``redis://host:port``."""
    reply = await _first_line(url, b"PING", within_s)
    if reply.startswith(b"+PONG"):
        return Presence.THERE
    return Presence.LOADING if reply.startswith(b"-LOADING") else Presence.SILENT


async def version(url: str, within_s: float = 1.0) -> tuple[int, int] | None:
    """The Redis version that the server at ``url`` is like (a Valkey says 7.2), None if it does not say."""
    text = await _first_line(url, b"INFO", within_s, whole=b"redis_version:")
    _, found, rest = text.partition(b"redis_version:")
    numbers = rest.split(b"\r\n")[0].split(b".")
    if not found or len(numbers) < 2 or not (numbers[0].isdigit() and numbers[1].isdigit()):
        return None
    return int(numbers[0]), int(numbers[1])


async def _first_line(url: str, command: bytes, within_s: float, whole: bytes = b"") -> bytes:
    """What the server answered, up to the first end of line after ``whole``; empty without an answer."""
    got = b""
    try:
        async with asyncio.timeout(within_s):
            reader, writer = await _dial(url)
            try:
                writer.write(b"*1\r\n$%d\r\n%s\r\n" % (len(command), command))
                while b"\r\n" not in got.partition(whole)[2] if whole else b"\r\n" not in got:
                    if not (data := await reader.read(4096)):
                        break
                    got += data
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except OSError:  # refused, reset, no such socket; a TimeoutError is one too
        return got
    return got


async def _dial(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    address = urlsplit(url)
    if address.scheme == "unix":
        return await asyncio.open_unix_connection(unquote(address.path))
    return await asyncio.open_connection(address.hostname, address.port)
