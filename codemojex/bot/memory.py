"""What the turns of one batch have found out, so that a hundred guesses do not ask a hundred times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from codemojex.bot.marks import RawUpdate, is_id, part, text_of
from codemojex.play.games import GameView
from codemojex.play.particulars import Particulars
from codemojex.play.players import Player
from codemojex.play.rooms import Room


@dataclass(slots=True)
class Memory:
    """What has been read in this transaction and is still so.

    Plain guesses change none of it. Whatever else happens makes it forget everything, and so does an update
    that was set aside, because what it wrote is gone.

    Attributes:
        players: by id, and whether they were met in private.
        guessers: who may guess in this batch, by id.
        particulars: what is special about them; None: not asked yet.
        games: room id -> the open game there, None for none.
        focus: player id -> the room their private guesses go to.
    """

    guessers: frozenset[int]
    particulars: Particulars | None = None
    players: dict[tuple[int, bool], Player] = field(default_factory=dict)
    rooms: dict[tuple[int, int], Room] = field(default_factory=dict)
    games: dict[int, GameView | None] = field(default_factory=dict)
    focus: dict[int, Room] = field(default_factory=dict)

    def forget(self) -> None:
        """Know nothing any more."""
        self.particulars = None
        for known in (self.players, self.rooms, self.games, self.focus):
            known.clear()


def is_plain(raw: RawUpdate) -> bool:
    """A message of words or emojis: it can be a guess, and changes nothing that is remembered."""
    text = text_of(raw)
    return bool(text) and not text.startswith("/")


def guessers(batch: Iterable[RawUpdate]) -> frozenset[int]:
    """Who wrote something in ``batch`` that may be a guess."""
    found = (part(part(raw, "message"), "from").get("id") for raw in batch if text_of(raw))
    return frozenset(id for id in found if is_id(id))
