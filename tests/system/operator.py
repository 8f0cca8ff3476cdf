"""An operator at a process's side door."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.system.deployment import Deployment, Process, until

_ADDRESS = re.compile(r"answering operators\s.*\baddress=(\S+)")


@dataclass(frozen=True)
class Answer:
    """What /ready said."""

    status: int
    body: dict[str, Any]

    def of(self, part: str) -> tuple[bool, str]:
        """Whether a part is ready, and its state."""
        told = self.body["parts"].get(part, {})
        return told.get("ready", False), told.get("state", "")

    def reason(self, part: str) -> str:
        return str(self.body["parts"].get(part, {}).get("reason", ""))


@dataclass(frozen=True)
class Operator:
    """Asks one process."""

    url: str
    http: httpx.AsyncClient

    async def get(self, path: str) -> httpx.Response:
        return await self.http.get(f"{self.url}{path}")

    async def ready(self) -> Answer:
        reply = await self.get("/ready")
        return Answer(reply.status_code, json.loads(reply.text))

    async def figures(self) -> dict[str, float]:
        """Every sample, under its name and the values of its labels in the order of their names: ``name{a,b}``."""
        reply = await self.get("/metrics")
        assert reply.status_code == 200, reply.text
        return {
            sample.name + _of(sample.labels): sample.value
            for family in text_string_to_metric_families(reply.text)
            for sample in family.samples
        }

    async def waits_for(self, status: int, part: str, state: str, within_s: float = 90.0) -> Answer:
        """Wait until /ready answers so."""
        answer = await self.ready()

        async def so() -> bool:
            nonlocal answer
            answer = await self.ready()
            return answer.status == status and answer.of(part)[1] == state

        try:
            await until(so, f"{part} is {state!r} and /ready answers {status}", within_s)
        except AssertionError as error:
            raise AssertionError(f"{error}: {answer}") from None
        return answer


async def operator(deployment: Deployment, process: Process) -> Operator:
    """An operator who asks ``process``, which was started with ``OPS_LISTEN=127.0.0.1:0``."""

    async def listens() -> bool:
        assert process.popen.poll() is None, process.said
        return _ADDRESS.search(process.said) is not None

    await until(listens, f"{process.name} answers operators")
    found = _ADDRESS.search(process.said)
    assert found is not None
    return Operator(found[1], deployment.http)


def _of(labels: dict[str, str]) -> str:
    return f"{{{','.join(labels[name] for name in sorted(labels))}}}" if labels else ""
