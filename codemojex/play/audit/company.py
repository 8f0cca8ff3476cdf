"""Rooms and who is in them, days and streaks: promises about playing together."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, or_, select

from codemojex.play.audit.check import Check, games_where, guesses_of_games_where, of_a_day
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.rooms import RoomKind
from codemojex.store.schema import chats, games, guesses, members, players, rooms

# Longer than any zone's day plus the grace: the audit does not know DAILY_TZ.
_A_LONG_DAY = timedelta(hours=50)

_other = members.alias("other")


def company(now: datetime) -> Iterator[Check]:
    yield Check(
        "room_misshapen",
        "A link room has a code, a daily its day, and every other room a chat; none has more than that.",
        select(rooms.c.id).where(~or_(*_shapes())),
    )
    yield Check(
        "in_two_rooms",
        "A person is in one link room at a time.",
        select(members.c.player_id)
        .where(members.c.left_at.is_(None))
        .where(
            exists().where(
                _other.c.player_id == members.c.player_id,
                _other.c.room_id != members.c.room_id,
                _other.c.left_at.is_(None),
            )
        )
        .distinct(),
    )
    yield Check(
        "member_of_no_link_room",
        "Only link rooms have members.",
        select(members.c.player_id)
        .join(rooms, rooms.c.id == members.c.room_id)
        .where(rooms.c.kind != RoomKind.LINK),
    )
    yield Check(
        "left_behind",
        "A group that has become a supergroup has no room under its old id.",
        select(rooms.c.id).join(chats, chats.c.id == rooms.c.chat_id).where(chats.c.moved_to.is_not(None)),
    )
    yield Check(
        "streak_impossible",
        "A streak is at most the best one, and has a last day.",
        select(players.c.id).where(
            or_(
                players.c.streak > players.c.best_streak,
                players.c.streak < 0,
                (players.c.streak > 0) != players.c.streak_day.is_not(None),
            )
        ),
    )
    over = exists().where(rooms.c.id == games.c.room_id, rooms.c.day < (now - _A_LONG_DAY).date().isoformat())
    yield Check(
        "day_not_closed_in_time",
        "The puzzle of a day is closed when the day is over.",
        games_where(games.c.state == IS_OPEN, over),
    )
    crack = guesses.alias("crack")
    solved = exists().where(
        crack.c.game_id == guesses.c.game_id,
        crack.c.player_id == guesses.c.player_id,
        crack.c.points == A_CRACK,
        crack.c.number < guesses.c.number,
    )
    yield Check(
        "guessed_on_after_solving",
        "Who has cracked the puzzle of a day guesses no more in it.",
        guesses_of_games_where(solved, of_a_day()),
    )


def _shapes() -> Iterator[ColumnElement[bool]]:
    chat, code, day = rooms.c.chat_id.is_not(None), rooms.c.code.is_not(None), rooms.c.day.is_not(None)
    yield rooms.c.kind.in_([RoomKind.PRIVATE, RoomKind.GROUP, RoomKind.TOPIC]) & chat & ~code & ~day
    yield (rooms.c.kind == RoomKind.LINK) & ~chat & code & ~day
    yield (rooms.c.kind == RoomKind.DAILY) & ~chat & ~code & day
