"""Paces of acts: a batch that is tried again pays once, and what is remembered is bounded."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta

import pytest

from codemojex.bot import floods
from codemojex.bot.acts import Act, rates
from codemojex.bot.floods import Floods
from codemojex.game.refusals import TooMuch

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def _passes(kept: Floods, act: Act, times: int, actor: int = 1, at: datetime = NOW) -> int:
    """How many of these acts pass, each in a batch of its own."""
    passed = 0
    for _ in range(times):
        weighing = kept.weighing()
        with contextlib.suppress(TooMuch):
            weighing.weigh(actor, [act], at)
            passed += 1
        kept.keep(weighing)
    return passed


@pytest.mark.parametrize(("act", "burst"), [(act, rate.burst) for act, rate in rates(1.0).items()])
def test_each_act_has_its_burst_and_then_its_rate(act, burst):
    kept = Floods(rates(1.0))
    assert _passes(kept, act, 50) == burst
    later = NOW + timedelta(seconds=1 / rates(1.0)[act].per_second + 0.001)
    assert _passes(kept, act, 50, at=later) == 1


def test_a_batch_that_is_not_committed_costs_nothing():
    # given
    kept = Floods(rates(1.0))

    # when
    for _ in range(100):
        kept.weighing().weigh(1, [Act.EXPORT], NOW)

    # then
    assert _passes(kept, Act.EXPORT, 50) == 3


def test_within_a_batch_acts_are_counted_together():
    weighing = Floods(rates(1.0)).weighing()
    for _ in range(3):
        weighing.weigh(1, [Act.EXPORT], NOW)
    with pytest.raises(TooMuch) as first:
        weighing.weigh(1, [Act.EXPORT], NOW)
    with pytest.raises(TooMuch) as second:
        weighing.weigh(1, [Act.EXPORT], NOW)
    assert (first.value.tell, second.value.tell) == (True, False)


def test_nothing_is_refused_where_the_limits_are_lifted():
    assert _passes(Floods(rates(0.0)), Act.CODE, 500) == 500


def test_who_has_acted_least_lately_is_forgotten_where_there_are_too_many(monkeypatch):
    # given
    monkeypatch.setattr(floods, "_MOST", 3)
    kept = Floods(rates(1.0))
    for actor in (1, 2, 3):
        assert _passes(kept, Act.EXPORT, 5, actor) == 3
    _passes(kept, Act.EXPORT, 1, 1)

    # when
    _passes(kept, Act.EXPORT, 1, 4)

    # then
    assert [_passes(kept, Act.EXPORT, 5, actor) for actor in (1, 3, 2)] == [0, 0, 3]
