"""Nothing a player can see, no job and no log line gives an open game's secret away."""

from __future__ import annotations

import random

import httpx
import pytest
import structlog

import emq
from codemojex.testing.leaks import LeakScan
from codemojex.texts import catalogs, language, symbols
from tests.flows.roaming import Roamers

STEPS = 120


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.game(secret=None, dice=3)
async def test_a_long_random_session_in_all_modes_gives_nothing_away(game, seed):
    # given
    scan = LeakScan(game)
    roamers = Roamers(game, random.Random(seed))
    await roamers.gather()

    # when
    leaks = await scan.look()
    for n in range(STEPS):
        if n % 10 == 9:
            # Every tenth time the jobs are looked at while they wait.
            async with game.paused():
                for _ in range(4):
                    await roamers.guesses(roamers.dice.choice(roamers.seats))
                await game.taken()
                leaks += await scan.look()
        await roamers.step()
        leaks += await scan.look()

    # then
    assert leaks == []
    assert {each.kind for each in game.games} == {"private", "group", "topic", "link", "daily"}
    assert {each.mode for each in game.games} == {"classic", "pegs", "blind"}
    assert scan.searched > 20 * STEPS
    assert sum(not each.open for each in game.games) >= 3


def spelt(code: str, secret: str) -> str:
    """The names of the symbols in a language."""
    return ", ".join(str(symbols.name(language.language(code), char)) for char in secret)


PLANTED = {
    "as it is": lambda played: f"psst: {played.secret}",
    "spread out": lambda played: " - ".join(played.secret),
    "joined as for the seal": lambda played: "\x1e".join(played.secret),
    "in JSON's escapes": lambda played: '{"secret": "' + played.secret.encode("utf-16-be").hex("~", 2) + '"}',
    "by name": lambda played: spelt("en", played.secret),
    "by name in Russian": lambda played: spelt("ru", played.secret).upper(),
    "the nonce": lambda played: f"nonce {played.nonce.upper()}",
}


def planted(form, played) -> str:
    """A text that gives the secret away."""
    return PLANTED[form](played).replace("~", "\\u").replace('"secret": "', '"secret": "\\u')


@pytest.mark.parametrize("form", PLANTED)
async def test_a_leak_that_is_planted_is_found_wherever_it_is(game, form):
    # given
    ada = await game.person("Ada")
    await ada.says("/new hard animals")
    scan = LeakScan(game)
    assert await scan.look() == []
    text = planted(form, ada.chat.played)

    # when
    api = f"{game.telegram.url}/bot{game.telegram.token}"
    button = {"inline_keyboard": [[{"text": text, "callback_data": "x"}]]}
    async with httpx.AsyncClient() as http:
        await http.post(f"{api}/sendMessage", json={"chat_id": ada.id, "text": text})
        await http.post(
            f"{api}/sendMessage", data={"chat_id": ada.id, "text": "see below", "reply_markup": button}
        )
        await http.post(f"{api}/answerCallbackQuery", json={"callback_query_id": "0", "text": text})
    structlog.get_logger("planted").info("an innocent line", note=text)
    conn = await emq.connect(game.app.settings.redis_url)
    await emq.Lanes(conn, game.app.settings.notify_queue).pause("PLR00000000001")
    await emq.Lanes(conn, game.app.settings.notify_queue).enqueue(
        "PLR00000000001", emq.mint("JOB"), text.encode()
    )
    found = await scan.look()
    await conn.close()

    # then
    places = {leak.where.partition(" ")[0] for leak in found}
    assert places >= {"sendMessage", "answerCallbackQuery", "log", "queue"}
    assert {leak.game_id for leak in found} == {ada.chat.played.id}


async def test_what_is_told_after_the_end_is_no_leak(game):
    # given
    ada = await game.person("Ada")
    scan = LeakScan(game)
    await ada.says("/new hard animals")

    # when
    await ada.guesses(ada.chat.secret)

    # then
    assert ada.saw(ada.chat.secret)
    assert await scan.look() == []


def test_the_names_that_are_looked_for_are_those_that_players_see():
    assert "apple" in catalogs.of("en").rules(None)
    assert spelt("en", "🍎🍌") == "apple, banana"
    assert spelt("ru", "🍎") in catalogs.of("ru").rules(None)
