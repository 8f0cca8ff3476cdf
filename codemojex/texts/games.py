"""A game from its first message to the proof: the keyboard, the draft, pins, hints, votes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from codemojex.game.keyboards import Keyboard
from codemojex.game.scoring import HINT_COST
from codemojex.play.games import GameView
from codemojex.texts import slots, symbols
from codemojex.texts.markup import Html, plain
from codemojex.texts.slots import Pins
from codemojex.texts.topic import Topic, blocks, rows


class GameTexts(Topic):
    """Everything said about one game that is neither a result nor a board."""

    def new_game(
        self,
        view: GameView,
        *,
        pins: Pins = (),
        draft: Sequence[str] | None = None,
        room_title: str | None = None,
        day: str | None = None,
    ) -> Html:
        """A game has begun.

        Args:
            pins: the player's six slots, or nothing.
            draft: the emojis chosen so far; None where no buttons stand below.
            room_title: the code of a room that friends have joined.
            day: YYYY-MM-DD of the puzzle that the game is.
        """
        about = [self._language.say("new-guesses", view.guess_limit), self._say(f"new-{view.mode}")]
        if view.closes_at is not None:
            minutes = max(1, round((view.closes_at - view.opened_at) / timedelta(minutes=1)))
            about.append(self._say("new-minutes", minutes))
        title = self._say("new-title")
        if day is not None:
            title = self._say("daily-title", day=self._language.day(date.fromisoformat(day)))
            if draft is not None:  # else nothing goes to it any more
                about.append(self._say("daily-now"))
        room = [] if room_title is None else [self._say("new-room", code=room_title)]
        return blocks(
            rows(title, *room, " ".join(about)),
            self.keyboard(view.keyboard),
            self._say("new-seal", commitment=view.commitment),
            "" if draft is None else self.composer_line(draft, pins, view.keyboard),
        )

    def keyboard(self, keyboard: Keyboard) -> Html:
        """The symbols of a keyboard with their names, three a row."""
        return symbols.listed(self._language, keyboard)

    def composer_line(self, draft: Sequence[str], pins: Pins, keyboard: Keyboard) -> Html:
        """The guess so far, and what is pinned; only emojis of ``keyboard`` are shown."""
        known = [symbol for symbol in draft if symbol in keyboard.chars]
        return slots.composer_line(self._language, known, pins)

    def toast(self, draft: Sequence[str], pins: Pins = ()) -> str:
        """The guess so far, as the plain answer to a tap."""
        return slots.slots(draft, pins)

    def guess_accepted(self, guess: Sequence[str]) -> str:
        """A guess put together with buttons was admitted, as the answer to the tap that sent it."""
        return plain(self._say("accepted", symbols="".join(guess)))

    def pinned(self, pins: Pins) -> Html:
        """What is pinned now, and what is left to send."""
        return rows(self._say("pins", slots=slots.slots("", pins)), self._say("pins-rest", slots.free(pins)))

    def unpinned(self, pins: Pins) -> Html:
        """What is still pinned."""
        return self.pinned(pins) if any(pins) else self._say("pins-none")

    def hint(self, symbol: str, number: int, left: int) -> Html:
        """A symbol of the code, what it costs, and how many hints are left."""
        named = self._say("hint", symbol=symbol, name=symbols.name(self._language, symbol))
        about = f"{self._say('hint-cost', cost=HINT_COST)} {self._say('hint-left', left)}"
        return rows(named, about)

    def hint_in_private(self) -> Html:
        """The hint went to the player's own chat."""
        return self._say("hint-private")

    def hint_needs_start(self, bot: str | None) -> Html:
        """The bot cannot write to the player yet; ``bot`` is its username."""
        if bot is None:
            return self._say("hint-start-first-nameless")
        return self._say("hint-start-first", bot=f"@{bot}")

    def vote(self, votes: int, needed: int) -> Html:
        """How many of the votes it takes to give up there are."""
        return self._say("vote", votes, needed=needed)

    def not_your_game(self) -> Html:
        """A tap on the buttons of a game that the person is not in."""
        return self._say("not-your-game")

    def button_failed(self) -> Html:
        """A tap that cannot be made sense of."""
        return self._say("button-failed")
