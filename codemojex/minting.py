"""Ids for every part: whoever has no number to mint with writes nothing, and waits as for the database."""

from __future__ import annotations

import emq
from codemojex.store.engine import StoreDown


def mint(namespace: str) -> str:
    """`emq.mint`, for use inside a transaction.

    Raises:
        StoreDown: the queue server was away for longer than this process's node id was lent for. Nothing
            that is handled is to blame for that: nothing of it is committed, and it comes again.
    """
    try:
        return emq.mint(namespace)
    except emq.NodeLapsed as error:
        raise StoreDown(f"No id can be minted before the queue answers again: {error}.") from error
