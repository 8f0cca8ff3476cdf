"""Minting: ids that never repeat in a process and never go back, whatever the clock does.

A minter remembers one number, ``ms << 12 | seq`` of its last id: its turn. The next is the clock's, or the last plus
one where the clock stands still or stepped back; so the 4097th id of a millisecond borrows from the next one
and nothing ever waits. Two processes differ by their node id (0 to 1023).
"""

from __future__ import annotations

import math
import os
import secrets
import threading
import time
import weakref
from collections.abc import Callable

from .errors import EmqError, MalformedArgument, NodeLapsed
from .ids import EPOCH_MS, MAX_NODE, MAX_SEQ, encode, encode_run
from .lease import now

MOST_AT_ONCE = 100_000
"""Ids of one :func:`mint_many`: they run ahead of the clock, by a millisecond for each 4,096."""

_FOREVER = math.inf


def _unix_ms() -> int:
    return time.time_ns() // 1_000_000


def _checked(node: int) -> int:
    if not 0 <= node <= MAX_NODE:
        raise EmqError(f"a node id is a number from 0 to {MAX_NODE}, not {node}")
    return node


class Minter:
    """Mints ids on one node; safe to share between threads, and safe across a fork.

    After a fork the child's minter moves to a node that neither its parent nor an earlier ancestor used,
    drawn at random: a child never repeats an id of its parent. Where the parent's node was lent, the child
    must lease one of its own before it mints.

    Args:
        node: this minter's node id, 0 to 1023.
        clock: the wall clock, unix milliseconds.
    """

    def __init__(self, node: int, clock: Callable[[], int] = _unix_ms) -> None:
        self._node = _checked(node)
        self._used = {node}
        self._until = _FOREVER
        self._clock = clock
        self._last = -1
        self._lock = threading.Lock()
        _minters.add(self)

    @property
    def node(self) -> int:
        """The node id that the next id will carry."""
        return self._node

    def set_node(self, node: int, until: float = _FOREVER) -> None:
        """Mint on ``node`` from now on, up to ``until`` (seconds of :func:`emq.lease.now`) if it is only lent.

        Ids keep increasing across the change: the first id on another node is in a later millisecond.
        """
        _checked(node)
        with self._lock:
            if node != self._node:
                self._move(node)
            self._until = until

    def snowflake(self) -> int:
        """The next number.

        Raises:
            NodeLapsed: the node id was lent and its time is over.
        """
        with self._lock:
            if self._until is not _FOREVER and self._until <= now():
                raise self._lapsed()
            turn = self._last + 1
            by_the_clock = (self._clock() - EPOCH_MS) << 12
            if by_the_clock > turn:
                turn = by_the_clock
            self._last = turn
            return (turn >> 12) << 22 | self._node << 12 | (turn & MAX_SEQ)

    def mint(self, namespace: str) -> str:
        """A new id in ``namespace`` (three capital letters).

        Raises:
            MalformedId: the namespace is not three capital letters.
            NodeLapsed: the node id was lent and its time is over.
        """
        return encode(namespace, self.snowflake())

    def mint_many(self, namespace: str, count: int) -> list[str]:
        """``count`` new ids (0 to 100,000) in ``namespace``, in their order, under one reading of the clock.

        Raises:
            MalformedId: the namespace is not three capital letters.
            MalformedArgument: ``count`` is out of range.
            NodeLapsed: the node id was lent and its time is over.
        """
        if type(count) is not int or not 0 <= count <= MOST_AT_ONCE:
            raise MalformedArgument(
                f"count is {count!r:.40}: give a whole number from 0 to {MOST_AT_ONCE:,}, and call again for more"
            )
        with self._lock:
            if self._until is not _FOREVER and self._until <= now():
                raise self._lapsed()
            turn, node = max(self._last + 1, (self._clock() - EPOCH_MS) << 12), self._node
            self._last = turn + count - 1
        end = turn + count
        ids: list[str] = []
        while turn < end:
            next_ms = (turn | MAX_SEQ) + 1
            first = (turn >> 12) << 22 | node << 12 | (turn & MAX_SEQ)
            ids += encode_run(namespace, first, min(next_ms, end) - turn)
            turn = next_ms
        return ids

    def _lapsed(self) -> NodeLapsed:
        return NodeLapsed(
            f"the lease on node id {self._node} lapsed, or is that of the process this one was forked "
            "from: another process may use the number now; lease a node again before minting"
        )

    def _move(self, node: int) -> None:
        self._node = node
        self._used.add(node)
        if self._last >= 0:
            self._last |= MAX_SEQ

    def _forked(self) -> None:
        # The lock may have been held by a thread that does not exist in the child.
        self._lock = threading.Lock()
        free = [node for node in range(MAX_NODE + 1) if node not in self._used]
        self._move(secrets.choice(free or range(MAX_NODE + 1)))
        if self._until != _FOREVER:
            self._until = -_FOREVER  # numbers are lent here, so any number may be somebody's


_minters: weakref.WeakSet[Minter] = weakref.WeakSet()


def _configured_node() -> int:
    text = os.environ.get("EMQ_NODE", "").strip()
    if not text:
        return secrets.randbelow(MAX_NODE + 1)
    if text.isascii() and text.isdigit() and int(text) <= MAX_NODE:
        return int(text)
    raise EmqError(f"EMQ_NODE is {text!r:.40}; set it to a number from 0 to {MAX_NODE}, or unset it")


_process_minter: Minter | None = None
_process_lock = threading.Lock()


def process_minter() -> Minter:
    """The minter behind :func:`mint`: on the node of ``EMQ_NODE``, or on one drawn at random once."""
    global _process_minter
    if _process_minter is None:
        with _process_lock:
            if _process_minter is None:
                _process_minter = Minter(_configured_node())
    return _process_minter


def mint(namespace: str) -> str:
    """A new id in ``namespace`` (three capital letters) that no other call in this process ever returns.

    Ids of one process increase strictly. Thread-safe; never blocks on the clock.

    Raises:
        MalformedId: the namespace is not three capital letters.
        NodeLapsed: the node id was leased and the lease lapsed.
        EmqError: ``EMQ_NODE`` is not a number from 0 to 1023.
    """
    return (_process_minter or process_minter()).mint(namespace)


def mint_many(namespace: str, count: int) -> list[str]:
    """``count`` new ids (0 to 100,000) in ``namespace``, in their order: as :func:`mint`, at a tenth of its price.

    Raises:
        MalformedId, NodeLapsed, EmqError: as for :func:`mint`.
        MalformedArgument: ``count`` is out of range.
    """
    return (_process_minter or process_minter()).mint_many(namespace, count)


def set_node(node: int, until: float = _FOREVER) -> None:
    """Mint on ``node`` in this process from now on; see :meth:`Minter.set_node`."""
    process_minter().set_node(node, until)


def _after_fork() -> None:
    global _process_lock
    _process_lock = threading.Lock()
    for minter in list(_minters):
        minter._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
