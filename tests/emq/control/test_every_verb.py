"""Every verb of lanes, dead letters and control, once on each kind of server and over both protocols."""

from __future__ import annotations

import pytest

from tests.emq.core.makers import steer_through


@pytest.mark.parametrize("protocol", [2, 3])
async def test_every_verb_works_over_either_protocol(server_url: str, queue: str, protocol: int) -> None:
    await steer_through(f"{server_url}&protocol={protocol}", queue)
