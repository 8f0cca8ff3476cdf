"""What belongs to a person is found by an index; guesses of dropped notices are marked; replies keep no words.

Whoever asks to be forgotten, or to have what is stored, is answered without a look at everybody else's rows.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

time = sa.DateTime(timezone=True)

_OF_A_PERSON = (
    ("members", "player_id"),
    ("games", "opened_by"),
    ("guesses", "player_id"),
    ("hints", "player_id"),
    ("votes", "player_id"),
    ("drafts", "player_id"),
    ("cards", "player_id"),
    ("notices", "player_id"),
    ("told_once", "subject"),
)
_OF_SOME = (("games", "winner_id"), ("notices", "card_id"))
_UNTOLD = sa.text("scored_at IS NOT NULL AND told_at IS NULL")
_TO_BE_TOLD = sa.text("scored_at IS NOT NULL AND told_at IS NULL AND dropped_at IS NULL")

# Guesses whose notice was dropped before such guesses were marked.
_MARK = """
    UPDATE guesses SET dropped_at = (SELECT failed_at FROM notices WHERE notices.guess_id = guesses.id)
    WHERE scored_at IS NOT NULL AND told_at IS NULL
    AND EXISTS (SELECT 1 FROM notices WHERE notices.guess_id = guesses.id
                AND sent_at IS NULL AND failure IS NOT NULL AND failed_at IS NOT NULL)
"""
# Replies that were given, or never will be: they may name anybody, and nothing finds them by whom they name.
_SILENCE = """
    UPDATE notices SET data = '{}'
    WHERE player_id IS NULL AND game_id IS NULL AND (sent_at IS NOT NULL OR failure IS NOT NULL)
"""


def _untold(where: sa.TextClause) -> None:
    op.create_index("ix_guesses_untold", "guesses", ["id"], sqlite_where=where, postgresql_where=where)


def _board(*columns: str | sa.TextClause) -> None:
    op.drop_index("ix_seasons_board", "seasons")
    op.create_index("ix_seasons_board", "seasons", list(columns))


def upgrade() -> None:
    op.add_column("guesses", sa.Column("dropped_at", time))
    op.execute(_MARK)
    op.execute(_SILENCE)
    op.drop_index("ix_guesses_untold", "guesses")
    _untold(_TO_BE_TOLD)
    for table, column in _OF_A_PERSON:
        op.create_index(f"ix_{table}_{column}", table, [column])
    for table, column in _OF_SOME:
        there = sa.column(column).is_not(None)
        op.create_index(f"ix_{table}_{column}", table, [column], sqlite_where=there, postgresql_where=there)
    _board("scope", "period", sa.text("points DESC"), "player_id")


def downgrade() -> None:
    _board("scope", "period", "points")
    for table, column in (*_OF_SOME, *_OF_A_PERSON):
        op.drop_index(f"ix_{table}_{column}", table)
    op.drop_index("ix_guesses_untold", "guesses")
    _untold(_UNTOLD)
    op.drop_column("guesses", "dropped_at")
