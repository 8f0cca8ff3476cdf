"""Where games are played: a table is one chat, a seat one player at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.swarm.stage import Buttons, Heard


class Kind(StrEnum):
    """What is played at a table."""

    PRIVATE = "private"
    GROUP = "group"
    DAILY = "daily"


# Guesses each, unless a deployment says otherwise; past them a table asks for another game.
GUESSES = {Kind.PRIVATE: 12, Kind.GROUP: 30, Kind.DAILY: 8}


@dataclass(slots=True)
class Guess:
    """A guess that was sent. Times are seconds of the machine's clock.

    Attributes:
        answered_at: when the bot showed it; None before.
        given_up: it was not shown in time, and the player went on.
    """

    chat_id: int
    message_id: int
    symbols: str
    kind: Kind
    sent_at: float
    answered_at: float | None = None
    given_up: bool = False


@dataclass(slots=True, eq=False)
class Seat:
    """A player; sends the next guess when the last one is answered."""

    player_id: int
    table: Table
    used: int = 0
    sent: set[str] = field(default_factory=set)
    """The guesses of this game."""
    waiting: Guess | None = None
    place: int = -1
    """Where it stands among the seats that are free; -1: it is not."""

    def fresh(self, symbols: Sequence[str], dice: Random) -> str:
        """The next guess: any six of the symbols, but nothing sent before, which would be refused."""
        six = ""
        while not six or six in self.sent:
            six = "".join(dice.sample(symbols, CODE_LENGTH))
        self.sent.add(six)
        return six

    @property
    def free(self) -> bool:
        """It may send a guess now."""
        table = self.table
        return table.buttons is not None and self.waiting is None and self.used < GUESSES[table.kind]


@dataclass(slots=True, eq=False)
class Table:
    """A chat with a game, or about to have one.

    Attributes:
        owner_id: who asks for games there; in a group an admin.
        buttons: of the game that is on; None: there is none.
        asked_at: when a game was asked for last.
    """

    kind: Kind
    chat_id: int
    owner_id: int
    seats: list[Seat] = field(default_factory=list)
    buttons: Buttons | None = None
    asked_at: float = float("-inf")

    @property
    def spent(self) -> bool:
        """Everybody has used their guesses and has every answer."""
        return all(seat.used >= GUESSES[self.kind] and seat.waiting is None for seat in self.seats)

    def hear(self, said: Heard, now: float) -> list[Guess]:
        """Take in a message of the bot; the guesses it answers."""
        if said.buttons is not None:
            if self.buttons is None or said.buttons.game_id != self.buttons.game_id:
                for seat in self.seats:
                    seat.used = 0
                    seat.sent.clear()
            self.buttons = said.buttons
        elif said.edited:
            self.buttons = None  # a card without buttons: its game is over
        return [guess for seat in self.seats if (guess := _answered(seat, said, now)) is not None]


def _answered(seat: Seat, said: Heard, now: float) -> Guess | None:
    guess = seat.waiting
    if guess is None or guess.symbols not in said.text:
        return None
    guess.answered_at, seat.waiting = now, None
    return guess
