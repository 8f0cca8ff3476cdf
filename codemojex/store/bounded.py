"""A connection to PostgreSQL on which every answer is waited for so long and no longer."""

from __future__ import annotations

import contextlib
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.errors import _WaitTimeout

from codemojex.store.postgres import answer_s

_CANCEL_S = 2.0


class BoundedConnection(psycopg.AsyncConnection[Any]):
    """A connection whose server has so long for each answer; past it the connection is closed for good."""

    async def wait(self, gen: PQGen[RV], *how: Any, **named: Any) -> RV:
        """Everything that goes over the line comes through here.

        Raises:
            psycopg.OperationalError: no answer in time; whether the server did what it was asked is not known.
        """
        seconds = answer_s()
        try:
            return await super().wait(gen, *how, **{"timeout": seconds, **named})
        except _WaitTimeout:
            with contextlib.suppress(psycopg.Error):
                # What nobody waits for any more shall not go on, and keep its locks.
                await self.cancel_safe(timeout=_CANCEL_S)
            self.pgconn.finish()
            raise psycopg.OperationalError(f"no answer within {seconds:g} s") from None
