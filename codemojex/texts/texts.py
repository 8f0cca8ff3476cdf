"""What the bot says, an object for each language: handlers and the notifier ask it and compose nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from codemojex.game import secret
from codemojex.game.keyboards import THEMES, Keyboard
from codemojex.game.refusals import GameRefused, GuessRefused
from codemojex.play.games import LEAST_MINUTES, MOST_MINUTES, GameView
from codemojex.play.views import BoardView
from codemojex.texts import boards, refusals, results
from codemojex.texts.catalog import Language
from codemojex.texts.english import ENGLISH
from codemojex.texts.markup import Html, looks_blank, named, plain, typed

_SEPARATOR = "\\036"  # U+001E as every printf spells it
_COMMANDS = ("new", "board", "giveup", "verify", "help")
_EXAMPLE = "🐶🐱🐸🦊🐼🐷"


class Texts:
    """Every sentence in one language, as Telegram HTML within the limits of one message."""

    def __init__(self, language: Language = ENGLISH) -> None:
        self._language = language
        self._say = language.say
        self._notices: Mapping[str, Callable[[Mapping[str, Any]], Html]] = {
            "text": lambda data: Html(data["text"]),
            "result": lambda data: results.result(language, data),
            "late": lambda data: results.late(language, data),
            "ended": lambda data: results.ended(language, data),
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
        return named(name, player_id, self._say("player.nameless", digits="{digits}"))

    def start(self, name: str | None) -> Html:
        """The greeting."""
        hello = (
            self._say("start.nameless")
            if name is None or looks_blank(name)
            else self._say("start.named", name=typed(name))
        )
        return _blocks(hello, self._say("start"))

    def help(self) -> Html:
        """How to play, and the commands."""
        first, second, rest = _EXAMPLE[0], _EXAMPLE[1], _EXAMPLE[2:]
        return self._say(
            "help",
            code=_EXAMPLE,
            guess=second + first + rest,
            first=second,
            second=first,
            themes=", ".join(THEMES),
            least=LEAST_MINUTES,
            most=MOST_MINUTES,
            commands=_rows(*(f"/{name} – {what}" for name, what in commands(self._language))),
        )

    def rules(self, keyboard: Keyboard) -> Html:
        """The symbols of a keyboard with their names, three a row."""
        names = [f"{symbol.char} {symbol.name}" for symbol in keyboard.symbols]
        rows = [" · ".join(names[i : i + 3]) for i in range(0, len(names), 3)]
        return _rows(self._say("new.keyboard", n=len(names)), *rows)

    def new_game(self, view: GameView) -> Html:
        """A game has begun."""
        about = [self._language.count("new.guesses", view.guess_limit), self._say(f"new.{view.mode}")]
        if view.closes_at is not None:
            minutes = max(1, round((view.closes_at - view.opened_at) / timedelta(minutes=1)))
            about.append(self._language.count("new.minutes", minutes))
        return _blocks(
            _rows(self._say("new.title"), " ".join(about)),
            self.rules(view.keyboard),
            self._say("new.seal", commitment=view.commitment),
        )

    def refused(self, refusal: GuessRefused | GameRefused) -> Html | None:
        """Why not; None where nothing is to be said, because a flood is told once."""
        return refusals.refused(self._language, refusal)

    def bad_secret(self, refusal: GuessRefused, keyboard: Keyboard) -> str:
        """Why the emojis chosen on the command line can be no secret on ``keyboard``; plain text."""
        return plain(refusals.bad_secret(self._language, refusal, keyboard))

    def board(self, view: BoardView, now: datetime) -> list[Html]:
        """How a game stands at ``now`` (aware UTC), in as many messages as its rows need."""
        return boards.board(self._language, view, now)

    def verify(self, view: GameView, *, playing: bool = False) -> Html:
        """Whether secret and nonce of a closed game give its commitment, and how to see that by hand.

        Args:
            playing: another game is on meanwhile, so that it has to be said which one this is about.

        Raises:
            ValueError: the game is still open.
        """
        if view.secret is None or view.nonce is None:
            raise ValueError("an open game has nothing to verify")
        kept = secret.verify(view.secret, view.nonce, view.commitment)
        return _blocks(
            *([self._say("verify.last")] if playing else []),
            _rows(
                self._say("verify.kept" if kept else "verify.broken"),
                self._say("verify.seal", commitment=view.commitment),
            ),
            self._say("verify.code", symbols="".join(view.secret), nonce=view.nonce),
            self._say("verify.hand", command=by_hand(view.secret, view.nonce)),
        )

    def nothing_to_verify(self, *, playing: bool = False) -> Html:
        """There is no finished game; ``playing``: the first is on."""
        return self._say("verify.not_yet" if playing else "verify.nothing")

    def no_game(self) -> Html:
        """There is no game at all."""
        return self._say("refused.no_game")

    def unknown_command(self, command: str) -> Html:
        """A command the bot does not know."""
        return self._say("unknown_command", command=typed(command))

    def not_a_guess(self, game: GameView | None) -> Html:
        """A text that is neither a command nor emojis; ``game`` is the open one, if there is one."""
        if game is None:
            return self._say("hint.idle")
        return _blocks(self._say("hint.playing"), self.rules(game.keyboard))

    def not_text(self) -> Html:
        """A picture, a sticker, a voice message."""
        return self._say("hint.not_text")

    def edited_hint(self) -> Html:
        """An edited message never counts."""
        return self._say("hint.edited")

    def private_only(self, bot: str | None) -> Html:
        """Written in a group; ``bot`` is the bot's username."""
        return self._say("private_only", bot=f"@{bot}") if bot else self._say("private_only.nameless")


def commands(language: Language = ENGLISH) -> list[tuple[str, str]]:
    """The commands of the bot's menu and what each does, in plain words."""
    return [(name, str(language.say(f"command.{name}"))) for name in _COMMANDS]


def by_hand(symbols: tuple[str, ...], nonce: str) -> str:
    """A line for any shell that prints the commitment."""
    return f"printf '{_SEPARATOR.join([*symbols, nonce])}' | sha256sum"


def _rows(*rows: str) -> Html:
    return Html("\n".join(rows))


def _blocks(*blocks: str) -> Html:
    return Html("\n\n".join(blocks))
