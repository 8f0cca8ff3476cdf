"""Groups of lanes: a branded id for whatever the jobs of a lane have in common."""

from __future__ import annotations

from .errors import MalformedArgument
from .ids import encode, parse

_BOUND = 2**62


def group(namespace: str, number: int) -> str:
    """The group of ``number`` in ``namespace``: the same number always has the same group, no two share one.

    Negative numbers have groups of their own, as Telegram's chats need: 0, -1, 1, -2, 2 ... are numbered 0, 1,
    2, 3, 4 ..., and that is what the id carries.

    Args:
        namespace: three capital letters.
        number: from -2**62 to 2**62 - 1.

    Raises:
        MalformedId: the namespace is not three capital letters.
        MalformedArgument: the number is out of range.
    """
    if type(number) is not int or not -_BOUND <= number < _BOUND:
        raise MalformedArgument(f"a group's number is a whole number of at most 62 bits, not {number!r:.40}")
    return encode(namespace, 2 * number if number >= 0 else -2 * number - 1)


def group_number(group: str) -> int:
    """The number that :func:`group` made ``group`` of.

    Raises:
        MalformedId: ``group`` is not a branded id.
    """
    folded = parse(group).snowflake
    return folded >> 1 if folded % 2 == 0 else -(folded >> 1) - 1
