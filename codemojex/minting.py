"""Ids for the bot: whoever has no number to mint with admits nothing, and confirms nothing."""

from __future__ import annotations

import emq
from codemojex.store.engine import StoreDown


def mint(namespace: str) -> str:
    """`emq.mint`, for use inside a transaction.

    Raises:
        StoreDown: the queue server was away for longer than this process's node id was lent for. No update is to
            blame for that: nothing of the batch is committed, and Telegram keeps it until the lease is renewed.
    """
    try:
        return emq.mint(namespace)
    except emq.NodeLapsed as error:
        raise StoreDown(f"No id can be minted before the queue answers again: {error}.") from error
