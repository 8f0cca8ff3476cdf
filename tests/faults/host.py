"""A program of the system as it is started in production, with the seams of `seams` around it.

    FAULTS_ORDERS=/tmp/orders python -m tests.faults.host codemojex worker

It understands, besides FAULTS_ORDERS:

    FAULTS_HURRY     anything: waits that only make a test slow are short (see `hurry`)
    FAULTS_CLOCK_S   seconds by which this machine's clock is wrong
"""

from __future__ import annotations

import functools
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.faults import seams, stacks

HURRY = "FAULTS_HURRY"
CLOCK = "FAULTS_CLOCK_S"

# After so many seconds a message that nobody answers for may be sent again.
ABANDONED_S = 2.5


def main(words: list[str]) -> None:
    """Run ``codemojex …``, ``emq …`` or ``localtg …``; it ends as the program does."""
    program, *arguments = words
    stacks.listen()
    if os.environ.get(seams.ORDERS):
        seams.install(seams.Orders(Path(os.environ[seams.ORDERS])))
    if os.environ.get(HURRY):
        hurry()
    if float(os.environ.get(CLOCK, "0")):
        step_clock(float(os.environ[CLOCK]))
    sys.argv = [program, *arguments]
    if program == "codemojex":
        from codemojex.cli import main as run

        run()
    elif program == "localtg":
        from codemojex.localtg.__main__ import main as serve

        sys.exit(serve())
    elif program == "emq":
        from emq.cli import main as shell

        sys.exit(shell())
    else:
        sys.exit(f"no program {program}")


def hurry() -> None:
    """Make waits short that an operator cannot set; their order (answer < abandoned < repeat) stays."""
    import emq
    from codemojex import bot_side
    from codemojex.bot import poller, source
    from codemojex.notices import notifier
    from codemojex.store import postgres

    bot_side.NotifierOptions = functools.partial(  # type: ignore[misc,assignment]
        bot_side.NotifierOptions, send_limit_s=1.5, abandoned_s=ABANDONED_S, refill_s=1.0
    )
    emq.WorkerOptions = functools.partial(emq.WorkerOptions, beat_ms=200)  # type: ignore[misc,assignment]
    notifier.REPEAT_AFTER_S = 0.5
    poller._STANDBY_S = (0.5, 1.0)
    postgres.ANSWER_S = 5.0
    poller._IN_OFFICE_S = 2.0
    assert source.UpdateSource.__init__.__kwdefaults__ is not None
    source.UpdateSource.__init__.__kwdefaults__["poll_s"] = 2


def step_clock(seconds: float) -> None:
    """The wall clock of this process is wrong from now on; what is measured with `monotonic` is not."""
    from codemojex.store import clock

    real_time, real_ns = time.time, time.time_ns
    time.time = lambda: real_time() + seconds
    time.time_ns = lambda: real_ns() + int(seconds * 1e9)
    clock.machine_time = lambda: datetime.now(UTC) + timedelta(seconds=seconds)


if __name__ == "__main__":
    main(sys.argv[1:])
