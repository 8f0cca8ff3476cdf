"""Names in the `.env` file that nothing reads: most often a slip of the pen, and then the setting has its default."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from dotenv import dotenv_values

from codemojex.settings import Settings

_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class Unread:
    """A name nothing reads, and the one that may have been meant; None where none is like it."""

    name: str
    meant: str | None


def unread_names(path: Path = Path(".env")) -> list[Unread]:
    """The names in an environment file that are no setting, in their order; none without a file."""
    known = [name.upper() for name in Settings.model_fields]
    try:
        names = list(dotenv_values(path, interpolate=False, encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return []  # whoever reads the settings from it says so
    return [Unread(name, _meant(name.upper(), known)) for name in names if name.upper() not in known]


def _meant(name: str, known: list[str]) -> str | None:
    """TELEGRAM_TOKN and TOKEN are both TELEGRAM_TOKEN; another program's name is none."""
    close = get_close_matches(name, known, 1, _ALIKE)
    words = set(name.split("_"))
    within = [each for each in known if words < set(each.split("_"))]
    return next(iter([*close, *within]), None)
