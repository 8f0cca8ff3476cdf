"""docs/operations.md and docs/emq.md name the figures there are, and no others."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.databases import sqlite_url  # noqa: F401  a fixture by import
from tests.system.deployment import Deployment
from tests.system.operator import operator

DOCS = Path(__file__).parents[2] / "docs"


def _section(page: str, heading: str) -> str:
    text = (DOCS / page).read_text()
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


FIGURES, ALARMS = _section("operations.md", "Figures"), _section("operations.md", "Alarms")
EMQ = _section("emq.md", "Metrics")

ROW = re.compile(r"^\| (`(?:codemojex|process|emq)_[^|]+) \|([^|]*)\|([^|]*)\|$", re.MULTILINE)
NAME = re.compile(r"\b(?:codemojex|emq|process)_[a-z_]+\b")
CODE = re.compile(r"`([^`]+)`")

Rows = dict[str, tuple[set[str], str]]


def rows(page: str) -> Rows:
    """The tables' figures: name -> (its labels, what the page says)."""
    return {
        name: (set(CODE.findall(labels)), said.strip())
        for names, labels, said in ROW.findall(page)
        for name in CODE.findall(names)
    }


@pytest.fixture
async def families(short_folder, sqlite_url, redis7_url, queue) -> AsyncIterator[list[Metric]]:  # noqa: F811
    """What a process with a bot and a worker tells."""
    names = {"GUESS_QUEUE": queue, "NOTIFY_QUEUE": f"{queue}.notify", "OPS_LISTEN": "127.0.0.1:0"}
    deployment = Deployment(short_folder, sqlite_url, redis7_url, names)
    try:
        await deployment.start_telegram()
        up = await operator(deployment, deployment.start("up"))
        await up.waits_for(200, "worker", "claims")
        yield list(text_string_to_metric_families((await up.get("/metrics")).text))
    finally:
        await deployment.close()


async def test_every_figure_has_a_help_text_and_a_row_and_every_row_a_figure(families):
    # given
    told = {_name(family): family for family in families}
    written = rows(FIGURES) | {_full(name, said): (of, said) for name, (of, said) in rows(EMQ).items()}

    # then
    assert set(told) == set(written)
    for name, family in told.items():
        assert family.documentation.strip(), name
        labels = {label for sample in family.samples for label in sample.labels} - {"queue"}
        assert labels <= written[name][0], name
        values = {sample.labels[label] for sample in family.samples for label in labels}
        if labels - {"part"} and not name.startswith("process_"):
            assert values <= set(CODE.findall(written[name][1])), name


async def test_every_alarm_asks_for_figures_and_values_that_exist(families):
    # given
    told = {_name(family): family for family in families}
    expressions = [re.split(r"(?<!\\)\|", line)[2] for line in ALARMS.splitlines() if line.startswith("| ")]

    # then
    assert len(expressions) > 15
    for expression in expressions[1:]:
        named = set(NAME.findall(expression))
        assert named <= set(told), expression
        assert named or "up{" in expression, expression
        for name, selected in re.findall(r"([a-z_]+)\{([^}]*)\}", expression):
            for label, values in re.findall(r'(\w+)=~?"([^"]*)"', selected):
                if name == "up":
                    continue
                has = {sample.labels[label] for sample in told[name].samples}
                assert set(values.replace("\\|", "|").split("|")) <= has, expression


def _name(family: Metric) -> str:
    """As it is asked for; the parser takes the end of a counter's name off."""
    return f"{family.name}_total" if family.type == "counter" else family.name


def _full(name: str, said: str) -> str:
    """emq names counters without their end, and says that they are counters."""
    return f"{name}_total" if said.startswith("counter") else name
