"""Every sentence a player sees, in one place for each language."""

from codemojex.texts.english import ENGLISH
from codemojex.texts.texts import Texts, commands

__all__ = ["ENGLISH", "Texts", "commands"]
