"""Do the dashboard and the alert rules ask for metrics that exist, by labels that they have?"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from truename.plumbing import metrics
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.metrics import QueueGauges
from truename.webhooks.lateness import shown

WATCH = Path(__file__).parents[2] / "deploy" / "watch"
FROM_DEBIAN = Path(__file__).parents[2] / "build" / "debian" / "usr" / "bin"
OF_PROMETHEUS = {"le"}
QUIET = {
    'truename_database_up{instance="a"}': "1x90",
    'truename_database_up{instance="b"}': "0x90",  # one process is cut off from the database: the other answers
    'truename_queue_age_seconds{queue="analysis"}': "290x90",
    'truename_queue_age_seconds{queue="delivery"}': "110x90",
    'truename_queue_age_seconds{queue="upkeep"}': "890x90",
    'truename_queue_unattended_seconds{queue="analysis"}': "100x90",
    'truename_queue_unattended_seconds{queue="upkeep"}': "2x20 500x3 2x67",  # its worker was replaced
    "truename_webhook_age_seconds": "0x62 1900x8 1700x20",  # a receiver was away for a while
    "truename_unknown_jobs": "0x54 3x35",  # an upgrade: its workers come last
    'truename_jobs_total{job="analysis.analyse",outcome="given_up"}': "0x90",
    'truename_jobs_total{job="analysis.analyse",outcome="failed"}': "0+9x90",
    'truename_http_requests_total{method="GET",path="/a",status="200"}': "0+1000x90",
    'truename_http_requests_total{method="GET",path="/a",status="404"}': "0+500x90",
    'truename_http_requests_total{method="GET",path="/a",status="503"}': "0+5x90",
    'truename_http_seconds_bucket{method="GET",path="/a",le="5.0"}': "0+1000x90",
    'truename_http_seconds_bucket{method="GET",path="/a",le="7.5"}': "0+1005x90",
    'truename_http_seconds_bucket{method="GET",path="/a",le="+Inf"}': "0+1005x90",
    'truename_http_seconds_bucket{method="GET",path="/metrics",le="5.0"}': "0x90",
    'truename_http_seconds_bucket{method="GET",path="/metrics",le="7.5"}': "0+500x90",
    'truename_http_seconds_bucket{method="GET",path="/metrics",le="+Inf"}': "0+500x90",
}
"""An hour and a half, a figure each minute, in which each alert has a reason to keep still."""
RINGS = {
    "TruenameDatabaseDown": {'truename_database_up{instance="a"}': "1x40 0x50"},
    "TruenameNotScraped": {'truename_database_up{instance="a"}': "1x40", 'truename_database_up{instance="b"}': "1x40"},
    "TruenameAnalysisLate": {'truename_queue_age_seconds{queue="analysis"}': "0x40 310x50"},
    "TruenameDeliveryLate": {'truename_queue_age_seconds{queue="delivery"}': "0x40 130x50"},
    "TruenameWebhooksLate": {"truename_webhook_age_seconds": "0x40 1900x50"},
    "TruenameUpkeepLate": {'truename_queue_age_seconds{queue="upkeep"}': "0x40 910x50"},
    "TruenameQueueUnattended": {'truename_queue_unattended_seconds{queue="upkeep"}': "2x40 2+60x50"},
    "TruenameJobsUnknown": {"truename_unknown_jobs": "0x20 3x70"},
    "TruenameJobsGivenUp": {'truename_jobs_total{job="analysis.analyse",outcome="given_up"}': "0x50 1x40"},
    "TruenameServerErrors": {'truename_http_requests_total{method="GET",path="/a",status="503"}': "0+50x90"},
    "TruenameSlow": {
        'truename_http_seconds_bucket{method="GET",path="/a",le="7.5"}': "0+1020x90",
        'truename_http_seconds_bucket{method="GET",path="/a",le="+Inf"}': "0+1020x90",
    },
}
"""What changes, so that this alert rings and no other."""


def known() -> dict[str, set[str]]:
    """Every series that a scrape may show, and its labels."""
    metrics.count_process("api")
    metrics.count_job("test.watching", "done", 0.1)
    metrics.count_unlogged_requests(1)
    scope = {"type": "http", "truename.path": "/healthz", "method": "GET"}
    metrics.count_request(scope, 200, 0.1)
    page = metrics.written() + metrics.gauges([QueueGauges(queue, 1, 1.0, 1.0) for queue in Queue]) + shown(1.0)
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


def test_it_is_said_of_every_alert_what_makes_it_ring():
    groups = yaml.safe_load((WATCH / "alerts.yaml").read_text())["groups"]
    assert set(RINGS) == {rule["alert"] for group in groups for rule in group["rules"]}


@pytest.mark.slow
@pytest.mark.parametrize("alert", [None, *RINGS])
def test_an_alert_rings_when_its_condition_is_true_and_no_other_does(alert, tmp_path):
    """By Prometheus's own evaluation of the rules."""
    promtool = shutil.which("promtool", path=f"{FROM_DEBIAN}{os.pathsep}{os.environ['PATH']}")
    assert promtool, "promtool is needed: `make promtool`, or Debian's package prometheus"
    series = QUIET | RINGS.get(alert, {})
    ringing = 'count by (alertname) (ALERTS{alertstate="firing"})'
    wanted = [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else []
    story = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": ringing, "eval_time": "70m", "exp_samples": wanted}],
    }
    rules = tmp_path / "rules.yaml"
    rules.write_text((WATCH / "alerts.yaml").read_text())
    told = {"rule_files": [rules.name], "evaluation_interval": "1m", "tests": [story]}
    (tmp_path / "story.yaml").write_text(yaml.safe_dump(told))
    done = subprocess.run([promtool, "test", "rules", "story.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
