"""The secret and its commitment."""

from __future__ import annotations

import hashlib
import random

import pytest

from codemojex.game.keyboards import Level, keyboard
from codemojex.game.secret import commitment, draw, verify

SIX = tuple("🍎🍌🍇🍓🍒🍍")
NONCE = "00112233445566778899aabbccddeeff"


@pytest.mark.parametrize("level", list(Level))
def test_a_secret_is_six_distinct_symbols_of_the_keyboard(level):
    keys = keyboard("animals", level)
    drawn = draw(keys, random.SystemRandom())
    assert len(drawn) == len(set(drawn)) == 6
    assert set(drawn) <= set(keys.chars)


def test_the_dice_decide_and_nothing_else():
    assert draw(keyboard(), random.Random(7)) == draw(keyboard(), random.Random(7))
    assert len({draw(keyboard(), random.Random(seed)) for seed in range(50)}) > 40


def test_the_commitment_is_what_a_player_can_compute_by_hand():
    """`printf '🍎\\x1e🍌\\x1e🍇\\x1e🍓\\x1e🍒\\x1e🍍\\x1e<nonce>' | sha256sum`"""
    by_hand = b"\x1e".join([*(char.encode() for char in SIX), NONCE.encode()])
    assert commitment(SIX, NONCE) == hashlib.sha256(by_hand).hexdigest()
    assert commitment(SIX, NONCE) == "dbd197eeb4f218e683018c58bd1a9adc7e632a1042982ca9eff1e73cb9748c35"


def test_a_commitment_fits_its_own_secret_and_nonce_only():
    committed = commitment(SIX, NONCE)
    assert verify(SIX, NONCE, committed)
    assert not verify(SIX[::-1], NONCE, committed)
    assert not verify(SIX, NONCE[::-1], committed)
    assert not verify(SIX, NONCE, committed.upper())
    assert not verify(SIX, "short", committed)


@pytest.mark.parametrize("nonce", ["", NONCE[:-1], NONCE + "0", NONCE.upper(), NONCE + "\n", "x" * 32])
def test_a_nonce_is_32_lowercase_hex_digits(nonce):
    with pytest.raises(ValueError, match="32 lowercase hex digits"):
        commitment(SIX, nonce)
