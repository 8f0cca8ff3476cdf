"""What the chat in a terminal says itself, in plain text: its prompt, its keys, its remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from codemojex.game.scoring import percent
from codemojex.play.feeds import FeedLine
from codemojex.play.languages import DEFAULT, spoken
from codemojex.texts.greetings import commands_in
from codemojex.texts.language import Language, language, languages
from codemojex.texts.markup import plain
from codemojex.texts.symbols import KEYS
from codemojex.texts.symbols import name as name_of


class ConsoleTexts:
    """The terminal's own words in one language."""

    def __init__(self, spoken: Language) -> None:
        self._language = spoken
        self.code = spoken.code

    def _say(self, key: str, n: int | None = None, /, **values: object) -> str:
        return plain(self._language.say(key, n, **values))

    # -- around the prompt -------------------------------------------------------------------------

    def you(self) -> str:
        """Whoever sits at the terminal, as a name."""
        return self._say("terminal-you")

    def welcome(self) -> str:
        """What this is."""
        return self._say("terminal-welcome")

    def begin(self, example: str, *, playing: bool) -> str:
        """The first thing to do; ``playing``: a game is on."""
        return self._say("terminal-on" if playing else "terminal-begin", example=example)

    def line(self, example: str) -> str:
        """Both of these and the way out, where there is nothing but lines."""
        return self._say("terminal-line", example=example)

    def placeholder(self, free: int) -> str:
        """What may be typed; ``free`` places of a guess are not pinned."""
        return self._say("terminal-placeholder", free)

    def keys(self) -> str:
        """What the keys do."""
        return self._say("terminal-keys")

    def leave(self) -> str:
        """What Ctrl-C does now."""
        return self._say("terminal-leave")

    def bye(self) -> str:
        """The end."""
        return self._say("terminal-bye")

    def edited(self) -> str:
        """Marks what has changed in an earlier message."""
        return self._say("terminal-edited")

    # -- help --------------------------------------------------------------------------------------

    def letters(self, row: str) -> str:
        """The letters with their emojis."""
        return self._say("terminal-letters", row=row)

    def help_title(self) -> str:
        """Above what follows."""
        return self._say("terminal-help-title")

    def help_letters(self, example: str, name: str) -> str:
        """How to guess without emojis."""
        return self._say("terminal-help-letters", example=example, name=name)

    def help_keys(self) -> str:
        """Keys, buttons and links."""
        return f"{self._say('terminal-help-keys')}\n{self._say('terminal-help-buttons')}"

    def commands(self) -> Mapping[str, str]:
        """What each command does, those of the terminal included."""
        own = {
            "help": self._say("terminal-command-help"),
            "press": self._say("terminal-command-press"),
        }
        return own | dict(commands_in(self._language))

    def symbol(self, char: str) -> str:
        """What an emoji is called."""
        return plain(name_of(self._language, char))

    # -- buttons, links, files ---------------------------------------------------------------------

    def press(self) -> str:
        """How to press a button."""
        return self._say("terminal-press")

    def no_button(self, button: str, buttons: Sequence[str]) -> str:
        """There is no such button; ``buttons`` are those that there are."""
        if not buttons:
            return self._say("terminal-no-buttons")
        return self._say("terminal-no-button", button=button, buttons=", ".join(buttons))

    def link(self) -> str:
        """What a link to the bot is good for here."""
        return self._say("terminal-link")

    def saved(self, path: str) -> str:
        """Where a file went."""
        return self._say("terminal-saved", path=path)

    def unsaved(self, why: str) -> str:
        """A file went nowhere."""
        return self._say("terminal-unsaved", why=why)

    # -- what is wrong with a line -----------------------------------------------------------------

    def empty(self) -> str:
        """Nothing was typed."""
        return self._say("terminal-empty")

    def cut(self, most: int) -> str:
        """More was typed than a message holds."""
        return self._say("terminal-cut", most=f"{most:,}")

    def refused(self, why: str) -> str:
        """No client would send that."""
        return self._say("terminal-refused", why=why)

    def long(self, shown: str, length: int) -> str:
        """The beginning of a line that is too long to be repeated."""
        return self._say("terminal-long", shown=shown, length=f"{length:,}")

    def wrong_length(self, word: str, free: int) -> str:
        """Letters of the keyboard, but not as many as a guess has."""
        return self._say("terminal-length", len(word), word=word, needs=self._needs(free))

    def strange(self, letters: Sequence[str], span: str, free: int | None) -> str:
        """Letters that the keyboard does not have; ``free``: how many a guess needs, where that is wrong too."""
        several = {"letters": self._listed(letters), "span": span}
        if free is None:
            return self._say("terminal-strange", len(letters), **several)
        return self._say("terminal-strange-needs", len(letters), **several, needs=self._needs(free))

    def no_name(self, names: Sequence[str]) -> str:
        """Words among names of emojis that are none."""
        return self._say("terminal-no-name", len(names), names=self._listed(names))

    def _needs(self, free: int) -> str:
        return self._say("terminal-needs", free)

    def _listed(self, words: Sequence[str]) -> str:
        *some, last = words
        return self._say("terminal-and", some=", ".join(some), last=last) if some else last

    # -- who comes back ----------------------------------------------------------------------------

    def past(self, lines: Sequence[FeedLine]) -> str:
        """The guesses one has made, with what one was told of each; empty without any."""
        if not lines:
            return ""
        said = [f"{number}. {self._guess(line)}" for number, line in enumerate(lines, 1)]
        return "\n".join([self._say("terminal-past"), *said])

    def _guess(self, line: FeedLine) -> str:
        if line.exact is not None:
            pegs = {"exact": line.exact, "misplaced": line.misplaced}
            return self._say("result-pegs", symbols=line.symbols, **pegs)
        if line.total is None:
            return self._say("result-blind", symbols=line.symbols)
        total = {"total": line.total, "percent": percent(line.total)}
        return self._say("result-classic", symbols=line.symbols, **total)


@lru_cache
def console(code: str | None = DEFAULT) -> ConsoleTexts:
    """The terminal's words for an IETF tag, as in `catalogs.of`."""
    return ConsoleTexts(language(spoken(code)))


@lru_cache
def names() -> Mapping[str, str]:
    """Every name of an emoji in every language, in lower case, and the emoji."""
    spoken_here = [console(code) for code in languages()]
    return {texts.symbol(char).lower(): char for texts in spoken_here for char in KEYS}
