"""Whose turn it is: the chats with something to be told, in order, each within its own budget.

What is held is a chat's id, never a message, and no more ids than a bound; the rest stays in the database
until there is room. Times are the caller's monotonic seconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from codemojex.notices.budgets import Budgets, Pace

_FIRST_BACKOFF_S = 1.0
_LONGEST_BACKOFF_S = 60.0
_PRUNE_EVERY = 1_024


@dataclass(slots=True)
class _Chat:
    """What has to be remembered of a chat between its turns."""

    pace: Pace
    not_before: float = float("-inf")
    failures: int = 0

    def ready_at(self) -> float:
        return max(self.pace.ready_at(), self.not_before)

    def forgotten_at(self) -> float:
        return max(self.pace.forgotten_at(), self.not_before)


@dataclass(slots=True)
class Rota:
    """Hands out turns: first come, first served among the chats that may be written to.

    Attributes:
        budgets: the rates.
        bound: ids held at most.
        overflowed: True when an id did not fit; the database knows it. The caller reads it and clears it.
    """

    budgets: Budgets
    bound: int = 10_000
    overflowed: bool = False
    _ready: dict[int, None] = field(default_factory=dict)
    _later: dict[int, float] = field(default_factory=dict)
    _revisits: set[int] = field(default_factory=set)  # of those later ones, whom a wake brings forward
    _times: list[tuple[float, int]] = field(default_factory=list)
    _busy: set[int] = field(default_factory=set)
    _again: set[int] = field(default_factory=set)
    _chats: dict[int, _Chat] = field(default_factory=dict)
    _overall: Pace = field(init=False)
    _prune_at: int = _PRUNE_EVERY

    def __post_init__(self) -> None:
        self._overall = Pace(self.budgets.overall)

    def wake(self, chat_ids: Iterable[int]) -> None:
        """These chats have something to be told. Repeating it costs nothing."""
        for chat_id in chat_ids:
            if chat_id in self._busy:
                self._again.add(chat_id)
            elif chat_id in self._revisits:
                self._revisits.discard(chat_id)
                del self._later[chat_id]
                self._ready[chat_id] = None
            elif chat_id in self._later or chat_id in self._ready:
                continue
            elif self.waiting() >= self.bound:
                self.overflowed = True
            else:
                self._ready[chat_id] = None

    def waiting(self) -> int:
        """How many chats have, or may have, something to be told."""
        return len(self._ready) + len(self._later) + len(self._busy)

    def next(self, now: float) -> int | None:
        """The chat whose turn it is, its message already counted; None while nobody may be written to."""
        self._bring_due(now)
        while self._ready and self._overall.ready_at() <= now:
            chat_id = next(iter(self._ready))
            del self._ready[chat_id]
            chat = self._chat(chat_id)
            if chat.ready_at() > now:
                self._postpone(chat_id, chat.ready_at())
                continue
            chat.pace.spend(now)
            self._overall.spend(now)
            self._busy.add(chat_id)
            return chat_id
        return None

    def next_at(self) -> float | None:
        """When `next` may have a chat again, or None when that takes a `wake` or a `done`."""
        times = [self._times[0][0]] if self._times else []
        if self._ready:
            times.append(self._overall.ready_at())
        return min(times, default=None)

    def done(
        self, chat_id: int, now: float, *, spent: bool, more: bool, again_at: float | None = None
    ) -> None:
        """The turn of a chat is over.

        Args:
            spent: whether a request went to Telegram; one that did not is given back to the budgets.
            more: whether the chat still has something to be told.
            again_at: when it will have something to be told although nobody wakes it, None: never.
        """
        self._busy.discard(chat_id)
        if not spent:
            self._chat(chat_id).pace.refund()
            self._overall.refund()
        if more or chat_id in self._again:
            self._again.discard(chat_id)
            self._ready[chat_id] = None
        elif again_at is not None:
            self._postpone(chat_id, again_at)
            self._revisits.add(chat_id)
        self._prune(now)

    def hold(self, chat_id: int, until: float) -> None:
        """Nothing goes to this chat before ``until``."""
        chat = self._chat(chat_id)
        chat.not_before = max(chat.not_before, until)

    def back_off(self, chat_id: int, now: float) -> None:
        """A send failed for reasons of its own: wait longer each time."""
        chat = self._chat(chat_id)
        self.hold(chat_id, now + backoff_s(chat.failures))
        chat.failures += 1

    def well(self, chat_id: int) -> None:
        """A send got an answer: the next failure starts small again."""
        self._chat(chat_id).failures = 0

    def move(self, old: int, new: int, now: float) -> None:
        """A chat has got another id: what it was sent counts there, and it has its turn under it.

        One that moves on and on without ever taking a message waits longer each time.
        """
        was, becomes = self._chat(old), self._chat(new)
        becomes.pace.join(was.pace)
        becomes.not_before = max(becomes.not_before, was.not_before)
        becomes.failures = max(becomes.failures, was.failures)
        if becomes.failures:
            self.back_off(new, now)
        else:
            becomes.failures = 1
        self.wake([new])

    def spare(self, chat_id: int, now: float) -> bool:
        """Count one request more to a chat, if nobody will miss it: it is quiet there and nobody waits."""
        chat = self._chat(chat_id)
        quiet = chat.ready_at() <= now and chat.pace.used(now) <= 1.0
        if not quiet or self._ready or self._overall.ready_at() > now:
            return False
        chat.pace.spend(now)
        self._overall.spend(now)
        return True

    def _chat(self, chat_id: int) -> _Chat:
        found = self._chats.get(chat_id)
        if found is None:
            found = self._chats[chat_id] = _Chat(Pace(self.budgets.of(chat_id)))
        return found

    def _postpone(self, chat_id: int, until: float) -> None:
        self._later[chat_id] = until
        heapq.heappush(self._times, (until, chat_id))

    def _bring_due(self, now: float) -> None:
        while self._times and self._times[0][0] <= now:
            at, chat_id = heapq.heappop(self._times)
            if self._later.get(chat_id) == at:  # not brought forward meanwhile
                del self._later[chat_id]
                self._revisits.discard(chat_id)
                self._ready[chat_id] = None

    def _prune(self, now: float) -> None:
        """Forget chats whose budgets are as good as new, now and then."""
        if len(self._chats) < self._prune_at:
            return
        for chat_id in [id for id, chat in self._chats.items() if self._forgettable(id, chat, now)]:
            del self._chats[chat_id]
        self._prune_at = 2 * len(self._chats) + _PRUNE_EVERY

    def _forgettable(self, chat_id: int, chat: _Chat, now: float) -> bool:
        return chat_id not in self._busy and not chat.failures and chat.forgotten_at() <= now


def backoff_s(failures: int) -> float:
    """Seconds to wait after one more failure in a row: 1, 2, 4 … 60."""
    return min(_FIRST_BACKOFF_S * float(2 ** min(failures, 16)), _LONGEST_BACKOFF_S)
