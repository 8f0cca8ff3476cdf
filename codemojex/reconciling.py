"""The queue held against the database: what it has lost, what it has set aside, what nobody moves on.

It only looks. Guesses that wait for their turn are in order, and so are those of paused players.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import emq
from codemojex.play.audit import NOT_QUEUED, NOT_SCORED, PATIENCE, Violation, broken, violation
from codemojex.play.sweep import scored_of
from codemojex.store.chunks import chunks
from codemojex.store.engine import Store

_PAGE = 500
_PATIENCE_MS = PATIENCE // timedelta(milliseconds=1)

LOST = "lost_by_the_queue"
ASTRAY = "astray_in_the_queue"
SET_ASIDE = "set_aside_unscored"
NO_GUESS = "job_without_a_guess"
LAPSED = "lease_not_returned"
OVERDUE = "due_job_not_moved"

PROMISES = {
    LOST: "Every guess that waits for its score has a job in the queue.",
    ASTRAY: "A job waits where somebody can claim it.",
    SET_ASIDE: "The queue sets no guess aside before it has its score.",
    NO_GUESS: "A job names a guess of this database.",
    LAPSED: "A job whose lease has lapsed waits again.",
    OVERDUE: "A job that is due waits to be claimed.",
}


@dataclass(slots=True)
class Differences:
    """Where the queue and the database do not agree.

    Attributes:
        found: name of the promise -> ids of jobs, which are those of their guesses, or names of queues.
        unmarked: guesses that the queue has and whose rows do not say so.
        counts: how many jobs of guesses wait, are in hand and are set aside.
    """

    found: dict[str, list[str]] = field(default_factory=dict)
    unmarked: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def violations(self) -> list[Violation]:
        """Each promise that does not hold."""
        return [violation(name, PROMISES[name], ids) for name, ids in self.found.items() if ids]


async def compare(
    store: Store,
    conn: emq.Connector,
    queues: tuple[str, str],
    now: datetime,
    paused: Collection[int] = (),
) -> Differences:
    """Hold the queues of guesses and of wake-ups against the database.

    Args:
        queues: their names, that of the guesses first.
        paused: players whose guesses wait on purpose.

    Raises:
        StoreDown, emq.EmqError: one of them does not answer.
    """
    guess_queue, _ = queues
    found = Differences()
    await _waiting(found, store, emq.Admin(conn, guess_queue), now, paused)
    async for ids in _dead(emq.DeadLetters(conn, guess_queue)):
        await _set_aside(found, store, ids)
    for queue in queues:
        ages = await emq.Admin(conn, queue).ages()
        found.found.setdefault(LAPSED, []).extend([queue] * _long(ages.lapsed))
        found.found.setdefault(OVERDUE, []).extend([queue] * _long(ages.overdue))
    counts = await emq.Admin(conn, guess_queue).counts()
    found.counts = {"in_queue": counts.waiting, "in_hand": counts.active, "set_aside": counts.dead}
    return found


async def _waiting(
    found: Differences, store: Store, admin: emq.Admin, now: datetime, paused: Collection[int]
) -> None:
    """Where the jobs are of guesses that should have their score by now."""
    unmarked = set(await store.read(lambda tx: broken(tx, NOT_QUEUED, now, paused), long=True))
    late = sorted(unmarked.union(await store.read(lambda tx: broken(tx, NOT_SCORED, now, paused), long=True)))
    states = {
        id: state
        for part in chunks(late, _PAGE)
        for id, state in zip(part, await admin.states(part), strict=True)
    }
    # Who was scored since then has no job any more, and that is in order.
    scored = await _scored(store, late)
    waiting = [id for id in late if scored.get(id) is False]
    found.found[LOST] = [id for id in waiting if states[id] is emq.State.ABSENT]
    found.found[ASTRAY] = [id for id in waiting if states[id] is emq.State.UNKNOWN]
    lacking = {*found.found[LOST], *found.found[ASTRAY]}
    found.unmarked = [id for id in waiting if id in unmarked and id not in lacking]


async def _set_aside(found: Differences, store: Store, ids: Sequence[str]) -> None:
    scored = await _scored(store, ids)
    found.found.setdefault(SET_ASIDE, []).extend(id for id in ids if scored.get(id) is False)
    found.found.setdefault(NO_GUESS, []).extend(id for id in ids if id not in scored)


async def _dead(letters: emq.DeadLetters) -> AsyncIterator[list[str]]:
    """Pages of the dead as they are now; those that come later are left for another look."""
    left, after = await letters.count(), ""
    while left > 0 and (page := await letters.browse(min(_PAGE, left), after=after)):
        yield [letter.id for letter in page]
        left, after = left - len(page), page[-1].id


async def _scored(store: Store, ids: Sequence[str]) -> dict[str, bool]:
    return await store.read(lambda tx: scored_of(tx, ids)) if ids else {}


def _long(ms: int | None) -> bool:
    """Longer ago than a worker's beat can take."""
    return ms is not None and ms > _PATIENCE_MS
