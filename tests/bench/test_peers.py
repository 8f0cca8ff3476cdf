"""The bench of other queues: what it installs is pinned, and its drivers keep to one protocol."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from bench.peers import installing
from bench.peers.driver import Broken, Driver, Missing
from bench.peers.installing import DRIVERS, Program
from bench.peers.roster import PEERS

PINS = tomllib.loads(Path(installing.__file__).with_name("pins.toml").read_text())
EXACT = re.compile(r"[A-Za-z0-9._-]+==[^=@/:]+|[a-z0-9-]+@[0-9.]+")

STUB = """
from protocol import handled, serve

async def enqueue(jobs):
    return jobs / 1_000

def drain(jobs):
    handled.expect(jobs)
    for _ in range(jobs):
        handled.one("payload")
    print("a library that chats")
    return handled.wait()

def extend(jobs):
    raise ValueError("no leases today")

serve(enqueue, drain, extend)
"""


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.pins)
def test_every_peer_has_its_driver_and_its_pins(peer):
    assert (DRIVERS / peer.driver).is_file()
    assert installing.version(peer)[0].isdigit()


def test_every_package_is_pinned_and_none_by_its_address():
    pinned = [package for pins in PINS.values() for package in (*pins.get("pypi", ()), *pins.get("npm", ()))]
    assert [package for package in pinned if not EXACT.fullmatch(package)] == []


async def test_a_driver_answers_seconds_and_says_what_it_lacks_and_what_broke(tmp_path):
    # given
    (tmp_path / "drive.py").write_text(STUB)
    program = Program((sys.executable, str(tmp_path / "drive.py")), {"PYTHONPATH": str(DRIVERS)})

    async with Driver(program, "redis://127.0.0.1:1/0", tmp_path / "log") as driver:
        # then
        assert await driver.seconds("enqueue", 500) == 0.5
        assert await driver.seconds("drain", 50) >= 0
        with pytest.raises(Missing):
            await driver.text("script")
        with pytest.raises(Broken, match="no leases today"):
            await driver.seconds("extend", 1)
    assert "a library that chats" in (tmp_path / "log").read_text()


async def test_a_driver_that_ends_is_broken_and_its_last_words_are_told(tmp_path):
    # given
    program = Program((sys.executable, "-c", "raise SystemExit('no such library')"), {})

    async with Driver(program, "redis://127.0.0.1:1/0", tmp_path / "log") as driver:
        # then
        with pytest.raises(Broken, match="no such library"):
            await driver.seconds("enqueue", 1)
