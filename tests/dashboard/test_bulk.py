"""Several transactions at once: handed on, put back, sent again, exported; never decided."""

import re

import pytest

from tests.support.dashboard import an_operator, signed_in
from tests.support.reviews import waiting_for_review
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.dashboard.forms import csrf_token
from truename.operators.model import Role
from truename.reviews.queue import take, take_next

LIST = "/dashboard/transactions"


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana <b>")


@pytest.fixture
async def ben(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.REVIEWER}, name="Ben")


async def bulk(desk, act, ids, **more):
    """Send the form with several rows ticked; answers status, text and where it leads."""
    fields = [("csrf", csrf_token(desk.token)), ("act", act), *(("ids", str(one)) for one in ids), *more.items()]
    async with desk.http.post(f"{LIST}/bulk", data=fields, allow_redirects=False) as answer:
        return answer.status, await answer.text(), answer.headers.get("Location")


async def test_cases_are_handed_to_somebody_who_gets_them_first_and_put_back(
    plumbing, live_server, an_account, ana, ben
):
    first, second, third = await waiting_for_review(plumbing, an_account, 3)
    new = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    account_id = an_account.account_id
    async with signed_in(plumbing, live_server, ana) as desk:
        status, _, place = await bulk(
            desk, "assign", [second, new], assignee=str(ben.operator_id), query="status=IN_REVIEW&cols=status.holder"
        )
        assert (status, place) == (303, f"{LIST}?status=IN_REVIEW&cols=status.holder")
        _, page = await desk.get(place)
        assert "Handed on: 1." in page
        assert page.count("for <bdi>Ben</bdi>") >= 1
        assert "Gravest issue</th>" not in page
        assert (await bulk(desk, "assign", [first], assignee=str(new)))[0] == 400
        assert (await bulk(desk, "approve", [first]))[0] == 400
        assert (await bulk(desk, "release", []))[0] == 400
    async with plumbing.database.account(account_id) as connection:
        hers, his = [await take_next(connection, account_id, person.actor) for person in (ana, ben)]
        assert hers is not None and his is not None  # noqa: PT018
        assert (hers.transaction_id, his.transaction_id) == (first, second), "the second was handed to him"
        await take(connection, account_id, "operator:somebody", third)
    async with signed_in(plumbing, live_server, ben) as desk:
        assert (await bulk(desk, "assign", [third], assignee=str(ana.operator_id)))[0] == 403
        await bulk(desk, "release", [first, second, third])
        _, page = await desk.get(LIST)
        assert "Put back into the queue: 1." in page, "a reviewer puts back what is his own"
        assert (await bulk(desk, "resend", [first]))[0] == 403
    async with signed_in(plumbing, live_server, ana) as desk:
        await bulk(desk, "release", [first, second, third])
        assert "Put back into the queue: 2." in (await desk.get(LIST))[1]
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute("SELECT action FROM audit_log WHERE action ~ '^review' ORDER BY sequence")
        acts = [row["action"] for row in await cursor.fetchall()]
    assert (acts.count("review.assigned"), acts.count("review.released")) == (1, 3)


async def test_the_last_webhook_of_each_chosen_row_goes_out_again_and_rows_are_exported(
    plumbing, live_server, an_account, ana
):
    customer = await a_customer(plumbing, an_account)
    told = await a_transaction(
        plumbing, an_account, customer, config={"webhook": {"url": "https://hooks.example.com/x"}}
    )
    await submitted(plumbing, an_account, told)
    untold = await a_transaction(plumbing, an_account, customer)
    async with signed_in(plumbing, live_server, ana) as desk:
        await bulk(desk, "resend", [told, untold])
        assert "On their way again: 1." in (await desk.get(LIST))[1]
        status, text, _ = await bulk(desk, "export", [untold, told])
        assert status == 200
        assert {line.partition(",")[0] for line in text.splitlines()[1:]} == {str(told), str(untold)}
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT action, details FROM audit_log WHERE action IN ('webhook_event.redelivered', "
            "'transaction.list_exported') ORDER BY sequence"
        )
        lines = [(row["action"], row["details"]) for row in await cursor.fetchall()]
    assert [action for action, _ in lines] == ["webhook_event.redelivered", "transaction.list_exported"]
    assert lines[1][1] == {"fields": "chosen rows", "count": 2}


async def test_columns_are_kept_with_a_view_and_each_view_says_how_many_it_has(plumbing, live_server, an_account, ana):
    await waiting_for_review(plumbing, an_account, 2)
    query = "status=IN_REVIEW&cols=document.decided_by"
    async with signed_in(plumbing, live_server, ana) as desk:
        place = await desk.post_for_location(f"{LIST}/views", name="Narrow", query=query)
        assert place == f"{LIST}?{query}"
        _, page = await desk.get(f"{LIST}?status=IN_REVIEW&cols=document&cols=decided_by&cols=nonsense")
        heads = re.findall(r'<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]*)', page)
        assert [head.strip(" ↓") for head in heads if head.strip()] == [
            *("Transaction", "Document", "Decided by", "Created")
        ]
        assert f'data-count="{query.replace("&", "&amp;")}"' in page, "the view's chip waits for its number"
        _, counts = await desk.get(f"{LIST}/count?views=1")
    counted = dict(re.findall(r'data-of="([^"]*)">([^<]*)<', counts))
    assert counted["here"] == "2"
    assert counted[query.replace("&", "&amp;")] == "2"
    assert counted["stuck=1"] == "0"
