"""The table of steps names places that the code has, and a process dies exactly where it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import seams, steps

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seam", steps.SEAMS, ids=lambda seam: seam.step)
def test_every_step_is_a_place_in_the_code(seam):
    # when, then
    owner, attribute = seams.found(seam.place)
    assert callable(getattr(owner, attribute))
    assert seam.edge in ("before", "after")
    if seam.within:
        seams.found(seam.within)


def test_no_step_is_named_twice():
    assert len(steps.BY_STEP) == len(steps.SEAMS)


def test_nothing_of_this_is_in_the_code_itself():
    # when
    files = [path for package in ("codemojex", "emq") for path in (ROOT / package).rglob("*.py")]
    naming = [path for path in files if "FAULTS_" in path.read_text() or "tests.faults" in path.read_text()]

    # then
    assert len(files) > 100
    assert naming == []


def test_an_order_counts_hits_of_its_step_and_is_carried_out_once(tmp_path, monkeypatch):
    # given
    done = []
    monkeypatch.setattr(os, "kill", lambda pid, number: done.append((pid, number)))
    orders = seams.Orders(tmp_path / "orders")
    orders.path.write_text("claimed 2 kill")

    # when
    for step in ("claimed", "scored", "scored", "claimed", "claimed"):
        orders.reached(step)

    # then
    assert done == [(os.getpid(), signal.SIGKILL)]
    assert not orders.path.exists()


def test_without_an_order_nothing_happens(tmp_path):
    seams.Orders(tmp_path / "none").reached("claimed")


@pytest.mark.parametrize(("edge", "calls"), [("before", 0), ("after", 1)])
async def test_a_step_is_reached_before_or_after_its_call(tmp_path, monkeypatch, edge, calls):
    # given
    class Reached(Exception):
        pass

    def stand_still(pid, number):
        raise Reached

    monkeypatch.setattr(os, "kill", stand_still)
    orders = seams.Orders(tmp_path / "orders")
    orders.path.write_text("here 1 stop")
    seam = steps.Seam("here", "bot", "m:f", edge, "")
    called = []

    async def call():
        await asyncio.sleep(0)
        called.append(True)

    around = seams._Wrapped("m:f", *([[seam], []] if edge == "before" else [[], [seam]]))

    # when
    with pytest.raises(Reached):
        await around.around(call, orders)()

    # then
    assert len(called) == calls


def test_a_program_started_by_hand_dies_where_it_is_told_to(tmp_path):
    # given: a bot that fails before it serves, so only its start is run
    environment = {**os.environ, seams.ORDERS: str(tmp_path / "orders"), "CODEMOJEX_HOME": str(tmp_path)}

    # when
    run = subprocess.run(
        [sys.executable, "-m", "tests.faults.host", "codemojex", "--version"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )

    # then
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
