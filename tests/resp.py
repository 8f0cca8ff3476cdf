"""Just enough of the queue's wire format to count requests and replies in a byte stream."""

from __future__ import annotations

import hiredis


class RequestSplitter:
    """Finds where each RESP request ends in bytes that arrive in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._at = 0
        self._awaited = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The requests that ``data`` completed, oldest first, as they were sent."""
        self._buffer += data
        whole: list[bytes] = []
        while self._step():
            if self._awaited == 0:
                whole.append(bytes(self._buffer[: self._at]))
                del self._buffer[: self._at]
                self._at = 0
        return whole

    def _step(self) -> bool:
        end = self._buffer.find(b"\r\n", self._at)
        if end < 0:
            return False
        line = self._buffer[self._at : end]
        if self._awaited == 0:
            self._awaited = int(line[1:]) if line[:1] == b"*" else 0
            self._at = end + 2
            return True
        after = end + 2 + int(line[1:]) + 2
        if len(self._buffer) < after:
            return False
        self._at = after
        self._awaited -= 1
        return True


class ReplyCounter:
    """Counts whole replies, RESP2 and RESP3."""

    def __init__(self) -> None:
        self._reader = hiredis.Reader(notEnoughData=Ellipsis)

    def feed(self, data: bytes) -> int:
        """How many replies ``data`` completed."""
        self._reader.feed(data)
        whole = 0
        while self._reader.gets() is not Ellipsis:
            whole += 1
        return whole


def name_of(request: bytes) -> str:
    """The command a request carries, in capitals."""
    parts = request.split(b"\r\n", 3)
    return (parts[2] if len(parts) > 2 else request.strip()).decode("ascii", "replace").upper()


def packed(*words: str | int) -> bytes:
    """One request."""
    parts = [str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
