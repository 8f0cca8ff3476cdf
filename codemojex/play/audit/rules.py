"""The promises that need the rules themselves: right scores, right commitments, guesses on their keyboard.

This reads secrets, open games' too. They stay in this file: only ids leave it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.game.scoring import score
from codemojex.game.secret import verify
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.schema import games, guesses

_BATCH = 2_000

RULES = {
    "secret_does_not_match": "A game's commitment is made of its secret and nonce.",
    "malformed_guess": "A guess is six distinct symbols of its game's keyboard.",
    "scored_wrongly": "Every score is what the rules say.",
}

Finding = tuple[str, str, list[str]]


async def by_the_rules(tx: AsyncConnection) -> list[Finding]:
    """(name, promise, ids) of each of these promises that does not hold."""
    found = [await _broken(tx), *await _guesses(tx)]
    return [(name, promise, ids) for (name, promise), ids in zip(RULES.items(), found, strict=True) if ids]


async def _broken(tx: AsyncConnection) -> list[str]:
    query = select(games.c.id, games.c.secret, games.c.nonce, games.c.commitment, games.c.keyboard)
    return [str(row.id) for row in await tx.execute(query.order_by(games.c.id)) if not _intact(row)]


def _intact(row: AnyRow) -> bool:
    return _six(row.secret, row.keyboard) and verify(row.secret, row.nonce, row.commitment)


async def _guesses(tx: AsyncConnection) -> tuple[list[str], list[str]]:
    """Ids of malformed guesses, and of well-formed ones with a wrong score."""
    malformed: list[str] = []
    wrong: list[str] = []
    after = ""
    while True:
        rows = (await tx.execute(_page(after))).all()
        for row in rows:
            if not _six(row.symbols, row.keyboard):
                malformed.append(row.id)
            elif row.points is not None and not _right(row):
                wrong.append(row.id)
        if len(rows) < _BATCH:
            return malformed, wrong
        after = rows[-1].id


def _page(after: str) -> AnySelect:
    columns = (guesses.c.id, guesses.c.symbols, guesses.c.points, guesses.c.exact, guesses.c.misplaced)
    return (
        select(*columns, games.c.secret, games.c.keyboard)
        .join(games, games.c.id == guesses.c.game_id)
        .where(guesses.c.id > after)
        .order_by(guesses.c.id)
        .limit(_BATCH)
    )


def _six(symbols: str, keyboard: str) -> bool:
    six = frozenset(symbols)
    return len(symbols) == CODE_LENGTH == len(six) and six <= _keys(keyboard)


# The games of a deployment share few keyboards.
_keys: Callable[[str], frozenset[str]] = lru_cache(maxsize=1_024)(frozenset)


def _right(row: AnyRow) -> bool:
    if len(row.secret) != CODE_LENGTH:
        return False
    real = score(row.secret, row.symbols)
    return (row.points, row.exact, row.misplaced) == (real.total, real.exact, real.misplaced)
