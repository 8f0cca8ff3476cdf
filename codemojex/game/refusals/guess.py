"""Guesses that do not count. A refused guess costs nothing: no attempt is spent and nothing is stored."""

from __future__ import annotations

from typing import ClassVar


class GuessRefused(Exception):
    """A guess that does not count. ``reason`` is stable: programs and texts may rely on it."""

    reason: ClassVar[str] = "refused"


class NotSix(GuessRefused):
    """The message does not hold exactly six symbols.

    Attributes:
        count: how many it holds; None when it was too long to be looked at.
    """

    reason = "not_six"

    def __init__(self, count: int | None) -> None:
        super().__init__(f"{count} symbols" if count is not None else "not looked at")
        self.count = count


class Empty(NotSix):
    """Nothing is left once white space and invisible characters are dropped."""

    reason = "empty"

    def __init__(self) -> None:
        super().__init__(0)


class TooLong(NotSix):
    """Longer than any guess can be; the text was not looked at.

    Attributes:
        length: code points in the message.
        limit: code points that are looked at.
    """

    reason = "too_long"

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(None)
        self.length = length
        self.limit = limit


class Unknown(GuessRefused):
    """Symbols that are not on the keyboard.

    Attributes:
        found: (position 1 to 6, what stands there, shortened for showing), in order, at least one.
    """

    reason = "unknown"

    def __init__(self, found: tuple[tuple[int, str], ...]) -> None:
        super().__init__(f"unknown at {', '.join(str(position) for position, _ in found)}")
        self.found = found

    @property
    def position(self) -> int:
        """Where the first of them stands, 1 to 6."""
        return self.found[0][0]

    @property
    def shown(self) -> str:
        """The first of them, shortened; whatever the player typed, so escape it."""
        return self.found[0][1]


class Repeated(GuessRefused):
    """A symbol stands in two positions.

    Attributes:
        position: where it stands again, 1 to 6.
        first: where it stood first, 1 to 6.
        symbol: the symbol.
    """

    reason = "repeated"

    def __init__(self, position: int, first: int, symbol: str) -> None:
        super().__init__(f"{first} again at {position}")
        self.position = position
        self.first = first
        self.symbol = symbol


class NoGame(GuessRefused):
    """No game runs in this room."""

    reason = "no_game"


class Forwarded(GuessRefused):
    """The message was forwarded: somebody else's guess, or an old one."""

    reason = "forwarded"


class GameOver(GuessRefused):
    """The game ended before the guess was admitted."""

    reason = "game_over"


class OutOfGuesses(GuessRefused):
    """The player has had all their guesses in this game.

    Attributes:
        limit: how many that is.
    """

    reason = "out_of_guesses"

    def __init__(self, limit: int) -> None:
        super().__init__(f"all {limit} used")
        self.limit = limit


class AlreadyTried(GuessRefused):
    """The player has sent exactly this guess in this game before.

    What it earned is here only where the game's mode shows it at once, and once it has its score.

    Attributes:
        number: which of their guesses it was, from 1.
        total: its points; None where they are not shown.
        exact, misplaced: its pegs; None where they are not shown.
    """

    reason = "already_tried"

    def __init__(
        self, number: int, total: int | None = None, exact: int | None = None, misplaced: int | None = None
    ) -> None:
        super().__init__(f"guess {number} was the same")
        self.number = number
        self.total = total
        self.exact = exact
        self.misplaced = misplaced


class NotFilling(NotSix):
    """With pins, a guess is six symbols, or as many as there are positions without a pin.

    Attributes:
        free: how many positions that is, 0 to 5.
    """

    reason = "not_filling"

    def __init__(self, count: int, free: int) -> None:
        super().__init__(count)
        self.free = free


class AlreadySolved(GuessRefused):
    """The player has cracked the puzzle of the day; it goes on for the others only."""

    reason = "already_solved"


class TooFast(GuessRefused):
    """More guesses than the pace allows.

    Attributes:
        per_second: the sustained pace.
        tell: True for the first refusal of a flood only; the others stay silent.
    """

    reason = "too_fast"

    def __init__(self, per_second: float, tell: bool) -> None:
        super().__init__(f"more than {per_second:g} a second")
        self.per_second = per_second
        self.tell = tell


class NotAPlayer(GuessRefused):
    """A sender who cannot score: a bot, an anonymous admin, somebody writing as a channel."""

    reason = "not_a_player"


class DayOver(GuessRefused):
    """The puzzle takes guesses that were sent on its day, until it is closed.

    Attributes:
        day: the puzzle's, YYYY-MM-DD.
    """

    reason = "day_over"

    def __init__(self, day: str) -> None:
        super().__init__(f"{day} is over")
        self.day = day
