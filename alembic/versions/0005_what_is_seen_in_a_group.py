"""Whether the bot is shown every message of a group: privacy mode is off there, or it is an admin."""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chats", sa.Column("sees_all", sa.Boolean))


def downgrade() -> None:
    op.drop_column("chats", "sees_all")
