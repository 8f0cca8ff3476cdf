"""The options of `codemojex play`, and the games they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codemojex.game.keyboards import THEMES, Keyboard, Level, Mode, keyboard
from codemojex.game.parsing import parse_guess
from codemojex.game.refusals import GuessRefused
from codemojex.play.games import GameOptions
from codemojex.settings import BadSettings
from codemojex.terminal import Letters, lettered
from codemojex.texts import Texts
from codemojex.texts.console import console, names


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The command line of `codemojex play`, as typed; the secret in emojis, letters or names."""

    secret: str = ""
    level: str = Level.NORMAL.value
    mode: str = Mode.CLASSIC.value
    theme: str = "fruit"
    ephemeral: bool = False
    web: bool = False


@dataclass(frozen=True, slots=True)
class PlayTable:
    """What a game at this table looks like: the defaults of /new, and the fixed secret if any."""

    defaults: GameOptions
    board: Keyboard
    secret: tuple[str, ...] | None


def read_table(options: PlayOptions) -> PlayTable:
    """Check the command line.

    Raises:
        BadSettings: an option has a value that cannot work; the text lists those that can.
    """
    _one_of("--keyboard", options.level, [level.value for level in Level])
    _one_of("--mode", options.mode, [mode.value for mode in Mode])
    _one_of("--theme", options.theme, list(THEMES))
    level, mode = Level(options.level), Mode(options.mode)
    board = keyboard(options.theme, level)
    secret = None
    if options.secret:
        try:
            typed = Letters(lettered(board.chars, console()), names=names())
            secret = parse_guess(typed.translate(options.secret), board)
        except GuessRefused as refusal:
            raise BadSettings(f"--secret: {Texts().bad_secret(refusal, board)}") from None
    return PlayTable(
        GameOptions(level=level, mode=mode, theme=options.theme, fixed_secret=secret), board, secret
    )


def _one_of(option: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise BadSettings(f"{option} {value!r} is not known; it can be {', '.join(allowed)}")
