"""Scoring: the recorded vectors, and what must hold for any pair of codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.game.keyboards import Level, keyboard
from codemojex.game.scoring import CRACKED, distances, net, percent, points, score

VECTORS = json.loads((Path(__file__).parent / "scores.json").read_text(encoding="utf-8"))
CODES = st.permutations(list(keyboard("fruit", Level.NORMAL).chars)).map(lambda chars: tuple(chars[:6]))


@pytest.mark.parametrize("row", VECTORS["rows"], ids=lambda row: f"{row['total']}")
def test_a_vector_scores_as_recorded(row):
    # when
    off = distances(VECTORS["secret"], row["guess"])
    result = score(VECTORS["secret"], row["guess"])

    # then
    assert list(off) == row["distances"]
    assert [points(distance) for distance in off] == row["points"]
    assert (result.total, result.percent) == (row["total"], row["percent"])
    assert result.exact == row["distances"].count(0)
    assert result.misplaced == 6 - row["distances"].count(0) - row["distances"].count(None)


@given(CODES, CODES)
def test_a_total_is_a_multiple_of_20_up_to_600_and_never_540_or_580(secret, guess):
    result = score(secret, guess)
    assert result.total in set(range(0, 601, 20)) - {540, 580}
    assert 0 <= result.exact + result.misplaced <= 6
    assert result.exact != 5 or result.misplaced == 0


@given(CODES, CODES)
def test_only_the_secret_itself_cracks(secret, guess):
    assert (score(secret, guess).total == CRACKED) == (secret == guess)


@given(CODES, CODES)
def test_a_guess_scores_the_same_the_other_way_round(secret, guess):
    assert score(secret, guess) == score(guess, secret)


def test_percent_never_meets_a_half():
    assert all((total * 10) % 60 != 30 for total in range(0, 601, 20))
    assert [percent(total) for total in (0, 20, 240, 400, 500, 560, 600)] == [0, 3, 40, 67, 83, 93, 100]


@pytest.mark.parametrize(
    ("best", "hints", "worth"),
    [(480, 0, 480), (480, 1, 420), (600, 2, 480), (100, 2, 0), (60, 1, 0), (0, 2, 0), (None, 1, 0)],
)
def test_a_hint_costs_sixty_of_the_best_and_nobody_falls_below_nothing(best, hints, worth):
    assert net(best, hints) == worth
