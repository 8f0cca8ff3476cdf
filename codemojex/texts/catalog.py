"""Sentences by key, with the plural forms that each language needs.

A language is a table and two rules. The rules give the CLDR category of a number (`one`, `few`, `many`,
`other`), so a table reads like any translator's file, and another language brings a table and its two rules,
nothing else. English needs two lines for its rules.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from codemojex.texts.markup import Html, as_html

Category = Literal["zero", "one", "two", "few", "many", "other"]
Rule = Callable[[int], Category]
Forms = Mapping[Category, str]


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its sentences and how it counts.

    Attributes:
        code: the IETF tag, as in Telegram's ``language_code``.
        sentences: key -> Telegram HTML with ``{fields}``, or a form for each category of a number.
        cardinal, ordinal: the CLDR category of 5 in "5 guesses", of 2 in "2nd".
    """

    code: str
    sentences: Mapping[str, str | Forms]
    cardinal: Rule
    ordinal: Rule

    def say(self, key: str, **values: object) -> Html:
        """The sentence ``key`` with ``values`` put in, each escaped unless it is `Html`."""
        sentence = self.sentences[key]
        if not isinstance(sentence, str):
            raise TypeError(f"{key} is said of a number")
        return _filled(sentence, values)

    def count(self, key: str, n: int, **values: object) -> Html:
        """The form of ``key`` for ``n`` things; ``{n}`` is the number."""
        return self._form(key, self.cardinal(n), {"n": n, **values})

    def rank(self, key: str, n: int, **values: object) -> Html:
        """The form of ``key`` for the ``n``-th; ``{n}`` is the number."""
        return self._form(key, self.ordinal(n), {"n": n, **values})

    def _form(self, key: str, category: Category, values: Mapping[str, object]) -> Html:
        forms = self.sentences[key]
        if isinstance(forms, str):
            raise TypeError(f"{key} has no plural forms")
        return _filled(forms.get(category, forms["other"]), values)


def fields(template: str) -> set[str]:
    """The names in braces in ``template``."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def _filled(template: str, values: Mapping[str, object]) -> Html:
    return Html(template.format_map({name: as_html(value) for name, value in values.items()}))
