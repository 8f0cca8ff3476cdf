"""The outbound path: what players are told leaves the database through Telegram's budgets, in order, once."""

from codemojex.notices.announcer import Announcer, announce
from codemojex.notices.answers import Answers
from codemojex.notices.budgets import Budgets, Rate
from codemojex.notices.clock import Clock
from codemojex.notices.delivery import TokenRefused
from codemojex.notices.intake import NoticeIntake
from codemojex.notices.notifier import Notifier
from codemojex.notices.options import NotifierOptions

__all__ = [
    "Announcer",
    "Answers",
    "Budgets",
    "Clock",
    "NoticeIntake",
    "Notifier",
    "NotifierOptions",
    "Rate",
    "TokenRefused",
    "announce",
]
