"""The clock of an API's machine, or of the database's, jumps by ten days under a service that runs: who notices?

Of a worker's clock tests/faults/test_further_faults.py speaks: under libfaketime a worker takes minutes to start.
"""

import base64
import json
import os
import shlex
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import psycopg
import pytest

from tests.support.hooks import Told, a_hook
from tests.support.integrator import Integrator, ready
from tests.support.migrated import migrate_by_copy
from tests.support.served import Served, environment_of, forked, served, truename_here
from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_programs import options_here, programs
from truename.plumbing.database.embedded_supervisor import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
Called = TypeVar("Called")
SLEEPS = """
import select, time
# Python sleeps until a moment of the monotonic clock, which libfaketime 0.9.10 gets wrong where that clock stays true.
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""


def follows(file: Path) -> dict[str, str]:
    """What a process must be told so that its clock follows this file."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        pytest.skip("libfaketime is not installed (Debian: apt-get install libfaketime)")
    file.write_text("+0")
    told = {"FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_CACHE_DURATION": "1", "NO_FAKE_STAT": "1"}
    return told | {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "LD_PRELOAD": str(found[0])}


@pytest.fixture
def clock(tmp_path):
    """What a process must be told so that its clock, but not that of its database, follows a file of ours."""
    file = tmp_path / "clock"
    (tmp_path / "sitecustomize.py").write_text(SLEEPS)
    told = {**follows(file), "PYTHONPATH": str(tmp_path)}
    migrate_by_copy(tmp_path / "data")
    database = Embedded(tmp_path / "data")
    database.attach()
    try:
        yield file, {**told, "TRUENAME_DATABASE_URL": database.url}
    finally:
        database.close()


def test_a_clock_that_jumps_ten_days_ahead_and_back_costs_callers_nothing(clock, tmp_path):
    file, told_of_it = clock
    data = tmp_path / "data"
    with served(data, "--no-worker", **told_of_it) as service:
        integrator = Integrator(service)

        def created() -> dict:
            customer = integrator.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
            return integrator.post("/transaction", {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"})

        def captures(transaction: dict) -> int:
            """What the phone of somebody who holds this token hears."""
            bearer = {"Authorization": f"Bearer {transaction['sdk_token']}"}
            request = urllib.request.Request(f"{service.url}/api/sdk/session", headers=bearer)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status)

        def has_jumped_by(days: int) -> bool:
            """By what it writes over its answers."""
            with urllib.request.urlopen(f"{service.url}/healthz", timeout=30) as answer:
                said = parsedate_to_datetime(answer.headers["Date"]).timestamp()
            return abs(said - time.time() - days * 24 * 3600) < 3600

        began, waiting, begun = time.time(), created(), created()
        assert captures(begun) == 200
        decided, earlier = [], integrator
        for jump in (10, -10):
            file.write_text(f"{jump:+}d")
            within(30, lambda: has_jumped_by(jump))  # noqa: B023
            # Deadlines and tokens go by the database's clock: nothing has expired, though its day has long passed here.
            assert earlier.get(f"/transaction/{waiting['transaction_id']}")["status"] == "CREATED"
            assert captures(begun) == 200
            integrator = Integrator(service)  # as this one signs in now, so could all, before and after
            decided.append(created())
            assert captures(decided[-1]) == 200
            simulated = integrator.post(f"/test/transaction/{decided[-1]['transaction_id']}/simulate", {})
            assert simulated["status"] == "APPROVED"
        today = {time.strftime("%Y-%m-%d", time.gmtime(began)), time.strftime("%Y-%m-%d", time.gmtime())}
        for one in decided:
            assert integrator.get(f"/transaction/{one['transaction_id']}")["created_at"][:10] in today
            made = UUID(one["transaction_id"]).int >> 80  # its month, too: the part of the tables in which it is kept
            assert began - 60 < made / 1000 < time.time() + 60
        with psycopg.connect(told_of_it["TRUENAME_DATABASE_URL"], autocommit=True) as database:
            simulated_last = f"transaction:{decided[-1]['transaction_id']}"
            logged = "SELECT count(*) FROM request_log WHERE method = 'POST' AND subject = %s"
            within(30, lambda: database.execute(logged, (simulated_last,)).fetchone() == (1,))
            days = database.execute("SELECT DISTINCT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') FROM request_log")
            assert {day for (day,) in days} <= today
        call, told = [*Served.program, "doctor"], environment_of(data, **told_of_it)
        doctor = subprocess.run(call, env=told, capture_output=True, text=True, timeout=120)
        assert "clock" in doctor.stdout.lower()
        assert doctor.returncode == 1, doctor.stdout
        where = {"TRUENAME_DATABASE_URL": told_of_it["TRUENAME_DATABASE_URL"]}
        assert truename_here(data, "audit", "verify", **where).returncode == 0


@pytest.fixture
def database_of_another_time(tmp_path):
    """The address of a PostgreSQL whose clock follows a file, and the file: in its own folder, which alone it sees."""
    migrate_by_copy(tmp_path / "database")
    made, here = Embedded(tmp_path / "database"), Path("/proc/self/cwd")
    file, started = made.folder / "clock", made.folder / "postgres"
    told = {**follows(file), "FAKETIME_TIMESTAMP_FILE": str(here / "clock")}
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in told.items())
    started.write_text(f'#!/bin/sh\nexec env {words} {programs() / "postgres"} "$@"\n')
    for one in (file, started):
        one.chmod(0o755)
    server = Cluster(made.folder, made.sockets, here, made.owner, options_here(made.owner))
    server.prepare()
    server.start()
    try:
        yield made.url, file
    finally:
        server.stop()


def patiently(call: Callable[[], Called]) -> Called:
    """Call as one who heeds 429: a clock that is set back leaves every limit used up, for a part of its window."""
    until = time.monotonic() + 90
    while True:
        try:
            return call()
        except urllib.error.HTTPError as refused:
            if refused.code != 429 or time.monotonic() > until:
                raise
            time.sleep(int(refused.headers["Retry-After"]))


def days_of_token(integrator: Integrator) -> int:
    """How many days from now the service wrote over a token that it has just given."""
    _, payload, _ = integrator.token.split(".")
    issued = json.loads(base64.urlsafe_b64decode(payload + "=="))["iat"]
    return round((issued - time.time()) / (24 * 3600))


def test_while_the_databases_clock_jumps_ten_days_ahead_and_back_workers_decide_and_tell_on(
    database_of_another_time, tmp_path
):
    url, file = database_of_another_time
    data, where = tmp_path / "data", {"TRUENAME_DATABASE_URL": url}

    def days_ahead() -> int:
        with psycopg.connect(url) as connection:
            (at,) = connection.execute("SELECT clock_timestamp()").fetchone() or (None,)
        assert at is not None
        return round((at.timestamp() - time.time()) / (24 * 3600))

    with a_hook() as (hook, told), forked(data, **where) as service:

        def verified(integrator: Integrator) -> str:
            def post(path: str, body: dict) -> dict:
                return patiently(lambda: integrator.post(path, body))

            customer = post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
            wanted = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"}
            one = post("/transaction", {**wanted, "config": {"webhook": {"url": hook}}})["transaction_id"]
            assert post(f"/test/transaction/{one}/simulate", {})["status"] == "APPROVED"
            return str(one)

        every = []
        for days in (0, 10, 0):
            file.write_text(f"+{days}d")
            within(30, lambda: days_ahead() == days)  # noqa: B023
            within(60, lambda: ready(service.url))
            # Tokens end by the database's clock, for which the service asks every few seconds.
            within(60, lambda: days_of_token(patiently(lambda: Integrator(service))) == days)  # noqa: B023
            integrator = patiently(lambda: Integrator(service))
            every += [verified(integrator) for _ in range(3)]
            changes = {(one, number) for one in every for number in (1, 2, 3)}
            within(120, lambda: {(one.transaction_id, one.sequence) for one in told} >= changes)  # noqa: B023
        for one in every:
            first = [told.index(change) for change in (Told(one, 1, "IN_PROGRESS"), Told(one, 3, "APPROVED"))]
            assert first == sorted(first), "each in its order"
        assert {patiently(partial(integrator.get, f"/transaction/{one}"))["status"] for one in every} == {"APPROVED"}
    assert truename_here(data, "audit", "verify", **where).returncode == 0
