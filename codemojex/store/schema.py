"""The tables. Operators query them, so names and meanings change only with a migration and a note.

Telegram ids are 64-bit, times aware UTC, symbols their emojis written one after another (each is one code
point).
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from codemojex.store.columns import JobId, RowId, TelegramId, UtcDateTime

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

players = Table(
    "players",
    metadata,
    Column("id", TelegramId, primary_key=True, autoincrement=False),
    Column("first_name", Text, nullable=False),
    Column("last_name", Text),
    Column("username", Text),
    Column("language", String(35)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("unreachable_at", UtcDateTime),  # blocked the bot; cleared when they write again
    Column("pace_tokens", Float),  # the token bucket of game/pace.py
    Column("pace_at", UtcDateTime),
    Column("pace_told", Boolean, nullable=False, default=False, server_default=text("false")),
)

rooms = Table(
    "rooms",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("kind", String(16), nullable=False),  # private, group, topic
    Column("chat_id", TelegramId, nullable=False),
    Column("thread_id", TelegramId, nullable=False, default=0, server_default=text("0")),
    Column("title", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("chat_id", "thread_id"),
)

games = Table(
    "games",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("room_id", RowId, ForeignKey("rooms.id"), nullable=False),
    Column("mode", String(16), nullable=False),  # classic, pegs, blind
    Column("level", String(16), nullable=False),  # easy, normal, hard
    Column("theme", String(32), nullable=False),
    Column("keyboard", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("nonce", String(32), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("guess_limit", Integer, nullable=False),  # guesses each
    Column("state", String(16), nullable=False),  # open, closed
    Column("opened_by", TelegramId, ForeignKey("players.id"), nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("closes_at", UtcDateTime),  # null: no clock
    Column("closed_at", UtcDateTime),
    Column("closed_reason", String(16)),  # cracked, gave_up, clock, out_of_guesses
    Column("winner_id", TelegramId, ForeignKey("players.id")),
    # No foreign key: games and guesses would each need the other first. The audit checks it.
    Column("winning_guess_id", JobId),
    # One open game per room, whoever opens it and from however many processes.
    Index(
        "uq_games_open_room",
        "room_id",
        unique=True,
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    ),
    Index("ix_games_room_id_id", "room_id", "id"),
)

guesses = Table(
    "guesses",
    metadata,
    Column("id", JobId, primary_key=True),
    Column("game_id", RowId, ForeignKey("games.id"), nullable=False),
    Column("player_id", TelegramId, ForeignKey("players.id"), nullable=False),
    Column("chat_id", TelegramId, nullable=False),
    Column("message_id", TelegramId, nullable=False),
    Column("thread_id", TelegramId, nullable=False, default=0, server_default=text("0")),
    Column("update_id", TelegramId),
    Column("ordinal", Integer, nullable=False),  # nth of the game, in the order of admission
    Column("number", Integer, nullable=False),  # nth of this player in this game
    Column("symbols", Text, nullable=False),
    Column("points", Integer),
    Column("exact", Integer),
    Column("misplaced", Integer),
    Column("late", Boolean, nullable=False, default=False, server_default=text("false")),
    Column("admitted_at", UtcDateTime, nullable=False),
    Column("enqueued_at", UtcDateTime),
    Column("scored_at", UtcDateTime),
    Column("told_at", UtcDateTime),
    UniqueConstraint("chat_id", "message_id"),
    UniqueConstraint("game_id", "ordinal"),
    UniqueConstraint("game_id", "player_id", "number"),
)

updates = Table(
    "updates",
    metadata,
    Column("update_id", TelegramId, primary_key=True, autoincrement=False),
    Column("kind", String(64), nullable=False),
    Column("chat_id", TelegramId),
    Column("message_id", TelegramId),  # of messages alone: an edit has the id of what it edits
    Column("outcome", String(16), nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    UniqueConstraint("chat_id", "message_id"),
    Index(None, "seen_at"),
)

poison = Table(
    "poison",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("update_id", TelegramId, nullable=False),
    Column("error", Text, nullable=False),
    Column("raw", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index(None, "update_id"),
)

notices = Table(
    "notices",
    metadata,
    Column("id", JobId, primary_key=True),
    Column("chat_id", TelegramId, nullable=False),
    Column("thread_id", TelegramId, nullable=False, default=0, server_default=text("0")),
    Column("kind", String(16), nullable=False),  # text, result, late, ended
    Column("player_id", TelegramId, ForeignKey("players.id")),
    Column("game_id", RowId, ForeignKey("games.id")),
    Column("guess_id", JobId, ForeignKey("guesses.id"), unique=True),  # a guess is told by one notice
    Column("reply_to", TelegramId),
    Column("data", Text, nullable=False),  # JSON
    Column("created_at", UtcDateTime, nullable=False),
    Column("sends", Integer, nullable=False, default=0, server_default=text("0")),
    Column("sending_at", UtcDateTime),
    Column("sent_at", UtcDateTime),
    Column("message_id", TelegramId),
    Column("failure", Text),  # why it was dropped; with sent_at: what went wrong all the same
    Column("failed_at", UtcDateTime),
    Index(None, "game_id"),
)


def _partial(name: str, column: Column[object], condition: str) -> None:
    """A small index of the rows that still wait for something."""
    where = text(condition)
    Index(name, column, sqlite_where=where, postgresql_where=where)


_partial("ix_games_clock", games.c.closes_at, "state = 'open' AND closes_at IS NOT NULL")
_partial("ix_guesses_unqueued", guesses.c.id, "enqueued_at IS NULL")
_partial("ix_guesses_unscored", guesses.c.id, "scored_at IS NULL")
_partial("ix_guesses_untold", guesses.c.id, "scored_at IS NOT NULL AND told_at IS NULL")
_partial("ix_guesses_cracks", guesses.c.game_id, "points = 600")
Index(
    "ix_notices_waiting",
    notices.c.chat_id,
    notices.c.id,
    sqlite_where=text("sent_at IS NULL AND failure IS NULL"),
    postgresql_where=text("sent_at IS NULL AND failure IS NULL"),
)
