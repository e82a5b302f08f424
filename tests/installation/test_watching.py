"""Do the dashboard and the alert rules ask for metrics that exist, by labels that they have?"""

import json
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from truename.plumbing import metrics
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.metrics import QueueGauges

WATCH = Path(__file__).parents[2] / "deploy" / "watch"
OF_PROMETHEUS = {"le"}


def known() -> dict[str, set[str]]:
    """Every series that a scrape may show, and its labels."""
    metrics.count_process("api")
    metrics.count_job("test.watching", "done", 0.1)
    metrics.count_unlogged_requests(1)
    scope = {"type": "http", "truename.path": "/healthz", "method": "GET"}
    metrics.count_request(scope, 200, 0.1)
    page = metrics.written() + metrics.gauges([QueueGauges(queue, 1, 1.0) for queue in Queue])
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(page.decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def asked_by_rules() -> list[str]:
    groups = yaml.safe_load((WATCH / "alerts.yaml").read_text())["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


def asked_by_panels() -> list[str]:
    panels = json.loads((WATCH / "grafana.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


@pytest.mark.parametrize("query", asked_by_rules() + asked_by_panels())
def test_a_query_names_metrics_that_exist_by_labels_that_they_have(query):
    series = known()
    named = re.findall(r"(truename_\w+)(?:\{([^}]*)\})?", query)
    assert named
    for name, selector in named:
        assert name in series, f"{name} does not exist"
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector):
            assert label in series[name] | OF_PROMETHEUS, f"{name} has no label {label}"
    labels = set.union(*(series[name] for name, _ in named)) | OF_PROMETHEUS
    for grouped in re.findall(r"by \(([^)]*)\)", query):
        assert {label.strip() for label in grouped.split(",")} <= labels


def test_every_alert_says_what_it_means_and_what_to_do():
    groups = yaml.safe_load((WATCH / "alerts.yaml").read_text())["groups"]
    for rule in (rule for group in groups for rule in group["rules"]):
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert {"summary", "what_to_do"} <= set(rule["annotations"])


def test_every_queue_has_its_alert():
    watched = {queue for expr in asked_by_rules() for queue in re.findall(r'queue="(\w+)"', expr)}
    assert watched == set(Queue)


def test_a_query_for_what_does_not_exist_is_noticed():
    with pytest.raises(AssertionError, match="does not exist"):
        test_a_query_names_metrics_that_exist_by_labels_that_they_have("sum(truename_nothing_total)")
    with pytest.raises(AssertionError, match="no label"):
        test_a_query_names_metrics_that_exist_by_labels_that_they_have('truename_queue_jobs{tenant="x"}')
