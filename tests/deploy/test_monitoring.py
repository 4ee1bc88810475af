"""The dashboard and the alerts ask for what is measured, in sentences Prometheus understands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from bot.ports.meters import Meters
from bot.runtime.metrics import Prometheus
from bot.runtime.settings import secret_names

MONITORING = Path(__file__).parents[2] / "deploy" / "monitoring"
NAME = re.compile(r"\bredial_\w+")


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MONITORING / "redial-dashboard.json").read_text())
    return found


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((MONITORING / "redial-alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def asked() -> Iterator[tuple[str, str]]:
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for rule in alerts():
        yield rule["alert"], rule["expr"]


ASKED = list(asked())


def measured() -> dict[str, set[str]]:
    """What a process that has measured everything once says: samples, and their labels."""
    meters = Prometheus()
    meters.turned("slack", "said", "ok", 0.1)
    meters.refused("full")
    meters.recognised("guide")
    meters.tripped(0.001, failed=False)
    meters.polled("p", "read")
    meters.delivered("slack", "post", "delivered", 3.0)
    meters.behind("slack", 0)
    meters.leased("poll", held=True)
    meters.logged("error", "turn failed")
    meters.reloaded("taken")
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(meters.text().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.mark.parametrize(("where", "expression"), ASKED, ids=[f"{where}-{n}" for n, (where, _) in enumerate(ASKED)])
def test_an_expression_is_understood_and_asks_for_what_is_measured(where: str, expression: str) -> None:
    known = measured()
    promql_parser.parse(expression.replace("$job", "redial"))
    names = NAME.findall(expression)
    assert names, where
    for name in names:
        assert name in known, f"{where}: nothing is called {name}"
        for labels in re.findall(rf"{name}\{{([^}}]*)\}}", expression):
            inner = {label for label, _ in re.findall(r'(\w+)(=~|!~|!=|=)"', labels)}
            assert inner - {"job"} <= known[name], where
    by = {label.strip() for part in re.findall(r"\bby \(([^)]*)\)", expression) for label in part.split(",")}
    assert by - {"instance"} <= set().union(*(known[name] for name in names)), where


def test_everything_that_is_measured_is_on_the_dashboard() -> None:
    shown = " ".join(expression for _, expression in ASKED)
    families = {re.sub(r"_(total|bucket|count|sum|created)$", "", name) for name in measured()}
    assert {name for name in families if name not in shown} == set()


def test_everything_that_can_be_measured_is() -> None:
    known, measured = ({name for name in vars(kind) if not name.startswith("_")} for kind in (Meters, Prometheus))
    assert known <= measured


def test_an_alert_says_what_people_notice_and_what_to_do() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(set(names)) == len(names)
    for rule in alerts():
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert {"summary", "description"} == set(rule["annotations"])
        assert not any(name.upper() in str(rule) for name in secret_names())


def test_the_events_an_alert_waits_for_are_written_somewhere() -> None:
    root = Path(__file__).parents[2]
    code = "".join(path.read_text() for top in ("bot", "handlers") for path in (root / top).rglob("*.py"))
    for rule in alerts():
        for events in re.findall(r'event=~"([^"]+)"', rule["expr"]):
            for event in events.split("|"):
                assert f'"{event}"' in code, event


def test_panels_lie_side_by_side() -> None:
    taken: dict[tuple[int, int], str] = {}
    ids = [panel["id"] for panel in dashboard()["panels"]]
    assert len(set(ids)) == len(ids)
    for panel in dashboard()["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert taken.setdefault((x, y), panel["title"]) == panel["title"], panel["title"]


def test_no_workspace_and_no_application_becomes_a_series() -> None:
    meters = Prometheus()
    for n in range(50):
        meters.leased(f"room-slack:T{n}", held=True)
        meters.leased(f"discord-gateway-{10**17 + n}", held=False)
        meters.leased(f"{n}", held=False)
    text = meters.text().decode()
    assert text.count("redial_leases_total{") == 3
    assert 'redial_leases_total{name="room-slack",result="held"} 50.0' in text
