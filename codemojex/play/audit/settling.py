"""Scored once, and won by the earliest crack: promises about scores and endings."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta

from sqlalchemy import and_, exists, or_, select

from codemojex.play.audit.check import (
    Check,
    another_open_game,
    games_where,
    guesses_of_games_where,
    guesses_where,
    of_a_day,
    old,
)
from codemojex.play.games import Cause
from codemojex.play.literals import A_CRACK, IS_CLOSED, IS_OPEN
from codemojex.store.schema import games, guesses

NOT_SCORED = "not_scored_in_time"

# A turn is taken in moments; a lease that died with its worker, and the sweep, in less than a minute.
_WAITED = timedelta(minutes=3)
_LATELY = timedelta(minutes=1)

_served = guesses.alias("served")


def scoring(now: datetime, paused: Collection[int]) -> Iterator[Check]:
    yield Check(
        "half_scored",
        "A score and the time of scoring are written together.",
        guesses_where(guesses.c.scored_at.is_(None) != guesses.c.points.is_(None)),
    )
    yield Check(
        NOT_SCORED,
        "Every admitted guess gets a score.",
        guesses_where(
            guesses.c.scored_at.is_(None),
            old(guesses.c.admitted_at, now),
            guesses.c.player_id.not_in(paused),
        ),
    )
    yield Check(
        "passed_over",
        "Nobody waits long for a score while others who came later are served.",
        guesses_where(
            guesses.c.scored_at.is_(None),
            guesses.c.admitted_at < now - _WAITED,
            guesses.c.player_id.not_in(paused),
            ~exists().where(_served.c.player_id == guesses.c.player_id, _served.c.scored_at > now - _LATELY),
            exists().where(_served.c.admitted_at > now - _LATELY, _served.c.scored_at.is_not(None)),
        ),
    )
    yield Check(
        "unscored_in_a_closed_game",
        "A game closes only when all its guesses have their score.",
        guesses_of_games_where(games.c.state == IS_CLOSED, guesses.c.scored_at.is_(None)),
    )


def settlement(now: datetime) -> Iterator[Check]:
    crack, won = guesses.alias("crack"), guesses.alias("won")
    cracked = exists().where(crack.c.game_id == games.c.id, crack.c.points == A_CRACK)
    closed = games.c.state == IS_CLOSED
    yield Check(
        "two_games_in_a_room",
        "One game at a time is open in a room.",
        games_where(games.c.state == IS_OPEN, another_open_game()),
    )
    yield Check(
        "crack_without_a_winner",
        "A game that somebody cracked has a winner once it is closed.",
        games_where(
            closed, cracked, or_(games.c.winner_id.is_(None), games.c.closed_reason != Cause.CRACKED)
        ),
    )
    yield Check(
        "winner_without_a_crack",
        "Only a crack wins.",
        games_where(
            or_(games.c.winner_id.is_not(None), games.c.winning_guess_id.is_not(None)),
            ~exists().where(
                won.c.id == games.c.winning_guess_id,
                won.c.game_id == games.c.id,
                won.c.player_id == games.c.winner_id,
                won.c.points == A_CRACK,
            ),
        ),
    )
    earlier = crack.c.game_id == won.c.game_id, crack.c.points == A_CRACK, crack.c.ordinal < won.c.ordinal
    yield Check(
        "won_by_a_later_crack",
        "The earliest admitted crack wins.",
        select(games.c.id).join(won, won.c.id == games.c.winning_guess_id).where(exists().where(*earlier)),
    )
    after_the_winner = exists().where(won.c.id == games.c.winning_guess_id, won.c.ordinal < guesses.c.ordinal)
    yield Check(
        "late_flag_wrong",
        "Exactly the guesses admitted after the winning one are late; in the puzzle of a day none is.",
        guesses_of_games_where(closed, guesses.c.late != and_(~of_a_day(), after_the_winner)),
    )
    yield Check(
        "half_closed",
        "A closed game has its time and its reason, an open one has neither nor a winner.",
        games_where(
            or_(
                closed & or_(games.c.closed_at.is_(None), games.c.closed_reason.is_(None)),
                ~closed & or_(games.c.closed_at.is_not(None), games.c.winner_id.is_not(None)),
            )
        ),
    )
    yield Check(
        "not_settled_in_time",
        "A game that was cracked, or whose time is up, is closed.",
        games_where(
            games.c.state == IS_OPEN,
            or_(
                old(games.c.closes_at, now),
                ~of_a_day()
                & exists().where(
                    crack.c.game_id == games.c.id, crack.c.points == A_CRACK, old(crack.c.scored_at, now)
                ),
            ),
        ),
    )
