"""How many guesses a player has, and how fast they may come."""

from __future__ import annotations

from dataclasses import dataclass

from codemojex.play.rooms import RoomKind


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a new game and of every player.

    Attributes:
        alone, group, daily: guesses each: in a chat of one's own, alone or in company, in a group, in the
            puzzle of a day.
        per_second: sustained pace of one player by the times of their messages; 0 turns it off.
        burst: guesses at once after a quiet time.
    """

    alone: int = 12
    group: int = 30
    per_second: float = 1.0
    burst: int = 3
    daily: int = 8

    def of(self, kind: RoomKind) -> int:
        """Guesses each in a room of this kind."""
        match kind:
            case RoomKind.DAILY:
                return self.daily
            case RoomKind.GROUP | RoomKind.TOPIC:
                return self.group
            case RoomKind.PRIVATE | RoomKind.LINK:
                return self.alone
