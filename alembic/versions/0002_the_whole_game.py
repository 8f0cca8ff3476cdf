"""The whole game: groups and their settings, link rooms, dailies, pins, hints, votes, composers, seasons."""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

big = sa.BigInteger()
row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
time = sa.DateTime(timezone=True)


def _index(name: str, table: str, columns: list[str], where: str | None = None, unique: bool = False) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def _player_columns() -> None:
    for column in (
        sa.Column("locale", sa.String(8)),
        sa.Column("mode", sa.String(16)),
        sa.Column("daily", sa.String(10)),
        sa.Column("streak", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("best_streak", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("streak_day", sa.String(10)),
    ):
        op.add_column("players", column)


def _chats() -> None:
    op.create_table(
        "chats",
        sa.Column("id", big, autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("locale", sa.String(8)),
        sa.Column("mode", sa.String(16)),
        sa.Column("created_at", time, nullable=False),
        sa.Column("unreachable_at", time),
        sa.Column("moved_to", big),
        sa.PrimaryKeyConstraint("id", name="pk_chats"),
    )


def _rooms() -> None:
    # SQLite cannot change a column, so the table is copied there; games point to it meanwhile.
    with op.batch_alter_table("rooms") as rooms:
        rooms.alter_column("chat_id", existing_type=big, nullable=True)
        rooms.add_column(sa.Column("code", sa.String(12)))
        rooms.add_column(sa.Column("day", sa.String(10)))
        rooms.create_unique_constraint("uq_rooms_code", ["code"])
        rooms.create_unique_constraint("uq_rooms_day", ["day"])
    op.create_table(
        "members",
        sa.Column("room_id", row_id, nullable=False),
        sa.Column("player_id", big, nullable=False),
        sa.Column("joined_at", time, nullable=False),
        sa.Column("left_at", time),
        sa.PrimaryKeyConstraint("room_id", "player_id", name="pk_members"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name="fk_members_room_id_rooms"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_members_player_id_players"),
    )
    _index("uq_members_present", "members", ["player_id"], "left_at IS NULL", unique=True)


def _of_a_player_in_a_game(table: str, *columns: sa.Column[object], key: tuple[str, ...] = ()) -> None:
    """A table of what players do in games."""
    op.create_table(
        table,
        sa.Column("game_id", row_id, nullable=False),
        sa.Column("player_id", big, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("game_id", "player_id", *key, name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=f"fk_{table}_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=f"fk_{table}_player_id_players"),
    )


def _moves() -> None:
    _of_a_player_in_a_game(
        "pins",
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("pinned_at", time, nullable=False),
        sa.UniqueConstraint("game_id", "player_id", "symbol", name="uq_pins_game_id_player_id_symbol"),
        key=("position",),
    )
    _index("ix_pins_player_id", "pins", ["player_id"])
    _of_a_player_in_a_game(
        "hints",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("asked_at", time, nullable=False),
        sa.UniqueConstraint("game_id", "player_id", "symbol", name="uq_hints_game_id_player_id_symbol"),
        key=("number",),
    )
    _of_a_player_in_a_game("votes", sa.Column("voted_at", time, nullable=False))
    op.create_table(
        "drafts",
        sa.Column("id", row_id, nullable=False),
        sa.Column("game_id", row_id, nullable=False),
        sa.Column("player_id", big, nullable=False),
        sa.Column("symbols", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("changed_at", time, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_drafts"),
        sa.UniqueConstraint("game_id", "player_id", name="uq_drafts_game_id_player_id"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_drafts_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_drafts_player_id_players"),
    )


def _cards() -> None:
    op.create_table(
        "cards",
        sa.Column("id", row_id, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("chat_id", big, nullable=False),
        sa.Column("thread_id", big, server_default=sa.text("0"), nullable=False),
        sa.Column("game_id", row_id, nullable=False),
        sa.Column("player_id", big),
        sa.Column("message_id", big),
        sa.Column("shown_at", time),
        sa.PrimaryKeyConstraint("id", name="pk_cards"),
        sa.UniqueConstraint(
            "kind", "chat_id", "thread_id", "game_id", name="uq_cards_kind_chat_id_thread_id_game_id"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_cards_game_id_games"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_cards_player_id_players"),
    )
    _index("ix_cards_game_id", "cards", ["game_id"])
    with op.batch_alter_table("notices") as notices:
        notices.add_column(sa.Column("card_id", row_id))
        notices.create_foreign_key("fk_notices_card_id_cards", "cards", ["card_id"], ["id"])
    waits = "card_id IS NOT NULL AND sent_at IS NULL AND failure IS NULL AND sends = 0"
    _index("uq_notices_card_waiting", "notices", ["card_id"], waits, unique=True)


def _seasons() -> None:
    _of_a_player_in_a_game(
        "finishes",
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer()),
        sa.Column("guesses", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("closed_at", time, nullable=False),
    )
    _index("ix_finishes_player_id_closed_at", "finishes", ["player_id", "closed_at"])
    op.create_table(
        "seasons",
        sa.Column("scope", big, autoincrement=False, nullable=False),
        sa.Column("period", sa.String(12), nullable=False),
        sa.Column("player_id", big, nullable=False),
        sa.Column("points", big, nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "period", "player_id", name="pk_seasons"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_seasons_player_id_players"),
    )
    _index("ix_seasons_board", "seasons", ["scope", "period", "points"])
    _index("ix_seasons_player_id", "seasons", ["player_id"])


_FINISHED = """
INSERT INTO finishes (game_id, player_id, points, rank, guesses, hints, won, closed_at)
SELECT game_id, player_id, points,
       CASE WHEN points > 0 THEN row_number() OVER (PARTITION BY game_id ORDER BY points DESC, ordinal) END,
       guesses, 0, COALESCE(player_id = winner_id, false), closed_at
FROM (
    SELECT guesses.game_id, guesses.player_id, games.winner_id, games.closed_at, guesses.ordinal,
           COALESCE(guesses.points, 0) AS points,
           count(*) OVER (PARTITION BY guesses.game_id, guesses.player_id) AS guesses,
           row_number() OVER (PARTITION BY guesses.game_id, guesses.player_id
                              ORDER BY COALESCE(guesses.points, -1) DESC, guesses.ordinal) AS nth
    FROM guesses JOIN games ON games.id = guesses.game_id
    WHERE games.state = 'closed' AND NOT guesses.late
) AS bests
WHERE nth = 1
"""


def _remember_games_before() -> None:
    """What players did before this version counts in their statistics and on the boards of everybody.

    Only private games existed, so there is no group's board to fill. Days are those of UTC.
    """
    connection = op.get_bind()
    connection.execute(sa.text(_FINISHED))
    sums: dict[tuple[str, int], list[int]] = {}
    query = sa.select(
        sa.column("player_id"), sa.column("points"), sa.column("won"), sa.column("closed_at", time)
    ).select_from(sa.table("finishes"))
    for player_id, points, won, closed_at in connection.execute(query):
        year, week, _ = closed_at.isocalendar()
        for period in (f"{closed_at:%Y-%m-%d}", f"{year}-W{week:02}", f"{closed_at:%Y-%m}", "all"):
            total = sums.setdefault((period, player_id), [0, 0, 0])
            total[:] = total[0] + points, total[1] + bool(won), total[2] + 1
    seasons = sa.table(
        "seasons", *map(sa.column, ("scope", "period", "player_id", "points", "wins", "games"))
    )
    rows = [
        {
            "scope": 0,
            "period": period,
            "player_id": player,
            "points": total[0],
            "wins": total[1],
            "games": total[2],
        }
        for (period, player), total in sums.items()
    ]
    if rows:
        connection.execute(seasons.insert(), rows)


def _told_once() -> None:
    op.create_table(
        "told_once",
        sa.Column("chat_id", big, autoincrement=False, nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("told_at", time, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "subject", name="pk_told_once"),
    )


def upgrade() -> None:
    _player_columns()
    _chats()
    _rooms()
    _moves()
    _cards()
    _seasons()
    _told_once()
    _remember_games_before()


def downgrade() -> None:
    """Not possible without losing what has no place in the older tables."""
    raise NotImplementedError("groups, rooms and dailies would be lost: restore a copy of the database")
