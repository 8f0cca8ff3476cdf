"""The tables. Operators query them, so names and meanings change only with a migration and a note.

Telegram ids are 64-bit, times aware UTC, symbols their emojis written one after another (each is one code
point).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
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
    Column("locale", String(8)),  # chosen in /settings; null: the language Telegram tells
    Column("mode", String(16)),  # default mode chosen in /settings; null: classic
    Column("daily", String(10)),  # the day whose puzzle plain guesses go to now; null: none
    Column("streak", Integer, nullable=False, default=0, server_default=text("0")),  # days in a row
    Column("best_streak", Integer, nullable=False, default=0, server_default=text("0")),
    Column("streak_day", String(10)),  # the last day finished, YYYY-MM-DD
)

# Groups, with the id of the chat; private chats have their settings in `players`.
chats = Table(
    "chats",
    metadata,
    Column("id", TelegramId, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),  # Telegram's word: group, supergroup
    Column("title", Text, nullable=False),
    Column("locale", String(8)),
    Column("mode", String(16)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("unreachable_at", UtcDateTime),  # the bot was removed; cleared when it is back
    Column("moved_to", TelegramId),  # the supergroup this group has become
    Column("sees_all", Boolean),  # the bot is shown every message there; null: nobody has said
)

rooms = Table(
    "rooms",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("kind", String(16), nullable=False),  # private, group, topic, link, daily
    Column("chat_id", TelegramId),  # null for link and daily: their players sit in their own chats
    Column("thread_id", TelegramId, nullable=False, default=0, server_default=text("0")),
    Column("title", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("code", String(12), unique=True),  # of a link room: what its friends type after /join
    Column("day", String(10), unique=True),  # of a daily: the local date, YYYY-MM-DD
    UniqueConstraint("chat_id", "thread_id"),
)

# Who is in which link room; a person is in one at a time.
members = Table(
    "members",
    metadata,
    Column("room_id", RowId, ForeignKey("rooms.id"), primary_key=True),
    Column("player_id", TelegramId, ForeignKey("players.id"), primary_key=True),
    Column("joined_at", UtcDateTime, nullable=False),
    Column("left_at", UtcDateTime),
    Index(
        "uq_members_present",
        "player_id",
        unique=True,
        sqlite_where=text("left_at IS NULL"),
        postgresql_where=text("left_at IS NULL"),
    ),
    Index(None, "player_id"),
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
    Index(None, "opened_by"),
)

guesses = Table(
    "guesses",
    metadata,
    Column("id", JobId, primary_key=True),
    Column("game_id", RowId, ForeignKey("games.id"), nullable=False),
    Column("player_id", TelegramId, ForeignKey("players.id"), nullable=False),
    Column("chat_id", TelegramId, nullable=False),
    Column("message_id", TelegramId, nullable=False),  # below 0: put together with buttons, see `drafts`
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
    Column("dropped_at", UtcDateTime),  # its notice was dropped: it waits to be told no more
    UniqueConstraint("chat_id", "message_id"),
    UniqueConstraint("game_id", "ordinal"),
    UniqueConstraint("game_id", "player_id", "number"),
    Index(None, "player_id"),
)

# A symbol that a player keeps at a position in their later guesses of a game.
pins = Table(
    "pins",
    metadata,
    Column("game_id", RowId, ForeignKey("games.id"), primary_key=True),
    Column("player_id", TelegramId, ForeignKey("players.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),  # 1 to 6
    Column("symbol", Text, nullable=False),
    Column("pinned_at", UtcDateTime, nullable=False),
    UniqueConstraint("game_id", "player_id", "symbol"),
    Index(None, "player_id"),
)

hints = Table(
    "hints",
    metadata,
    Column("game_id", RowId, ForeignKey("games.id"), primary_key=True),
    Column("player_id", TelegramId, ForeignKey("players.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # 1 or 2
    Column("symbol", Text, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    UniqueConstraint("game_id", "player_id", "symbol"),
    Index(None, "player_id"),
)

# Who of a group wants to give up.
votes = Table(
    "votes",
    metadata,
    Column("game_id", RowId, ForeignKey("games.id"), primary_key=True),
    Column("player_id", TelegramId, ForeignKey("players.id"), primary_key=True),
    Column("voted_at", UtcDateTime, nullable=False),
    Index(None, "player_id"),
)

# A guess on its way to being six symbols, put together with buttons.
drafts = Table(
    "drafts",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("game_id", RowId, ForeignKey("games.id"), nullable=False),
    Column("player_id", TelegramId, ForeignKey("players.id"), nullable=False),
    Column("symbols", Text, nullable=False, default="", server_default=text("''")),
    Column("version", Integer, nullable=False, default=0, server_default=text("0")),  # goes up at each submit
    Column("changed_at", UtcDateTime, nullable=False),
    UniqueConstraint("game_id", "player_id"),
    Index(None, "player_id"),
)

# A message that is kept up to date by editing it.
cards = Table(
    "cards",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("kind", String(16), nullable=False),  # board: of a group game; composer: a player's buttons
    Column("chat_id", TelegramId, nullable=False),
    Column("thread_id", TelegramId, nullable=False, default=0, server_default=text("0")),
    Column("game_id", RowId, ForeignKey("games.id"), nullable=False),
    Column("player_id", TelegramId, ForeignKey("players.id")),  # of a composer
    Column("message_id", TelegramId),  # null: to be sent anew
    Column("shown_at", UtcDateTime),  # when it was last sent or edited
    UniqueConstraint("kind", "chat_id", "thread_id", "game_id"),
    Index(None, "game_id"),
    Index(None, "player_id"),
)

# How a player ended a game that is over; written by its settlement.
finishes = Table(
    "finishes",
    metadata,
    Column("game_id", RowId, ForeignKey("games.id"), primary_key=True),
    Column("player_id", TelegramId, ForeignKey("players.id"), primary_key=True),
    Column("points", Integer, nullable=False),  # the best total less hints, at least 0; 0 in a game given up
    Column("rank", Integer),  # null without points
    Column("guesses", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("won", Boolean, nullable=False),
    Column("closed_at", UtcDateTime, nullable=False),
    Index(None, "player_id", "closed_at"),
)

# Sums of `finishes`, kept so that a board is read by its index alone.
seasons = Table(
    "seasons",
    metadata,
    Column("scope", TelegramId, primary_key=True, autoincrement=False),  # a group's chat id, 0: everybody
    Column("period", String(12), primary_key=True),  # 2026-11-30, 2026-W49, 2026-11, all
    Column("player_id", TelegramId, ForeignKey("players.id"), primary_key=True),
    Column("points", BigInteger, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("games", Integer, nullable=False),
    Index(None, "player_id"),
)

# What is said to somebody only once, like that edited messages do not count.
told_once = Table(
    "told_once",
    metadata,
    Column("chat_id", TelegramId, primary_key=True, autoincrement=False),
    Column("subject", String(64), primary_key=True),
    Column("told_at", UtcDateTime, nullable=False),
    Index(None, "subject"),
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
    Column("kind", String(16), nullable=False),  # names the sentence; `card` shows a card as it is by then
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
    Column("card_id", RowId, ForeignKey("cards.id")),
    Index(None, "game_id"),
    Index(None, "player_id"),
    # One refresh of a card waits at a time; it shows whatever holds when it is sent.
    Index(
        "uq_notices_card_waiting",
        "card_id",
        unique=True,
        sqlite_where=text("card_id IS NOT NULL AND sent_at IS NULL AND failure IS NULL AND sends = 0"),
        postgresql_where=text("card_id IS NOT NULL AND sent_at IS NULL AND failure IS NULL AND sends = 0"),
    ),
)


def _partial(name: str, column: Column[object], condition: str) -> None:
    """A small index of the rows that still wait for something."""
    where = text(condition)
    Index(name, column, sqlite_where=where, postgresql_where=where)


# In the order of a board, so that its first and whoever is ahead of somebody are the rows of a range.
Index("ix_seasons_board", seasons.c.scope, seasons.c.period, seasons.c.points.desc(), seasons.c.player_id)
_partial("ix_games_winner_id", games.c.winner_id, "winner_id IS NOT NULL")
_partial("ix_games_clock", games.c.closes_at, "state = 'open' AND closes_at IS NOT NULL")
_partial("ix_guesses_unqueued", guesses.c.id, "enqueued_at IS NULL")
_partial("ix_guesses_unscored", guesses.c.id, "scored_at IS NULL")
_partial(
    "ix_guesses_untold", guesses.c.id, "scored_at IS NOT NULL AND told_at IS NULL AND dropped_at IS NULL"
)
_partial("ix_guesses_cracks", guesses.c.game_id, "points = 600")
_partial("ix_notices_card_id", notices.c.card_id, "card_id IS NOT NULL")
Index(
    "ix_notices_waiting",
    notices.c.chat_id,
    notices.c.id,
    sqlite_where=text("sent_at IS NULL AND failure IS NULL"),
    postgresql_where=text("sent_at IS NULL AND failure IS NULL"),
)
# What a chat was told that is not its own player's: all there can be of somebody who is not known.
OF_OTHERS = text("chat_id > 0 AND (player_id IS NULL OR player_id <> chat_id)")
Index("ix_notices_of_others", notices.c.chat_id, sqlite_where=OF_OTHERS, postgresql_where=OF_OTHERS)
