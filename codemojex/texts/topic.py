"""What every topic of the texts has: a language, and two ways to lay sentences out."""

from __future__ import annotations

from codemojex.texts.language import Language
from codemojex.texts.markup import Html


class Topic:
    """Sentences about one thing, in one language; `Texts` puts all topics together."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._say = language.say


def rows(*said: str) -> Html:
    """One under the other."""
    return Html("\n".join(said))


def blocks(*said: str) -> Html:
    """One under the other, with a gap; what is empty is left out."""
    return Html("\n\n".join(block for block in said if block))
