"""What the bot says, an object for each language: handlers and the notifier ask it and compose nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codemojex.game.keyboards import Keyboard
from codemojex.game.refusals import GameRefused, GuessRefused
from codemojex.texts import daily, endings, refusals, results
from codemojex.texts.boards import BoardTexts
from codemojex.texts.daily import DailyTexts
from codemojex.texts.games import GameTexts
from codemojex.texts.greetings import GreetingTexts, commands_in
from codemojex.texts.language import Language, language
from codemojex.texts.live import LiveTexts
from codemojex.texts.markup import Html, plain
from codemojex.texts.people import PeopleTexts
from codemojex.texts.proof import ProofTexts
from codemojex.texts.rooms import RoomTexts
from codemojex.texts.settings import SettingTexts

DEFAULT = "en"


class Texts(
    GreetingTexts,
    GameTexts,
    BoardTexts,
    LiveTexts,
    ProofTexts,
    RoomTexts,
    DailyTexts,
    PeopleTexts,
    SettingTexts,
):
    """Every sentence in one language, as Telegram HTML within the limits of one message."""

    def __init__(self, spoken: Language | None = None) -> None:
        super().__init__(language(DEFAULT) if spoken is None else spoken)
        said = self._language
        self._notices: Mapping[str, Callable[[Mapping[str, Any]], Html]] = {
            "text": lambda data: Html(data["text"]),
            "result": lambda data: results.result(said, data),
            "safe": lambda data: said.say("guess-safe", data["guesses"]),
            "late": lambda data: results.late(said, data),
            "ended": lambda data: endings.ended(said, data),
            "hint": lambda data: self.hint(data["symbol"], data["number"], data["left"]),
            "vote": self._vote,
            "joined": lambda data: self.member_joined(data["name"], data["id"]),
            "left": lambda data: self.member_left(data["name"], data["id"]),
            "in_daily": lambda _: self.in_daily(),
            "daily_done": lambda data: daily.done(said, data),
            "document": lambda _: self.exported(),
        }

    @property
    def code(self) -> str:
        """The language, as an IETF tag."""
        return self._language.code

    def notice(self, kind: str, data: Mapping[str, Any]) -> Html:
        """A notice of the outbox.

        Raises:
            KeyError: no such kind, or the data lacks something of it.
        """
        return self._notices[kind](data)

    def name(self, name: str | None, player_id: int) -> Html:
        """A player's name as it may stand in any sentence; "Player 1234" for one that looks blank."""
        return self._language.name(name, player_id)

    def refused(self, refusal: GuessRefused | GameRefused) -> Html | None:
        """Why not; None where nothing is to be said, because a flood is told once."""
        return refusals.refused(self._language, refusal)

    def bad_secret(self, refusal: GuessRefused, keyboard: Keyboard) -> str:
        """Why the emojis chosen on the command line can be no secret on ``keyboard``; plain text."""
        return plain(refusals.bad_secret(self._language, refusal, keyboard))

    def _vote(self, data: Mapping[str, Any]) -> Html:
        said = self.vote(data["votes"], data["needed"])
        if "name" not in data:
            return said
        who = self._say("vote-named", name=self.name(data["name"], data["player_id"]))
        return Html(f"{who}\n{said}")


def commands(code: str = DEFAULT) -> list[tuple[str, str]]:
    """The commands of the bot's menu and what each does, in plain words of the language ``code``."""
    return commands_in(language(code))
