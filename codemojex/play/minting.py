"""Ids as an argument: `codemojex.minting.mint` in production, a counter in a test."""

from __future__ import annotations

from collections.abc import Callable

# Takes a namespace ("JOB"), gives an id that sorts after every earlier one of this process.
Mint = Callable[[str], str]
