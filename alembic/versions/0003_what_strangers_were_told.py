"""An index of what was told to others than its player, so that strangers are forgotten without a long look."""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    condition = sa.text("chat_id > 0 AND (player_id IS NULL OR player_id <> chat_id)")
    op.create_index(
        "ix_notices_of_others", "notices", ["chat_id"], sqlite_where=condition, postgresql_where=condition
    )


def downgrade() -> None:
    op.drop_index("ix_notices_of_others", "notices")
