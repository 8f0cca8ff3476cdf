"""Without a number to mint with, nothing is admitted and nothing confirmed: it is no update's fault."""

from __future__ import annotations

import pytest

import emq
from codemojex import minting
from codemojex.store import schema
from codemojex.store.engine import StoreDown
from tests.bot.desk import ADA, NEAR
from tests.play.makers import rows


async def test_updates_wait_at_telegram_while_no_id_can_be_minted(desk, monkeypatch):
    # given: the queue server has been away for longer than the node id was lent for
    desk.mint = minting.mint
    desk.restart()
    await desk.private(ADA, "/new")
    guess = desk.message(ADA, NEAR)
    known = len(await rows(desk.store, schema.updates))

    def lapsed(_: str) -> str:
        raise emq.NodeLapsed("the lease on node id 7 lapsed")

    # when
    with monkeypatch.context() as lost:
        lost.setattr(emq, "mint", lapsed)
        with pytest.raises(StoreDown, match="node id 7"):
            await desk.take(guess)

    # then
    assert await rows(desk.store, schema.poison) == []
    assert len(await rows(desk.store, schema.updates)) == known

    # and when it is back, the same update is a guess
    await desk.take(guess)
    assert await desk.guesses() == [NEAR]
