"""Values that stand in the SQL itself: a partial index serves only a query that names its condition literally."""

from __future__ import annotations

from sqlalchemy import ColumnElement, literal_column

from codemojex.game.scoring import CRACKED

IS_OPEN: ColumnElement[str] = literal_column("'open'")
IS_CLOSED: ColumnElement[str] = literal_column("'closed'")
A_CRACK: ColumnElement[int] = literal_column(str(CRACKED))
