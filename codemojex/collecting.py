"""Python's garbage collector in a process that answers: it looks at what is new, seldom, and never at everything.

What a started process holds (modules, statements, sentences) is some two hundred thousand objects that stay. A full
collection looks at each of them, which takes longer than everything else between a guess and its answer.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

# Almost everything goes without a collector, when nobody holds it any more; cycles are few and small. The more objects
# there are between two looks, the more of those of a batch are gone by then and cost none.
_THRESHOLDS = (20_000, 20, 20)


@contextlib.contextmanager
def collecting_little() -> Iterator[None]:
    """What there is by now is left alone until the end, and the rest is looked at less often."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
