"""Branded ids: three capital letters and eleven base62 digits of a 63-bit snowflake.

The snowflake is ``ms << 22 | node << 12 | seq``, with ``ms`` counted from 2024-01-01T00:00:00Z. The digits
are in ASCII order and padded with ``0``, so the byte order of two ids of one namespace is their mint order.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .errors import MalformedId

EPOCH_MS = 1_704_067_200_000
"""2024-01-01T00:00:00Z in unix milliseconds."""

LENGTH = 14
"""Characters of an id, each one byte."""

MAX_NODE = 1023
MAX_SEQ = 4095
MAX_SNOWFLAKE = 2**63 - 1

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUE = {digit: value for value, digit in enumerate(_DIGITS)}
_PAIRS = tuple(high + low for high in _DIGITS for low in _DIGITS)
_HIGHEST = "AzL8n0Y58m7"

_LAST_FOUR = 62**4
_AT_ONCE = 1_000

_well_formed = re.compile(r"[A-Z]{3}[0-9A][0-9A-Za-z]{10}").fullmatch
_all_well_formed = re.compile(r"(?:[A-Z]{3}[0-9][0-9A-Za-z]{10}\n)*+").fullmatch
_all_jobs = re.compile(r"(?:JOB[0-9][0-9A-Za-z]{10}\n)*+").fullmatch
_namespace = re.compile(r"[A-Z]{3}").fullmatch


@dataclass(frozen=True, slots=True)
class BrandedId:
    """What a branded id says: its namespace, its number, and when, where and in which turn it was minted."""

    namespace: str
    snowflake: int
    unix_ms: int
    node: int
    seq: int

    def __str__(self) -> str:
        return encode(self.namespace, self.snowflake)


def is_valid(id: object, namespace: str | None = None) -> bool:
    """Whether ``id`` is a well-formed branded id, of ``namespace`` when one is given."""
    return (
        isinstance(id, str)
        and _well_formed(id) is not None
        and id[3:] <= _HIGHEST
        and (namespace is None or id[:3] == namespace)
    )


def surely_valid(ids: Sequence[str], namespace: Literal["JOB"] | None = None) -> bool:
    """Whether all of ``ids`` are well-formed ids of ``namespace`` (``JOB``, or any), found out all at once.

    False when one of them is not, or was minted so late (from the year 2087 on) that it must be looked at closely.
    """
    matches = _all_jobs if namespace else _all_well_formed
    for at in range(0, len(ids), _AT_ONCE):
        some = ids[at : at + _AT_ONCE]
        try:
            text = "\n".join(some) + "\n"
        except TypeError:
            return False
        # An id with a line of its own inside would be two matches, and make the text too long.
        if len(text) != (LENGTH + 1) * len(some) or matches(text) is None:
            return False
    return True


def gate(id: str) -> str:
    """Return ``id`` unchanged if it is well formed: the door every id passes before it becomes part of a key.

    Raises:
        MalformedId: it is not.
    """
    if is_valid(id):
        return id
    raise MalformedId(
        f"{id!r:.60} is not a branded id: three capital letters and eleven of 0-9A-Za-z, "
        f"at most {_HIGHEST}; emq.mint('JOB') makes one"
    )


def encode(namespace: str, snowflake: int) -> str:
    """The id of ``snowflake`` (0 to 2**63 - 1) in ``namespace`` (three capital letters).

    Raises:
        MalformedId: either is out of range.
    """
    if not 0 <= snowflake <= MAX_SNOWFLAKE:
        raise MalformedId(f"a snowflake is a number from 0 to 2**63 - 1, not {snowflake}")
    first, last = divmod(snowflake, _LAST_FOUR)
    return _first_ten(namespace, first) + _PAIRS[last // 3844] + _PAIRS[last % 3844]


def encode_run(namespace: str, first: int, count: int) -> list[str]:
    """The ids of ``count`` snowflakes in a row, beginning with ``first``: all but their last two digits are made once.

    Raises:
        MalformedId: as for :func:`encode`.
    """
    ids: list[str] = []
    while count > 0:
        at = first % len(_PAIRS)
        head = encode(namespace, first)[:-2]
        some = _PAIRS[at : at + count]
        ids += [head + pair for pair in some]
        first, count = first + len(some), count - len(some)
    return ids


@functools.lru_cache(maxsize=64)
def _first_ten(namespace: str, rest: int) -> str:
    """What ids of one namespace have in common for three milliseconds or so: all but their last four digits."""
    if not _namespace(namespace):
        raise MalformedId(f"a namespace is three capital letters, not {namespace!r:.60}")
    rest, c = divmod(rest, 3844)
    rest, b = divmod(rest, 3844)
    first, a = divmod(rest, 3844)
    return f"{namespace}{_DIGITS[first]}{_PAIRS[a]}{_PAIRS[b]}{_PAIRS[c]}"


def parse(id: str) -> BrandedId:
    """Read an id back into its parts; ``unix_ms`` is the mint time in unix milliseconds.

    Raises:
        MalformedId: ``id`` is not well formed.
    """
    gate(id)
    snowflake = 0
    for digit in id[3:]:
        snowflake = snowflake * 62 + _VALUE[digit]
    return BrandedId(
        namespace=id[:3],
        snowflake=snowflake,
        unix_ms=(snowflake >> 22) + EPOCH_MS,
        node=snowflake >> 12 & MAX_NODE,
        seq=snowflake & MAX_SEQ,
    )
