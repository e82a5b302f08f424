"""The audit log in the dashboard: folded, filtered, exported, checked."""

import csv
import io
import re
from datetime import timedelta

import pytest

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction
from truename.audit.model import Action
from truename.audit.record import record
from truename.dashboard import audit, words
from truename.operators.model import Role
from truename.plumbing import clock

PATH = "/dashboard/audit"


async def test_who_has_seen_a_person_is_one_filter_and_repeated_looks_are_counted(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana Muster")
    seen, other = [await a_customer(plumbing, an_account) for _ in range(2)]
    transaction_id = await a_transaction(plumbing, an_account, seen)
    async with signed_in(plumbing, live_server, ana) as desk:
        for customer_id in (seen, seen, seen, other):
            assert (await desk.get(f"/dashboard/customers/{customer_id}"))[0] == 200
        status, page = await desk.get(f"{PATH}?customer_id={seen}")
        assert status == 200
        assert "Intact" in page
        assert "Ana Muster" in page
        assert str(other) not in page
        assert page.count("customer.read</td>") + page.count("customer.read <span") >= 1
        rows = list(csv.DictReader(io.StringIO((await desk.get(f"{PATH}.csv?customer_id={seen}"))[1])))
        assert [row["action"] for row in rows].count("customer.read") == 3
        assert {row["subject"] for row in rows} <= {f"customer:{seen}", f"transaction:{transaction_id}"}
        assert (await desk.get(f"{PATH}?action=customer.read&actor={ana.actor}&since=2020-01-01"))[0] == 200
        assert "No line fits" in (await desk.get(f"{PATH}?until=2020-01-01"))[1]
        for wrong in ("action=nothing", "customer_id=x", "before=-1", "colour=red"):
            assert (await desk.get(f"{PATH}?{wrong}"))[0] == 400


async def test_no_line_is_left_out_of_pages_and_export_when_a_clock_went_back(
    plumbing, live_server, an_account, monkeypatch
):
    """The newest lines of the chain may bear the oldest times: what stands before one in the list is not before it in
    the chain. Of an export of more than 10,000 lines the rest was left out without a word."""
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    for subject in "abcdefgh":
        async with plumbing.database.account(an_account.account_id) as connection:
            await record(
                connection,
                an_account.account_id,
                actor="engine",
                action=Action.CUSTOMER_CHANGED,
                subject=f"customer:{subject}",
            )
    async with plumbing.database.pool.connection() as connection:
        await connection.execute("RESET ROLE")
        cursor = await connection.execute(
            "UPDATE audit_log SET at = at - interval '10 days' WHERE account_id = %s AND sequence > 3 "
            "RETURNING sequence",
            (an_account.account_id,),
        )
        gone_back = {row["sequence"] for row in await cursor.fetchall()}
        await connection.execute("SET ROLE truename_app")
    assert len(gone_back) > 3
    monkeypatch.setattr(audit, "PAGE", 2)
    monkeypatch.setattr(audit, "CHUNK", 2)
    query = f"until={clock.now() - timedelta(days=1):%Y-%m-%d}&action=customer.changed"
    async with signed_in(plumbing, live_server, ana) as desk:
        text = (await desk.get(f"{PATH}.csv"))[1]
        exported = [int(row["sequence"]) for row in csv.DictReader(io.StringIO(text))]
        noted = next(csv.DictReader(io.StringIO((await desk.get(f"{PATH}.csv?action=audit.read"))[1])))
        old = (await desk.get(f"{PATH}?{query}"))[1]
        before = re.search(r"before=(\d+)", old)
        assert before is not None
        older = (await desk.get(f"{PATH}?{query}&before={before[1]}"))[1]
    assert len(exported) == len(set(exported))
    assert set(exported) >= {1, 2, 3} | gone_back
    assert exported[-1] == min(gone_back), "the newest first, by the time that each line bears"
    assert noted["details"] == f"count={len(exported)}"
    shown = [re.findall(r'class="number fine">(\d+)</td>', page) for page in (old, older)]
    assert shown[0]
    assert shown[1]
    assert not set(shown[0]) & set(shown[1])


async def test_a_chain_that_was_altered_is_shown_as_broken(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with plumbing.database.pool.connection() as connection:
        await connection.execute("RESET ROLE")
        await connection.execute(
            "UPDATE audit_log SET actor = 'nobody' WHERE account_id = %s AND sequence = 1", (an_account.account_id,)
        )
        await connection.execute("SET ROLE truename_app")
    async with signed_in(plumbing, live_server, ana) as desk:
        await desk.post_for_location(f"{PATH}/check")
        page = (await desk.get(PATH))[1]
    assert "Broken</span> at line 1" in page


def test_no_cell_of_an_export_is_a_formula():
    for text in ("=1+1", "+1", "-1", "@a", "\t=1", "\r\n=1", "\uff1d1"):
        assert words.plain_cell(text).startswith("'")
    for text, plain in (("a;=1", "a;'=1"), ("a;  @x", "a;  '@x"), ("a\n+1", "a\n'+1"), ("a\t-1", "a\t'-1")):
        assert words.plain_cell(text) == plain  # some spreadsheets divide at these, whatever the file says
    for text in ("customer:1", "2026-11-16", "count=3 role=admin", "a-b@c.example", ""):
        assert words.plain_cell(text) == text


@pytest.mark.parametrize(("column", "index"), [("actor", "audit_log_by_actor"), ("action", "audit_log_by_action")])
async def test_a_filter_that_finds_little_reads_an_index_and_not_the_log(plumbing, an_account, column, index):
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("SET LOCAL enable_seqscan = off")
        await connection.execute("SET LOCAL enable_bitmapscan = off")
        cursor = await connection.execute(
            f"EXPLAIN SELECT * FROM audit_log WHERE account_id = %s AND {column} = 'nobody' "
            "ORDER BY at DESC, account_id, sequence DESC LIMIT 201",
            (an_account.account_id,),
        )
        plan = "\n".join(str(row["QUERY PLAN"]) for row in await cursor.fetchall())
    assert f"Index Scan Backward using {index}" in plan
    parts = [line for line in plan.splitlines() if " Scan " in line]
    assert all(index in line or f"_{column}_at_" in line for line in parts), plan  # in each part's own index
    assert "->  Sort" not in plan
