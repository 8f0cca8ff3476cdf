"""The guess path: players, rooms, games, guesses, updates, poison, notices."""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

big = sa.BigInteger()
row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
job_id = sa.String(14).with_variant(sa.String(14, collation="C"), "postgresql")
time = sa.DateTime(timezone=True)


def _index(name: str, table: str, columns: list[str], where: str | None = None, unique: bool = False) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def _players() -> None:
    op.create_table(
        "players",
        sa.Column("id", big, autoincrement=False, nullable=False),
        sa.Column("first_name", sa.Text(), nullable=False),
        sa.Column("last_name", sa.Text()),
        sa.Column("username", sa.Text()),
        sa.Column("language", sa.String(35)),
        sa.Column("created_at", time, nullable=False),
        sa.Column("seen_at", time, nullable=False),
        sa.Column("unreachable_at", time),
        sa.Column("pace_tokens", sa.Float()),
        sa.Column("pace_at", time),
        sa.Column("pace_told", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
    )


def _rooms() -> None:
    op.create_table(
        "rooms",
        sa.Column("id", row_id, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("chat_id", big, nullable=False),
        sa.Column("thread_id", big, server_default=sa.text("0"), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_at", time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rooms"),
        sa.UniqueConstraint("chat_id", "thread_id", name="uq_rooms_chat_id_thread_id"),
    )


def _games() -> None:
    op.create_table(
        "games",
        sa.Column("id", row_id, nullable=False),
        sa.Column("room_id", row_id, nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("theme", sa.String(32), nullable=False),
        sa.Column("keyboard", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("nonce", sa.String(32), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("guess_limit", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("opened_by", big, nullable=False),
        sa.Column("opened_at", time, nullable=False),
        sa.Column("closes_at", time),
        sa.Column("closed_at", time),
        sa.Column("closed_reason", sa.String(16)),
        sa.Column("winner_id", big),
        sa.Column("winning_guess_id", job_id),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name="fk_games_room_id_rooms"),
        sa.ForeignKeyConstraint(["opened_by"], ["players.id"], name="fk_games_opened_by_players"),
        sa.ForeignKeyConstraint(["winner_id"], ["players.id"], name="fk_games_winner_id_players"),
    )
    _index("uq_games_open_room", "games", ["room_id"], "state = 'open'", unique=True)
    _index("ix_games_room_id_id", "games", ["room_id", "id"])
    _index("ix_games_clock", "games", ["closes_at"], "state = 'open' AND closes_at IS NOT NULL")


def _guesses() -> None:
    op.create_table(
        "guesses",
        sa.Column("id", job_id, nullable=False),
        sa.Column("game_id", row_id, nullable=False),
        sa.Column("player_id", big, nullable=False),
        sa.Column("chat_id", big, nullable=False),
        sa.Column("message_id", big, nullable=False),
        sa.Column("thread_id", big, server_default=sa.text("0"), nullable=False),
        sa.Column("update_id", big),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("symbols", sa.Text(), nullable=False),
        sa.Column("points", sa.Integer()),
        sa.Column("exact", sa.Integer()),
        sa.Column("misplaced", sa.Integer()),
        sa.Column("late", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("admitted_at", time, nullable=False),
        sa.Column("enqueued_at", time),
        sa.Column("scored_at", time),
        sa.Column("told_at", time),
        sa.PrimaryKeyConstraint("id", name="pk_guesses"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_guesses_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_guesses_player_id_players"),
        sa.UniqueConstraint("chat_id", "message_id", name="uq_guesses_chat_id_message_id"),
        sa.UniqueConstraint("game_id", "ordinal", name="uq_guesses_game_id_ordinal"),
        sa.UniqueConstraint("game_id", "player_id", "number", name="uq_guesses_game_id_player_id_number"),
    )
    _index("ix_guesses_unqueued", "guesses", ["id"], "enqueued_at IS NULL")
    _index("ix_guesses_unscored", "guesses", ["id"], "scored_at IS NULL")
    _index("ix_guesses_untold", "guesses", ["id"], "scored_at IS NOT NULL AND told_at IS NULL")
    _index("ix_guesses_cracks", "guesses", ["game_id"], "points = 600")


def _updates() -> None:
    op.create_table(
        "updates",
        sa.Column("update_id", big, autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("chat_id", big),
        sa.Column("message_id", big),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("seen_at", time, nullable=False),
        sa.PrimaryKeyConstraint("update_id", name="pk_updates"),
        sa.UniqueConstraint("chat_id", "message_id", name="uq_updates_chat_id_message_id"),
    )
    _index("ix_updates_seen_at", "updates", ["seen_at"])
    op.create_table(
        "poison",
        sa.Column("id", row_id, nullable=False),
        sa.Column("update_id", big, nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("at", time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_poison"),
    )
    _index("ix_poison_update_id", "poison", ["update_id"])


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("id", job_id, nullable=False),
        sa.Column("chat_id", big, nullable=False),
        sa.Column("thread_id", big, server_default=sa.text("0"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("player_id", big),
        sa.Column("game_id", row_id),
        sa.Column("guess_id", job_id),
        sa.Column("reply_to", big),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_at", time, nullable=False),
        sa.Column("sends", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("sending_at", time),
        sa.Column("sent_at", time),
        sa.Column("message_id", big),
        sa.Column("failure", sa.Text()),
        sa.Column("failed_at", time),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_notices_player_id_players"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_notices_game_id_games"),
        sa.ForeignKeyConstraint(["guess_id"], ["guesses.id"], name="fk_notices_guess_id_guesses"),
        sa.UniqueConstraint("guess_id", name="uq_notices_guess_id"),
    )
    _index("ix_notices_game_id", "notices", ["game_id"])
    _index("ix_notices_waiting", "notices", ["chat_id", "id"], "sent_at IS NULL AND failure IS NULL")


def upgrade() -> None:
    """Make every table of the first release."""
    for make in (_players, _rooms, _games, _guesses, _updates, _notices):
        make()


def downgrade() -> None:
    """Drop them all, with what is in them."""
    for name in ("notices", "poison", "updates", "guesses", "games", "rooms", "players"):
        op.drop_table(name)
