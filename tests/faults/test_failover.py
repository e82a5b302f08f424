"""The database fails over to its standby under load: is anything lost that was confirmed?"""

import os
import threading
import urllib.error

import pytest

from tests.support.database_pair import DatabasePair
from tests.support.hooks import a_hook
from tests.support.integrator import Integrator, ready
from tests.support.served import forked, truename_here
from tests.support.waiting import within

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def pair(tmp_path):
    tmp_path.chmod(0o755)
    found = DatabasePair(tmp_path)
    try:
        found.start()
        yield found
    finally:
        found.stop()


def test_a_standby_that_takes_over_has_every_confirmed_transaction_and_the_service_goes_on(pair, tmp_path):
    data, where = tmp_path / "data", {"TRUENAME_DATABASE_URL": pair.url}
    with a_hook() as (hook, told), forked(data, **where) as service:
        integrator = Integrator(service)
        customer = integrator.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
        wanted = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY", "config": {"webhook": {"url": hook}}}
        confirmed: list[str] = []
        decided: list[str] = []
        refused: set[int] = set()
        over = threading.Event()

        def load() -> None:
            while not over.is_set():
                try:
                    one = integrator.post("/transaction", wanted)["transaction_id"]
                    confirmed.append(one)
                    integrator.post(f"/test/transaction/{one}/simulate", {})
                    decided.append(one)
                except urllib.error.HTTPError as answer:
                    refused.add(answer.code)
                    over.wait(0.2)
                except OSError:
                    over.wait(0.2)

        threads = [threading.Thread(target=load) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            within(60, lambda: len(decided) >= 10)
            within(60, lambda: told)  # a worker that still starts when the database goes is another matter: it ends
            pair.fail_over()
            before = len(decided)
            print(f"ready again after {within(60, lambda: ready(service.url)):.1f} s")
            print(f"deciding again after {within(60, lambda: len(decided) >= before + 10):.1f} s more")
        finally:
            over.set()
            for thread in threads:
                thread.join()
        assert refused <= {503}, "nobody hears more than that the database is away"
        with pair.connected(pair.second) as connection:
            rows = connection.execute("SELECT transaction_id::text, status FROM transactions").fetchall()
        stored = {row[0]: row[1] for row in rows}
        assert set(confirmed) <= stored.keys()
        assert {stored[one] for one in decided} == {"APPROVED"}
        changes = {(one, number) for one in decided for number in (1, 2, 3)}
        within(120, lambda: {(one.transaction_id, one.sequence) for one in told} >= changes)
    whole = truename_here(data, "audit", "verify", **where)
    assert whole.returncode == 0, whole.stdout
