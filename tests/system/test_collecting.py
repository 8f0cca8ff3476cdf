"""A process that answers does not stop to look at everything it holds."""

from __future__ import annotations

import gc
import weakref

from codemojex.collecting import collecting_little


class _Ring:
    """Holds itself, so that only a collector frees it."""

    def __init__(self) -> None:
        self.itself = self


def test_what_was_there_at_the_start_is_left_alone_until_the_end() -> None:
    # given
    before = gc.get_threshold()
    old = _Ring()
    freed = weakref.ref(old)
    # when
    with collecting_little():
        del old
        gc.collect()
        # then
        assert gc.get_freeze_count() > 0
        assert freed() is not None
        assert gc.get_threshold() > before
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == before
    gc.collect()
    assert freed() is None


def test_a_ring_made_meanwhile_is_freed() -> None:
    # given
    with collecting_little():
        freed = weakref.ref(_Ring())
        # when
        for _ in range(2 * gc.get_threshold()[0]):
            [_Ring()]
        # then: nobody asked for it
        assert freed() is None
