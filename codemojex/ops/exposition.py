"""Figures as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from emq import metrics


class Exposition:
    """Writes figures in a registry of its own, the memory and the processor time of this process with them."""

    def __init__(self) -> None:
        self._process = CollectorRegistry()
        ProcessCollector(registry=self._process)

    def write(self, figures: Iterable[metrics.Metric], accept: str) -> tuple[bytes, str]:
        """The figures in the format that a scraper asks for.

        Args:
            accept: the scraper's Accept header.

        Returns:
            The text, and its content type.
        """
        registry = CollectorRegistry()
        registry.register(_Once([*self._process.collect(), *_families(figures)]))
        encode, kind = choose_encoder(accept)
        return encode(registry), kind


class _Once(Collector):
    """Hands out what it was given."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families


def _families(figures: Iterable[metrics.Metric]) -> list[Metric]:
    """Each name once, however many queues and workers tell it."""
    found: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
    for figure in figures:
        family = found.get(figure.name)
        if family is None:
            made = CounterMetricFamily if figure.kind == "counter" else GaugeMetricFamily
            family = found[figure.name] = made(figure.name, figure.help, labels=figure.labels)
        for labels, value in figure.samples.items():
            family.add_metric(labels, value)
    return list(found.values())
