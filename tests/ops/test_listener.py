"""The operator's side door: bounded, and without secrets."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp.test_utils import TestClient, TestServer

from codemojex.ops.listener import Listener, listening
from codemojex.ops.readiness import PartState
from codemojex.settings import read_settings


class Slow:
    """A look-out that answers when told to."""

    def __init__(self, *states: PartState) -> None:
        self.free = asyncio.Event()
        self._states = list(states)

    async def states(self) -> list[PartState]:
        await self.free.wait()
        return self._states


@pytest.fixture
async def listener():
    return Listener(asyncio.Event(), ["aSecret"])


@pytest.fixture
async def client(listener):
    async with TestClient(TestServer(listener.app())) as client:
        yield client


async def test_whoever_asks_faster_than_is_answered_is_turned_away(listener, client):
    # given: a server hangs, and many ask
    slow = listener._lookout = Slow(PartState("database", True, "answers"))
    asking = [asyncio.create_task(client.get("/ready")) for _ in range(100)]
    await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)

    # when
    slow.free.set()
    answers = await asyncio.gather(*asking)

    # then
    statuses = sorted(answer.status for answer in answers)
    assert (statuses.count(200), statuses.count(503)) == (32, 68)
    assert (await client.get("/ready")).status == 200


async def test_a_secret_that_an_error_quotes_is_blotted_out(listener, client):
    # given
    listener._lookout = slow = Slow(PartState("database", False, "does not answer", "no login with aSecret"))
    slow.free.set()

    # when
    told = await (await client.get("/ready")).json()

    # then
    assert told["parts"]["database"]["reason"] == "no login with [secret]"


async def test_a_process_that_is_leaving_is_not_ready(client, listener):
    # given
    listener._lookout = slow = Slow(PartState("database", True, "answers"))
    slow.free.set()

    # when
    listener._stopping.set()
    answer = await client.get("/ready")

    # then
    assert answer.status == 503
    assert (await answer.json())["state"] == "stopping"
    assert (await client.get("/live")).status == 200


@pytest.mark.parametrize(("method", "path", "status"), [("POST", "/ready", 405), ("GET", "/", 404)])
async def test_other_questions_are_refused(client, method, path, status):
    assert (await client.request(method, path)).status == status


async def test_a_scraper_gets_the_format_it_asks_for(client):
    plain = await client.get("/metrics")
    open_ = await client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

    assert plain.headers["Content-Type"].startswith("text/plain")
    assert open_.headers["Content-Type"].startswith("application/openmetrics-text")
    assert (await open_.text()).endswith("# EOF\n")


async def test_it_listens_on_ipv6_as_well(monkeypatch):
    monkeypatch.setenv("OPS_LISTEN", "[::1]:0")
    settings = read_settings(_env_file=None)
    assert settings.ops_on == ("::1", 0)
    async with listening(settings, settings.ops_on, asyncio.Event()) as made:
        assert made is not None


def test_without_an_address_there_is_nowhere_to_listen(monkeypatch):
    monkeypatch.delenv("OPS_LISTEN", raising=False)
    assert read_settings(_env_file=None).ops_on is None
