"""Every sentence a player sees, in one place for each language."""

from codemojex.texts import catalogs
from codemojex.texts.texts import Texts, commands

__all__ = ["Texts", "catalogs", "commands"]
