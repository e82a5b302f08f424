"""A process that is asked to end: what do those hear who are being served?"""

import asyncio
import json
import signal
import threading
import time
import urllib.request
from types import SimpleNamespace

import psycopg
import pytest

from tests.support.api import KYC
from tests.support.integrator import Integrator
from tests.support.served import forked
from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.http.problems import answer_to
from truename.plumbing.http.request_context import RequestContext

COUNTED = "SELECT bucket, tat FROM rate_limits ORDER BY bucket"
"""Each call that is counted changes it. Not the greatest `tat`: a token's lies a tenth of a second ahead."""


async def test_what_takes_longer_than_a_stop_waits_for_is_told_to_come_again_and_is_no_defect():
    """The server cancels it then, and would itself answer 500."""
    begun, sent = asyncio.Event(), []

    async def takes_for_ever(scope, receive, send):
        begun.set()
        await asyncio.sleep(600)

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    state = SimpleNamespace(plumbing=SimpleNamespace(settings=SimpleNamespace(base_url="https://example.com")))
    scope = {"type": "http", "method": "POST", "path": "/x", "query_string": b"", "headers": [], "server": ("x", 80)}
    layer = RequestContext(takes_for_ever, on_fault=answer_to)
    answering = asyncio.create_task(layer({**scope, "app": SimpleNamespace(state=state)}, receive, send))
    await begun.wait()
    answering.cancel()
    await asyncio.wait({answering}, timeout=10)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["status"] == 503
    assert dict(sent[0]["headers"])[b"retry-after"] == b"1"
    assert json.loads(sent[1]["body"])["code"] == "not_ready"


@pytest.mark.slow
def test_whoever_waits_for_a_result_is_answered_when_the_service_is_asked_to_end(tmp_path):
    """Seen before: 20 seconds later, with 500."""
    with forked(tmp_path / "data", "--no-worker") as service:
        integrator = Integrator(service)
        one = integrator.new_transaction()
        heard: list[tuple[int, str]] = []

        def waits() -> None:
            bearer = {"Authorization": f"Bearer {integrator.token}"}
            asked = urllib.request.Request(f"{service.url}{KYC}/transaction/{one}?wait=30", headers=bearer)
            with urllib.request.urlopen(asked, timeout=60) as answer:
                heard.append((answer.status, json.load(answer)["status"]))

        waiting = threading.Thread(target=waits)
        with psycopg.connect(Embedded(service.data).url, autocommit=True) as database:
            before = database.execute(COUNTED).fetchall()
            waiting.start()
            within(60, lambda: database.execute(COUNTED).fetchall() != before)
        time.sleep(0.5)  # it has asked; that it has found nothing yet, and waits, cannot be seen from outside
        began = time.monotonic()
        assert service.stop(signal.SIGTERM) == 0
        within(10, lambda: heard)
        assert heard == [(200, "CREATED")]
        assert time.monotonic() - began < 15
        waiting.join(10)
        assert not [line for line in service.errors if "Error" in line or "not logged" in line], service.errors
