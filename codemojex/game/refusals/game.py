"""What cannot be done with a game, a room or a setting now."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar


class GameRefused(Exception):
    """Something about a game that cannot be done now. ``reason`` is stable."""

    reason: ClassVar[str] = "refused"


class GameRunning(GameRefused):
    """A game is open in this room already; there is one at a time.

    Attributes:
        opened_at: since when, aware UTC.
    """

    reason = "game_running"

    def __init__(self, opened_at: datetime) -> None:
        super().__init__(f"since {opened_at.isoformat()}")
        self.opened_at = opened_at


class NothingToGiveUp(GameRefused):
    """No game runs in this room."""

    reason = "nothing_to_give_up"


class NotYoursToGiveUp(GameRefused):
    """Only those who have guessed vote on the end of a game; before the first guess, only who opened it."""

    reason = "not_yours_to_give_up"


class DailyNotGivenUp(GameRefused):
    """The puzzle of the day ends by itself."""

    reason = "daily_not_given_up"


class VoteCounted(GameRefused):
    """This player has voted to give up already.

    Attributes:
        votes: how many want to give up.
        needed: how many it takes.
    """

    reason = "vote_counted"

    def __init__(self, votes: int, needed: int) -> None:
        super().__init__(f"{votes} of {needed}")
        self.votes = votes
        self.needed = needed


class NoHintsLeft(GameRefused):
    """The player has had all their hints in this game.

    Attributes:
        limit: how many that is.
    """

    reason = "no_hints_left"

    def __init__(self, limit: int) -> None:
        super().__init__(f"all {limit} used")
        self.limit = limit


class BadPosition(GameRefused):
    """A pin has a position from 1 to 6.

    Attributes:
        position: what stands there, shortened; whatever the player typed, so escape it.
    """

    reason = "bad_position"

    def __init__(self, position: object) -> None:
        super().__init__("not a position")
        self.position = str(position)[:32]


class NotOneSymbol(GameRefused):
    """A pin is one symbol.

    Attributes:
        count: how many the message holds.
    """

    reason = "not_one_symbol"

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} symbols")
        self.count = count


class NotOnKeyboard(GameRefused):
    """What is not on the keyboard can be neither pinned nor tapped.

    Attributes:
        shown: it, shortened; whatever the player typed, so escape it.
    """

    reason = "not_on_keyboard"

    def __init__(self, shown: object) -> None:
        super().__init__("not on the keyboard")
        self.shown = str(shown)[:8]


class PinTaken(GameRefused):
    """The symbol is pinned to another position.

    Attributes:
        symbol: the symbol.
        position: where it is, 1 to 6.
    """

    reason = "pin_taken"

    def __init__(self, symbol: str, position: int) -> None:
        super().__init__(f"{symbol} at {position}")
        self.symbol = symbol
        self.position = position


class StaleDraft(GameRefused):
    """The button belongs to a guess that was submitted already."""

    reason = "stale_draft"


class BadOption(GameRefused):
    """A word after ``/new`` that means nothing here.

    Attributes:
        option: the word, shortened; whatever the player typed, so escape it.
    """

    reason = "bad_option"

    def __init__(self, option: str) -> None:
        super().__init__("not an option")
        self.option = option[:32]


class OneOfAKind(BadOption):
    """Two words of which only one fits a game: two levels, two modes, two themes or two times.

    Attributes:
        kind: level, mode, theme or minutes.
        first: the one that came first, shortened.
    """

    reason = "one_of_a_kind"

    def __init__(self, kind: str, first: str, option: str) -> None:
        super().__init__(option)
        self.kind = kind
        self.first = first[:32]


class BadMinutes(BadOption):
    """A number that is no time a game can have.

    Attributes:
        least, most: the minutes a game may have.
    """

    reason = "bad_minutes"

    def __init__(self, option: str, least: int, most: int) -> None:
        super().__init__(option)
        self.least = least
        self.most = most


class NoSuchRoom(GameRefused):
    """No room has the code after `/join`.

    Attributes:
        code: what stands there, shortened; whatever the player typed, so escape it. Empty: nothing stands there.
    """

    reason = "no_such_room"

    def __init__(self, code: str) -> None:
        super().__init__("no room has this code")
        self.code = code[:32]


class TooMuch(GameRefused):
    """More commands, taps, codes or mistakes than one person's pace allows.

    Attributes:
        tell: True for the first refusal of a flood only; the others stay silent.
    """

    reason = "too_much"

    def __init__(self, tell: bool) -> None:
        super().__init__("more than one person's pace allows")
        self.tell = tell


class AdminsOnly(GameRefused):
    """Only an admin decides for a group."""

    reason = "admins_only"


class NotASetting(GameRefused):
    """Words after ``/settings`` that set nothing."""

    reason = "not_a_setting"
