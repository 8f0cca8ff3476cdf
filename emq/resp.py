"""The wire format, as much of it as emq needs: packing commands, reading replies, mapping errors.

hiredis does both directions. Replies are read the same under RESP2 and RESP3; where the two differ (maps,
doubles) the reader of that reply copes with both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import hiredis

from .errors import Kind, Locked, NotActive, ServerRefused, Stale, WrongState

Word: TypeAlias = str | int | bytes
Reply: TypeAlias = Any

# hiredis' stub speaks of a tuple of one.
_pack: Callable[[tuple[Word, ...]], bytes] = cast(Any, hiredis.pack_command)

# fakeredis' server puts ERR in front of an error that a script raised or returned.
_RAISED_IN_SCRIPTS = ("EMQ", "WRONGTYPE ")

# How servers word, without its class, that a script may not do what it does for its caller: Redis 7, then all others.
_DENIED_IN_SCRIPTS = ("The user executing the script", "ACL failure in script")

MORE = object()
"""What a reader answers when the next reply is not complete yet."""


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error reply, as a value: one item's error must not cost its neighbours theirs.

    Attributes:
        code: its first word, such as ``WRONGTYPE``.
        message: the rest.
    """

    code: str
    message: str

    @classmethod
    def read(cls, text: str) -> ServerError:
        """Split an error line of the wire."""
        code, _, message = text.partition(" ")
        if code == "ERR" and message.startswith(_RAISED_IN_SCRIPTS) and not message.startswith("EMQ."):
            code, _, message = message.partition(" ")
        elif code == "ERR" and message.startswith(_DENIED_IN_SCRIPTS):
            code = "NOPERM"
        return cls(code, message)


def reader() -> Any:
    """A fresh hiredis reader: bytes stay bytes, error replies become :class:`ServerError`."""
    # hiredis only calls replyError; that it makes an exception is a habit, not a need.
    as_value: Any = ServerError.read
    return hiredis.Reader(protocolError=hiredis.ProtocolError, replyError=as_value, notEnoughData=MORE)


def pack(words: Sequence[Word]) -> bytes:
    """One command as the bytes that travel."""
    return _pack(tuple(words))


def pack_script(sha: str, keys: Sequence[str], args: Iterable[Word]) -> bytes:
    """One EVALSHA as the bytes that travel."""
    return _pack(("EVALSHA", sha, len(keys), *keys, *args))


def pack_items(sha: str, keys: Sequence[str], columns: Sequence[Sequence[str] | Sequence[bytes]]) -> bytes:
    """One EVALSHA of many items: its arguments are the first of each column, then the second of each, and so on.

    Takes two thirds of the time of :func:`pack_script`, because nothing is asked of a word but its length.

    Args:
        columns: all as long as the first; a column is all text or all bytes.
    """
    count, width = len(columns[0]), 2 * len(columns)
    head = packed_text("EVALSHA", sha, len(keys), *keys)
    words = [b""] * (count * width + 2)  # the last one is what ends in the line break of the last argument
    words[0] = f"*{3 + len(keys) + count * len(columns)}\r\n{head}".encode()[:-2]
    for at, column in enumerate(columns):
        packed = _in_bytes(column)
        words[1 + 2 * at : -1 : width] = _sizes(packed)
        words[2 + 2 * at : -1 : width] = packed
    return b"\r\n".join(words)


def _in_bytes(words: Sequence[str] | Sequence[bytes]) -> Sequence[bytes]:
    if isinstance(words[0], bytes):
        return cast("Sequence[bytes]", words)
    return [word.encode() for word in cast("Sequence[str]", words)]


def _sizes(words: Sequence[bytes]) -> list[bytes]:
    """What goes before each word on the wire."""
    lengths = list(map(len, words))
    if lengths.count(lengths[0]) == len(lengths):
        return [b"$%d" % lengths[0]] * len(lengths)
    return [b"$%d" % length for length in lengths]


def packed_text(*words: str | int) -> str:
    """Words without the command's head, to be put together with others; plain ASCII only."""
    return "".join(f"${len(str(word))}\r\n{word}\r\n" for word in words)


def refusal(error: ServerError) -> Exception:
    """The exception for an error reply; the one place where the classes of the scripts are mapped."""
    if error.code == "EMQSTALE":
        return Stale(f"stale: {error.message}")
    if error.code == "EMQIDLE":
        return NotActive(f"not active: {error.message}")
    if error.code == "EMQKIND":
        return Kind(error.code, error.message)
    if error.code == "EMQSTATE":
        return WrongState(error.message)
    if error.code == "EMQLOCK":
        return Locked(error.message)
    return ServerRefused(error.code, error.message)


def checked(reply: Reply) -> Reply:
    """``reply``, unless it is an error reply.

    Raises:
        Stale, NotActive, Kind, WrongState, Locked, ServerRefused: it is one.
    """
    if isinstance(reply, ServerError):
        raise refusal(reply)
    return reply
