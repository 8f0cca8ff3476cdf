"""The secret of a game, and the commitment that proves afterwards that it never changed.

The commitment is SHA-256, lowercase hex, of the UTF-8 bytes of the six symbols joined by U+001E, then
U+001E, then the nonce (32 hex digits). Shown when the game starts; secret and nonce are shown when it ends.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from typing import Protocol

from codemojex.game.keyboards import CODE_LENGTH, Keyboard

_SEPARATOR = "\x1e"
_NONCE = re.compile(r"[0-9a-f]{32}")


class Dice(Protocol):
    """What draws a secret; `random.SystemRandom` in production."""

    def sample(self, population: Sequence[str], k: int) -> list[str]:
        """``k`` distinct members of ``population`` in random order."""
        ...


def draw(keyboard: Keyboard, dice: Dice) -> tuple[str, ...]:
    """Six distinct symbols of ``keyboard`` in order."""
    return tuple(dice.sample(keyboard.chars, CODE_LENGTH))


def commitment(symbols: Sequence[str], nonce: str) -> str:
    """What is shown at the start: 64 hex digits that fix ``symbols`` without telling them.

    Raises:
        ValueError: the nonce is not 32 lowercase hex digits.
    """
    if not _NONCE.fullmatch(nonce):
        raise ValueError("a nonce is 32 lowercase hex digits")
    return hashlib.sha256(_SEPARATOR.join([*symbols, nonce]).encode()).hexdigest()


def verify(symbols: Sequence[str], nonce: str, committed: str) -> bool:
    """True when ``committed`` was made of exactly these symbols and this nonce."""
    return bool(_NONCE.fullmatch(nonce)) and hmac.compare_digest(
        commitment(symbols, nonce).encode(), committed.encode()
    )
