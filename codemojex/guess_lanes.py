"""The queue of guesses, as the game uses it: a lane for each player, so that nobody waits for another's flood.

Who is paused is known to the queue alone: the same lanes are paused and resumed by `emq pause --lane`.
"""

from __future__ import annotations

from collections.abc import Sequence

import emq
from codemojex.play.payloads import GuessJob

_PLAYER = "PLR"


class GuessLanes:
    """Admitted guesses wait here for their score, each in the lane of its player.

    Args:
        conn: an open connector.
        queue: the queue's name.
    """

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self._lanes = emq.Lanes(conn, queue)

    async def enqueue_many(self, jobs: Sequence[GuessJob]) -> list[emq.Verdict]:
        """Put guesses into their players' lanes in one flush; a verdict each, in this order.

        A guess that waits outside of lanes, where earlier versions put them, is a duplicate and stays there.

        Raises:
            EmptyPipeline: there are none.
            NotSent, Uncertain: send the same again.
        """
        return await self._lanes.enqueue_many([(lane_of(job.player_id), job.id, job.payload) for job in jobs])

    async def pause(self, player_id: int) -> bool:
        """Score no more of a player's guesses until `resume`; they are admitted and wait. False when paused before.

        Raises:
            EmqError: the queue does not answer, or refuses.
        """
        return await self._lanes.pause(lane_of(player_id))

    async def resume(self, player_id: int) -> bool:
        """Score a player's guesses again. False when they were not paused.

        Raises:
            EmqError: the queue does not answer, or refuses.
        """
        return await self._lanes.resume(lane_of(player_id))

    async def waiting(self, player_id: int) -> int:
        """How many guesses wait in a player's lane."""
        return await self._lanes.depth(lane_of(player_id))

    async def paused(self) -> list[int]:
        """The players who are paused, by id.

        Raises:
            EmqError: the queue does not answer, or refuses.
        """
        groups = await self._lanes.parked()
        return sorted(emq.group_number(group) for group in groups if group.startswith(_PLAYER))


def lane_of(player_id: int) -> str:
    """The group of a player's guesses; of any Telegram id, and of the negative ones of forgotten players."""
    return emq.group(_PLAYER, player_id)


def in_queue(jobs: Sequence[GuessJob], verdicts: Sequence[emq.Verdict]) -> list[str]:
    """The ids of the guesses that the queue has, after `GuessLanes.enqueue_many`: a duplicate is there as well."""
    return [
        job.id
        for job, verdict in zip(jobs, verdicts, strict=True)
        if verdict in (emq.ENQUEUED, emq.DUPLICATE)
    ]
