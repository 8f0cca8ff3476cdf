"""Runs the migrations on the connection that codemojex/store/revision.py has opened, in its transaction.

It configures no logging and opens nothing by itself.
"""

from __future__ import annotations

from alembic import context
from codemojex.store.schema import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("Migrations run through `codemojex db upgrade`.")

context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
