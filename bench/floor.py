"""The server's own limit: transitions packed beforehand and written to a bare socket."""

from __future__ import annotations

import socket
import time
from urllib.parse import urlsplit

import emq
from emq.resp import pack, pack_script
from emq.scripts import Script, script


def enqueue_rate(url: str, queue: str, jobs: int, payload: bytes, flush: int) -> float:
    """Jobs a second when nothing is left to do but write bytes and count the replies.

    Args:
        url: a ``unix://`` or ``redis://`` address.
        flush: jobs written before their replies are read.
    """
    keys = emq.Keyspace(queue)
    enqueue = script("enqueue")
    ids = [emq.mint("JOB") for _ in range(jobs)]
    frames = [pack_script(enqueue.sha, (keys.job(id), keys.pending), (id, payload)) for id in ids]
    return _rate(url, enqueue, frames, flush)


def lane_enqueue_rate(
    url: str, queue: str, groups: list[str], jobs: int, payload: bytes, flush: int
) -> float:
    """The same for the script that puts jobs into lanes, one job after the other into the next of ``groups``."""
    keys = emq.Keyspace(queue)
    enqueue = script("lane_enqueue")
    frames = []
    for at in range(jobs):
        group, id = groups[at % len(groups)], emq.mint("JOB")
        args = (id, payload, group, keys.base)
        frames.append(pack_script(enqueue.sha, (keys.job(id), keys.lane(group)), args))
    return _rate(url, enqueue, frames, flush)


def _rate(url: str, script: Script, frames: list[bytes], flush: int) -> float:
    bursts = [b"".join(frames[at : at + flush]) for at in range(0, len(frames), flush)]
    with dial(url) as wire:
        wire.sendall(pack(("SCRIPT", "LOAD", script.text)))
        wire.recv(256)
        began = time.perf_counter()
        for at, burst in enumerate(bursts):
            wire.sendall(burst)
            _read(wire, 4 * min(flush, len(frames) - at * flush))
        took = time.perf_counter() - began
    return len(frames) / took


def dial(url: str) -> socket.socket:
    """A bare connection to the server of a ``unix://`` or ``redis://`` address."""
    address = urlsplit(url)
    if address.scheme == "unix":
        wire = socket.socket(socket.AF_UNIX)
        wire.connect(address.path)
        return wire
    wire = socket.create_connection((address.hostname or "127.0.0.1", address.port or 6379))
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return wire


def _read(wire: socket.socket, expected: int) -> None:
    """Read replies of four bytes each (`:1\\r\\n`)."""
    while expected > 0:
        data = wire.recv(65536)
        if not data.startswith((b":", b"1", b"\r", b"\n")):
            raise RuntimeError(f"the server refused: {data[:200]!r}")
        expected -= len(data)
