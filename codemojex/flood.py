"""How long Telegram asks to wait, in seconds, whichever way python-telegram-bot says it."""

from __future__ import annotations

import os
from datetime import timedelta

from telegram.error import RetryAfter

# The library is moving from seconds to timedeltas and warns on every use of the old form. This asks for the new one.
os.environ.setdefault("PTB_TIMEDELTA", "true")


def wait_s(error: RetryAfter) -> float:
    """Seconds until the next request may be made."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
