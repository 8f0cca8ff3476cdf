"""The sentences of the language that somebody speaks."""

from __future__ import annotations

from functools import lru_cache

from codemojex.play.languages import spoken
from codemojex.texts.language import language
from codemojex.texts.texts import Texts


def of(code: str | None) -> Texts:
    """The sentences for an IETF tag such as Telegram tells: ``ru-RU`` is Russian, an unknown one English."""
    return _texts(spoken(code))


@lru_cache
def _texts(code: str) -> Texts:
    return Texts(language(code))
