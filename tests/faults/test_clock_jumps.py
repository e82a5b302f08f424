"""The clock of an API's machine jumps by ten days under a service that runs: what of it notices?

Of a worker's clock tests/faults/test_further_faults.py speaks: under libfaketime a worker takes minutes to start.
"""

import base64
import json
import os
import subprocess
import time
import urllib.error
from pathlib import Path

import pytest

from tests.support.integrator import Integrator
from tests.support.migrated import migrate_by_copy
from tests.support.served import Served, environment_of, served, truename_here
from tests.support.waiting import within
from truename.plumbing.database.embedded import Embedded

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SLEEPS = """
import select, time
# Python sleeps until a moment of the monotonic clock, which libfaketime 0.9.10 gets wrong where that clock stays true.
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""


@pytest.fixture
def clock(tmp_path):
    """What a process must be told so that its clock, but not that of its database, follows a file of ours."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        pytest.skip("libfaketime is not installed (Debian: apt-get install libfaketime)")
    file = tmp_path / "clock"
    file.write_text("+0")
    (tmp_path / "sitecustomize.py").write_text(SLEEPS)
    told = {"FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_CACHE_DURATION": "1", "NO_FAKE_STAT": "1"}
    told |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "LD_PRELOAD": str(found[0]), "PYTHONPATH": str(tmp_path)}
    migrate_by_copy(tmp_path / "data")
    database = Embedded(tmp_path / "data")
    database.attach()
    try:
        yield file, {**told, "TRUENAME_DATABASE_URL": database.url}
    finally:
        database.close()


def test_a_clock_that_jumps_ten_days_ahead_and_back_costs_callers_a_token_and_nothing_else(clock, tmp_path):
    file, told_of_it = clock
    data = tmp_path / "data"
    with served(data, "--no-worker", **told_of_it) as service:
        integrator = Integrator(service)

        def created() -> str:
            customer = integrator.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
            wanted = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"}
            return str(integrator.post("/transaction", wanted)["transaction_id"])

        def signed_in_by(jump: int) -> bool:
            """Sign in again; whether the service's clock has jumped by so many days."""
            nonlocal integrator
            integrator = Integrator(service)
            claims = integrator.token.split(".")[1]
            issued = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["iat"]
            return abs(issued - time.time() - jump * 24 * 3600) < 3600

        began, waiting = time.time(), created()
        decided = []
        earlier = integrator
        for jump in (10, -10):
            file.write_text(f"{jump:+}d")
            within(30, lambda: signed_in_by(jump))  # noqa: B023
            if jump > 0:
                with pytest.raises(urllib.error.HTTPError, match="401"):
                    earlier.get(f"/transaction/{waiting}")
            decided.append(created())
            assert integrator.post(f"/test/transaction/{decided[-1]}/simulate", {})["status"] == "APPROVED"
            # Deadlines go by the database's clock: nothing has expired, though its day has long passed here.
            assert integrator.get(f"/transaction/{waiting}")["status"] == "CREATED"
        days = {integrator.get(f"/transaction/{one}")["created_at"][:10] for one in decided}
        assert days <= {time.strftime("%Y-%m-%d", time.gmtime(began)), time.strftime("%Y-%m-%d", time.gmtime())}
        call, told = [*Served.program, "doctor"], environment_of(data, **told_of_it)
        doctor = subprocess.run(call, env=told, capture_output=True, text=True, timeout=120)
        assert "clock" in doctor.stdout.lower()
        assert doctor.returncode == 1, doctor.stdout
        database = {"TRUENAME_DATABASE_URL": told_of_it["TRUENAME_DATABASE_URL"]}
        assert truename_here(data, "audit", "verify", **database).returncode == 0
