"""Admitted once: promises about updates and the guesses they bring."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import exists, select

from codemojex.play.audit.check import Check, another, guesses_of_games_where, guesses_where, old
from codemojex.store.schema import games, guesses, poison, updates

NOT_QUEUED = "not_queued_in_time"

# Marks of updates are kept for longer than this, whatever the sweep forgets.
MARKED = timedelta(hours=24)


def admission(now: datetime) -> Iterator[Check]:
    yield Check(
        "message_admitted_twice",
        "One message is one guess.",
        guesses_where(another(guesses.c.chat_id, guesses.c.message_id)),
    )
    yield Check(
        "number_given_twice",
        "A player's guesses in a game are numbered, each number once.",
        guesses_where(another(guesses.c.game_id, guesses.c.player_id, guesses.c.number)),
    )
    yield Check(
        "order_unclear",
        "The guesses of a game are admitted one after another.",
        guesses_where(another(guesses.c.game_id, guesses.c.ordinal)),
    )
    yield Check(
        "over_the_limit",
        "Nobody has more guesses in a game than its limit.",
        guesses_of_games_where(guesses.c.number > games.c.guess_limit),
    )
    yield Check(
        "admitted_after_the_end",
        "A closed game takes no guesses.",
        guesses_of_games_where(guesses.c.admitted_at > games.c.closed_at),
    )
    yield Check(
        "guess_without_its_update",
        "A guess and the mark of the update that brought it are written together.",
        guesses_where(
            guesses.c.update_id.is_not(None),
            guesses.c.admitted_at > now - MARKED,
            ~exists().where(updates.c.update_id == guesses.c.update_id),
        ),
    )
    yield Check(
        "poison_not_recorded",
        "An update that could not be handled is kept for somebody to look at.",
        select(updates.c.update_id).where(
            updates.c.outcome == "poison", ~exists().where(poison.c.update_id == updates.c.update_id)
        ),
    )
    yield Check(
        NOT_QUEUED,
        "An admitted guess reaches the queue.",
        guesses_where(
            guesses.c.enqueued_at.is_(None), guesses.c.scored_at.is_(None), old(guesses.c.admitted_at, now)
        ),
    )
