"""A server is away and guesses keep coming: memory stays bounded, players know, the backlog drains in order."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select

from codemojex.store import schema
from tests.faults.crowd import Player, together
from tests.faults.harms import busy
from tests.faults.lengths import LONG, SEED
from tests.faults.reckoning import all_told, findings
from tests.faults.stage import Stage
from tests.system.deployment import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

OUTAGE_S = 60.0 if LONG else 6.0
PEOPLE, EACH = 6, 25
GROWTH_BYTES = 32 << 20


async def crowd(stage: Stage) -> list[Player]:
    dice = random.Random(SEED)
    players = [await Player.meet(stage, dice) for _ in range(PEOPLE)]
    await together(*(player.play() for player in players))
    return players


def memory(stage: Stage) -> int:
    """Bytes that the bot holds in memory."""
    status = Path(f"/proc/{stage.bot.now.pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


async def admitted(stage: Stage) -> int:
    query = select(func.count()).select_from(schema.guesses)
    return int(await stage.store.read(lambda tx: _scalar(tx, query)))


async def _scalar(tx, query):
    return (await tx.execute(query)).scalar_one()


async def heard(player: Player) -> list[str]:
    events = await player.stage.control("GET", f"people/{player.id}/inbox")
    return [event["text"] for event in events if event["kind"] == "message" and event["text"]]


@pytest.mark.timeout(400)
async def test_guesses_sent_while_the_queue_is_away_are_safe_and_their_players_know_it(stage):
    # given: one worker, for two may score one player's guesses side by side
    await stage.actors["worker2"].now.stop()
    players = await crowd(stage)
    before, began = memory(stage), time.monotonic()
    line = stage.bot.lines.queue
    await asyncio.to_thread(stage.server.kill)
    tried = line.counts.connections

    # when
    rounds = [await together(*(player.guess() for player in players)) for _ in range(EACH)]
    sent = [guess for each in rounds for guess in each]

    async def all_admitted() -> bool:
        return await admitted(stage) == len(sent)

    await until(all_admitted, "every guess is admitted without a queue", 60)
    await asyncio.sleep(max(0.0, OUTAGE_S - (time.monotonic() - began)))

    # then: told once, nothing hoarded, the server not besieged
    async def all_know() -> bool:
        told = await together(*(heard(player) for player in players))
        return all("safe" in "\n".join(texts) for texts in told)

    await until(all_know, "every player knows that the guesses are safe", 30)
    seconds = time.monotonic() - began
    assert line.counts.connections - tried < 20 * seconds
    assert memory(stage) - before < GROWTH_BYTES

    # and when
    carried = line.counts.commands
    await asyncio.to_thread(stage.server.start)
    await all_told(stage, sent, 90)

    # then: in order, without a stampede
    assert line.counts.commands - carried < 12 * len(sent)
    found = await findings(stage, sent)
    assert found.broken == []
    for player in players:
        told = await heard(player)
        assert sum("safe" in text for text in told) == 1
        whole = "\n".join(told)
        mine = [guess.symbols for guess in sent if guess.chat_id == player.id]
        places = [whole.index(symbols) for symbols in mine]
        assert places == sorted(places)
    code, report = await stage.audit()
    assert (code, report["violations"]) == (0, [])


@pytest.mark.timeout(400)
async def test_while_the_database_is_away_updates_wait_at_telegram_and_nobody_asks_for_more(stage):
    # given
    players = await crowd(stage)
    bot = stage.bot.lines

    async def polls() -> int:
        return len(await stage.control("GET", "requests?method=getUpdates"))

    async def send() -> list:
        return await together(*(player.guess() for player in players for _ in range(3)))

    # when
    if bot.database is not None:
        await bot.database.stop()
        sent = await send()
        await asyncio.sleep(1)
        asked = await polls()
        await asyncio.sleep(OUTAGE_S / 2)
        waiting, more = (await stage.control("GET", "health"))["pending"], await polls() - asked
        await bot.database.start()
    else:
        with busy(stage.database_url, 5.0):
            sent = await send()
            await asyncio.sleep(1)
            asked = await polls()
            await asyncio.sleep(OUTAGE_S / 2)
            waiting, more = (await stage.control("GET", "health"))["pending"], await polls() - asked

    # then
    assert waiting >= len(sent)
    assert more <= 2
    await all_told(stage, sent, 90)
    found = await findings(stage, sent)
    assert found.broken == []
    code, report = await stage.audit()
    assert (code, report["violations"]) == (0, [])
