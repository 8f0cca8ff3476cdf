"""Told, once, and never too early: promises about notices."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import exists, or_, select

from codemojex.play.audit.check import PATIENCE, Check, guesses_where, notices_where, of_a_day, old
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.outbox import WAITS
from codemojex.play.pseudonyms import LOWEST_CHAT
from codemojex.store.columns import AnySelect
from codemojex.store.schema import games, guesses, notices

# A notice may wait for its chat's flood wait.
NOTICE_PATIENCE = timedelta(hours=1)
MOST_SENDS = 2

_twin = notices.alias("twin")


def telling(now: datetime) -> Iterator[Check]:
    tells = notices.c.guess_id == guesses.c.id
    yield Check(
        "scored_without_a_notice",
        "Every scored guess is shown to its player.",
        guesses_where(
            guesses.c.scored_at.is_not(None),  # as the index of what is to be told has it
            old(guesses.c.scored_at, now),
            guesses.c.told_at.is_(None),
            guesses.c.dropped_at.is_(None),
            ~exists().where(tells),
        ),
    )
    yield Check(
        "told_without_a_message",
        "A guess counts as told when its notice was sent.",
        guesses_where(guesses.c.told_at.is_not(None), ~exists().where(tells, notices.c.sent_at.is_not(None))),
    )
    yield Check(
        "sent_but_not_told",
        "A guess whose notice was sent counts as told.",
        guesses_where(guesses.c.told_at.is_(None), exists().where(tells, notices.c.sent_at.is_not(None))),
    )
    yield Check(
        "dropped_without_a_reason",
        "A guess that is not told any more has a notice that says why.",
        guesses_where(
            guesses.c.dropped_at.is_not(None),
            guesses.c.told_at.is_(None),
            ~exists().where(tells, notices.c.failure.is_not(None)),
        ),
    )
    yield Check(
        "told_by_two_notices",
        "A guess is told by one notice.",
        notices_where(
            notices.c.guess_id.is_not(None),
            exists().where(_twin.c.guess_id == notices.c.guess_id, _twin.c.id != notices.c.id),
        ),
    )
    yield Check(
        "sent_too_often",
        "A message is repeated only when Telegram's answer was lost, and then once.",
        notices_where(notices.c.sends > MOST_SENDS),
    )
    yield Check(
        "not_told_in_time",
        "What waits for a player is sent.",
        notices_where(
            WAITS,
            notices.c.created_at < now - NOTICE_PATIENCE,
        ),
    )
    yield Check(
        "sending_since_the_future",
        "A send began before now, so that somebody can tell when it is given up.",
        notices_where(WAITS, notices.c.sending_at > now + PATIENCE),
    )
    yield Check(
        "waits_for_nobody",
        "Nothing waits for somebody who was forgotten.",
        notices_where(WAITS, notices.c.chat_id < LOWEST_CHAT),
    )
    yield Check("told_too_early", "Nothing tells an open game's secret.", _early())


def _early() -> AnySelect:
    """Notices of open games that are an ending, carry the nonce, or tell a crack before it is settled.

    A crack of a day's puzzle is told at once: only its player hears of it.
    """
    crack = exists().where(guesses.c.id == notices.c.guess_id, guesses.c.points == A_CRACK)
    return (
        select(notices.c.id)
        .join(games, games.c.id == notices.c.game_id)
        .where(
            games.c.state == IS_OPEN,
            or_(notices.c.kind == "ended", notices.c.data.contains(games.c.nonce), crack & ~of_a_day()),
        )
    )
