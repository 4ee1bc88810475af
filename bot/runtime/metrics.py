"""Measurements as Prometheus reads them. Imported only where `health.port` is set."""

from __future__ import annotations

import re
import time
from contextvars import ContextVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from bot.ports.meters import Meters

CONTENT_TYPE = CONTENT_TYPE_LATEST
"""What `/metrics` is sent as."""

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_TRIP = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0, 5.0)
_LAG = (10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
_TRIPS = (0, 1, 2, 3, 5, 10)

_KIND = re.compile(r"[a-z]+(?:-[a-z]+)*")

_trips: ContextVar[int] = ContextVar("trips", default=0)
"""Round trips since the last turn of this task: a lane of the intake plays its turns one after another in one."""


class Prometheus(Meters):
    """Measures with a registry of its own; help texts say what an operator reads from each."""

    def __init__(self) -> None:
        """Begin at nought."""
        self.registry = registry = CollectorRegistry()
        self._turns = Counter("redial_turns", "Turns played.", ("platform", "kind", "result"), registry=registry)
        self._seconds = Histogram(
            "redial_turn_seconds", "From taken in to answered.", ("platform",), buckets=_SECONDS, registry=registry
        )
        self._per_turn = Histogram(
            "redial_turn_round_trips", "Awaited round trips to the store a turn.", buckets=_TRIPS, registry=registry
        )
        self._refused = Counter("redial_events_refused", "Events not taken in.", ("reason",), registry=registry)
        self._recognised = Counter("redial_recognitions", "Texts, by decision.", ("decision",), registry=registry)
        self._trip = Histogram(
            "redial_store_seconds", "Round trips to the store.", ("result",), buckets=_TRIP, registry=registry
        )
        self._polls = Counter("redial_polls", "Readings of a page.", ("page", "result"), registry=registry)
        self._read = Gauge(
            "redial_page_read_timestamp_seconds", "When this process last read a page.", ("page",), registry=registry
        )
        self._deliveries = Counter(
            "redial_deliveries", "Requests of announcing.", ("platform", "doing", "state"), registry=registry
        )
        self._lag = Histogram(
            "redial_delivery_lag_seconds", "From the page's update to its message.", ("platform",), buckets=_LAG,
            registry=registry,
        )  # fmt: skip
        self._behind = Gauge(
            "redial_channels_behind", "Channels that lack something.", ("platform",), registry=registry
        )
        self._leases = Counter(
            "redial_leases", "Turns at shared work, asked for or kept.", ("name", "result"), registry=registry
        )
        self._logged = Counter(
            "redial_errors", "Warnings and errors in the log.", ("level", "event"), registry=registry
        )
        self._reloads = Counter(
            "redial_content_reloads", "Changed content, read again.", ("result",), registry=registry
        )
        self.ready = Gauge("redial_ready", "1 while /readyz says yes.", registry=registry)
        self.guides = Gauge("redial_guides", "Guides at hand.", registry=registry)

    def began(self) -> None:
        """Begin at nought for this context."""
        _trips.set(0)

    def turned(self, platform: str, kind: str, result: str, seconds: float) -> None:
        """Count a turn, with the round trips this task has made since the last."""
        self._turns.labels(platform, kind, result).inc()
        self._seconds.labels(platform).observe(seconds)
        self._per_turn.observe(_trips.get())
        _trips.set(0)

    def refused(self, reason: str) -> None:
        """Count an event that was not taken in."""
        self._refused.labels(reason).inc()

    def recognised(self, decision: str) -> None:
        """Count a decision."""
        self._recognised.labels(decision).inc()

    def tripped(self, seconds: float, *, failed: bool) -> None:
        """Count a round trip, for the turn it belongs to as well."""
        _trips.set(_trips.get() + 1)
        self._trip.labels("failed" if failed else "ok").observe(seconds)

    def polled(self, page: str, result: str) -> None:
        """Count a reading."""
        self._polls.labels(page, result).inc()
        if result == "read":
            self._read.labels(page).set(time.time())

    def delivered(self, platform: str, doing: str, state: str, lag: float | None) -> None:
        """Count a request of announcing."""
        self._deliveries.labels(platform, doing, state).inc()
        if lag is not None:
            self._lag.labels(platform).observe(lag)

    def behind(self, platform: str, channels: int) -> None:
        """Say how many channels lack something."""
        self._behind.labels(platform).set(channels)

    def leased(self, name: str, *, held: bool) -> None:
        """Count an attempt to take or keep a turn; of its name the kind, without the workspace or application."""
        kind = _KIND.match(name)
        self._leases.labels(kind[0] if kind else "other", "held" if held else "elsewhere").inc()

    def logged(self, level: str, event: str) -> None:
        """Count a line of the log."""
        self._logged.labels(level, event).inc()

    def reloaded(self, result: str) -> None:
        """Count a reload."""
        self._reloads.labels(result).inc()

    def text(self) -> bytes:
        """Return everything as `/metrics` says it."""
        return generate_latest(self.registry)
