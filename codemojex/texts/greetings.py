"""Getting to know each other: greetings, help, and what the bot says to what it cannot read."""

from __future__ import annotations

from codemojex.game.keyboards import THEMES, Keyboard
from codemojex.game.scoring import HINT_COST
from codemojex.play.games import LEAST_MINUTES, MOST_MINUTES, GameView
from codemojex.texts import symbols
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, looks_blank, plain, typed
from codemojex.texts.topic import Topic, blocks, rows

COMMANDS = (
    "new",
    "daily",
    "guess",
    "board",
    "pin",
    "unpin",
    "hint",
    "giveup",
    "invite",
    "join",
    "leave",
    "top",
    "stats",
    "share",
    "verify",
    "rules",
    "settings",
    "privacy",
    "ping",
    "help",
)
_EXAMPLE = "🐶🐱🐸🦊🐼🐷"


class GreetingTexts(Topic):
    """Hello, help, and hints beside the game."""

    def start(self, name: str | None) -> Html:
        """The greeting."""
        hello = (
            self._say("start-nameless")
            if name is None or looks_blank(name)
            else self._say("start-named", name=typed(name))
        )
        return blocks(hello, self._say("start"))

    def greet_group(self, bot: str | None, sees_all: bool) -> Html:
        """The greeting to a group.

        Args:
            bot: the bot's username.
            sees_all: whether it is shown every message there: privacy mode is off, or it is an admin.
        """
        how = self._say("greet-sees-all" if sees_all else "greet-privacy")
        return blocks(self._say("greet"), how)

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
            commands=rows(*(f"/{name} – {what}" for name, what in commands_in(self._language))),
        )

    def rules(self, keyboard: Keyboard | None = None) -> Html:
        """The rules, and the emojis by name: those of ``keyboard``, or of every theme."""
        if keyboard is not None:
            named = [rows(*symbols.names(self._language, keyboard.chars))]
        else:
            named = [symbols.theme(self._language, theme) for theme in THEMES.values()]
        return blocks(
            self._say("rules", cost=HINT_COST),
            self._say("rules-points"),
            rows(self._say("rules-names"), *named),
        )

    def ping(self, ms: int) -> Html:
        """The bot is awake; the answer took ``ms`` milliseconds."""
        return self._say("ping", ms=ms)

    def unknown_command(self, command: str) -> Html:
        """A command the bot does not know."""
        return self._say("unknown-command", command=typed(command))

    def only_in_private(self, bot: str | None) -> Html:
        """A command that means nothing in a group; ``bot`` is the bot's username."""
        return self._say("only-in-private", bot=f"@{bot}") if bot else self._say("only-in-private-nameless")

    def not_a_guess(self, game: GameView | None) -> Html:
        """A text that is neither a command nor emojis; ``game`` is the open one, if there is one."""
        if game is None:
            return self._say("aside-idle")
        return blocks(self._say("aside-playing"), symbols.listed(self._language, game.keyboard))

    def edited_hint(self) -> Html:
        """An edited message never counts."""
        return self._say("aside-edited")

    def anonymous_hint(self) -> Html:
        """An anonymous admin, or somebody writing as a channel, cannot score."""
        return self._say("aside-anonymous")


def commands_in(language: Language) -> list[tuple[str, str]]:
    """The commands of the bot's menu and what each does, in plain words."""
    return [(name, plain(language.say(f"command-{name}"))) for name in COMMANDS]
