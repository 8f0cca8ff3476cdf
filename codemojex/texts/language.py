"""One language: its sentences, written in Fluent, and a quick way to say them.

Fluent (https://projectfluent.org) picks the form that a number needs, by the rules of CLDR. Values of
players never pass through it: a sentence is asked of Fluent once for each number said with it, with marks
where its values go, and what comes back is kept. Saying it again is one dictionary look-up and one join,
and nothing in a value can be taken for markup or for Fluent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import babel
from babel.dates import format_skeleton
from fluent.runtime import FluentBundle
from fluent.runtime.types import fluent_number
from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor

from codemojex.texts.markup import Html, as_html, looks_blank, typed

# A sentence of a number is kept once for each number it was said of.
_KEPT = 8_192
# Private use: no sentence holds them, so what stands between two is the name of a value.
_OPENS, _CLOSES = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPENS}([a-z]+){_CLOSES}")


class Language:
    """The sentences of one language.

    Attributes:
        code: the IETF tag, as in Telegram's ``language_code``.
        fields: key -> the names of the values that its sentence takes.
    """

    def __init__(self, code: str, *resources: str) -> None:
        """Read the sentences of ``code`` from Fluent resources.

        Raises:
            ValueError: a resource cannot be read, or two sentences have one key.
        """
        self.code = code
        self._locale = babel.Locale.parse(code)
        self._bundle = FluentBundle([code], functions={"ORDINAL": self._ordinal}, use_isolating=False)
        self.fields: Mapping[str, frozenset[str]] = {
            key: names for resource in resources for key, names in self._read(resource)
        }
        self._template = lru_cache(maxsize=_KEPT)(self._ask)

    def say(self, key: str, n: int | None = None, /, **values: object) -> Html:
        """The sentence ``key`` with ``values`` put in, each escaped unless it is `Html`.

        Args:
            n: the number that the sentence is said of; ``{ $n }`` is the number itself.

        Raises:
            KeyError: there is no such sentence, or it needs another value.
        """
        template = self._template(key, n)
        return Html(template.format_map({name: as_html(value) for name, value in values.items()}))

    def knows(self, key: str) -> bool:
        """Whether there is such a sentence."""
        return key in self.fields

    def name(self, name: str | None, player_id: int) -> Html:
        """A player's name as it may stand in any sentence; "Player 1234" for one that looks blank.

        Args:
            name: what the player is called, as Telegram tells it.
            player_id: Telegram's id; its last four digits tell nameless players apart.
        """
        if name is None or looks_blank(name):
            return self.say("player-nameless", digits=str(abs(player_id))[-4:])
        return typed(name)

    def day(self, day: date) -> str:
        """A day of the year, as in "November 29"."""
        return format_skeleton("MMMMd", day, locale=self._locale)

    def _read(self, resource: str) -> list[tuple[str, frozenset[str]]]:
        parsed = FluentParser().parse(resource)
        found = []
        for entry in parsed.body:
            if isinstance(entry, ast.Junk):
                raise ValueError(f"not Fluent, in the sentences of {self.code}: {entry.content!r}")
            if isinstance(entry, ast.Message):
                if self._bundle.has_message(entry.id.name):
                    raise ValueError(f"two sentences of {self.code} are called {entry.id.name}")
                found.append((entry.id.name, _names(entry)))
        self._bundle.add_resource(parsed)
        return found

    def _ask(self, key: str, n: int | None) -> str:
        """The sentence for ``n``, as a template of `str.format_map`."""
        values: dict[str, Any] = {name: f"{_OPENS}{name}{_CLOSES}" for name in self.fields[key]}
        if "n" in values:
            if n is None:
                raise KeyError(f"{key} is said of a number")
            values["n"] = fluent_number(n, useGrouping=False)  # no "1,440 minutes"
        pattern = self._bundle.get_message(key).value
        if pattern is None:
            raise KeyError(key)
        said, errors = self._bundle.format_pattern(pattern, values)
        if errors:
            raise ValueError(f"{key} cannot be said in {self.code}: {errors[0]}")
        return _MARK.sub(r"{\1}", str(said).replace("{", "{{").replace("}", "}}"))

    def _ordinal(self, n: int) -> Any:  # Fluent takes a word, and types it as one of its own values
        """Fluent's ``ORDINAL($n)``: the CLDR category of n in "the nth"."""
        return self._locale.ordinal_form(n)


class _Names(Visitor):
    """Collects the values that a sentence takes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:  # noqa: N802 (Fluent's own name)
        self.found.add(node.id.name)


def _names(entry: ast.Message) -> frozenset[str]:
    names = _Names()
    names.visit(entry)
    return frozenset(names.found)


def languages() -> list[str]:
    """The codes of the languages that there are sentences in."""
    return sorted(folder.name for folder in _locales().iterdir() if folder.is_dir())


@lru_cache
def language(code: str) -> Language:
    """The sentences shipped for ``code``, read once."""
    folder = _locales() / code
    resources = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".ftl")), key=lambda file: file.name
    )
    return Language(code, *(file.read_text(encoding="utf-8") for file in resources))


def _locales() -> Traversable:
    return files("codemojex.texts") / "locales"
