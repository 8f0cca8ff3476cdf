"""The dossier: people may have everything that is stored about them, as plain JSON."""

from __future__ import annotations

import json

from codemojex.play import privacy
from tests.play.makers import BO, FAR, MISS, NEAR, NONCE, SECRET
from tests.play.test_privacy import ZED, live


async def test_everything_about_a_person_is_handed_out_as_plain_json(store):
    # given
    _, solo = await live(store)

    # when
    told = json.loads(json.dumps(await store.read(lambda tx: privacy.export(tx, ZED.id))))

    # then
    [about] = told["player"]
    assert (about["id"], about["username"], about["locale"], about["streak"]) == (ZED.id, "zedquux", "ru", 1)
    assert [row["symbols"] for row in told["guesses"]] == [NEAR, NEAR, FAR, MISS]
    assert [row["points"] for row in told["guesses"]] == [560, None, None, None]
    for subject in (
        "pins",
        "hints",
        "drafts",
        "votes",
        "finishes",
        "seasons",
        "rooms",
        "messages",
        "updates",
    ):
        assert told[subject], subject
    assert {row["id"] for row in told["games"]} >= {solo.game.id}


async def test_what_is_handed_out_tells_no_open_games_secret_and_nobody_else(store):
    crowd, solo = await live(store)
    told = json.dumps(await store.read(lambda tx: privacy.export(tx, ZED.id)), ensure_ascii=False)
    assert SECRET not in told
    assert NONCE not in told
    assert str(BO.id) not in told
    assert (crowd.game.commitment in told, solo.game.commitment in told) == (False, False)


async def test_of_somebody_who_is_not_known_nothing_is_handed_out(store):
    told = await store.read(lambda tx: privacy.export(tx, 42))
    assert set(map(len, told.values())) == {0}
