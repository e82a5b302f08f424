"""Customers in the dashboard: found, read with a trace, moved, shown, erased with a receipt."""

import base64
import re

from tests.support.dashboard import a_session, an_operator, signed_in
from tests.support.dashboard_numbers import history
from tests.support.faces import framed_still
from tests.support.reviews import waiting_for_review
from tests.support.transactions import a_customer, a_transaction
from truename.operators.model import Role
from truename.reviews.queue import take
from truename.vision.images import encode_jpeg


async def lines_of(plumbing, account_id, action) -> list[dict]:
    async with plumbing.database.account(account_id) as connection:
        cursor = await connection.execute(
            "SELECT actor, subject, details FROM audit_log WHERE action = %s ORDER BY sequence", (action,)
        )
        return [dict(row) for row in await cursor.fetchall()]


async def test_a_customer_is_found_read_moved_and_erased_and_each_step_is_written_down(
    plumbing, live_server, an_account, another_account
):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")
    customer_id = await a_customer(plumbing, an_account, email="person@example.com")
    transaction_id = await a_transaction(plumbing, an_account, customer_id)
    async with signed_in(plumbing, live_server, ana) as desk:
        status, page = await desk.get("/dashboard/customers")
        assert status == 200
        assert str(customer_id) in page
        assert "person@example.com" not in page
        async with desk.http.get(f"/dashboard/search?q={customer_id}", allow_redirects=False) as answer:
            assert answer.headers["Location"] == f"/dashboard/customers/{customer_id}"
        async with desk.http.get(f"/dashboard/search?q={transaction_id}", allow_redirects=False) as answer:
            assert answer.headers["Location"] == f"/dashboard/transactions/{transaction_id}"
        assert (await desk.get("/dashboard/search?q=nobody"))[0] == 404

        path = f"/dashboard/customers/{customer_id}"
        status, page = await desk.get(path)
        assert status == 200
        assert "person@example.com" in page
        assert str(transaction_id) in page
        read = (await lines_of(plumbing, an_account.account_id, "customer.read"))[-1]
        assert (read["actor"], read["subject"]) == (ana.actor, f"customer:{customer_id}")

        assert (await desk.post(f"{path}/status", status="BLOCKED", reason=""))[0] == 400
        await desk.post_for_location(f"{path}/status", status="BLOCKED", reason="Chargeback <b>of</b> three orders")
        page = (await desk.get(path))[1]
        assert "Active → <strong>Blocked</strong>" in page
        assert "Chargeback &lt;b&gt;of&lt;/b&gt; three orders" in page
        assert "Ana" in page

        assert (await desk.post(f"{path}/erase", confirm="zzzz"))[0] == 400
        status, page = await desk.post(f"{path}/erase", confirm=str(customer_id)[-4:])
        assert status == 200
        receipt = (await lines_of(plumbing, an_account.account_id, "customer.erased"))[-1]["details"]["receipt_id"]
        assert receipt in page
        status, page = await desk.get(path)
        assert status == 200
        assert receipt in page
        assert "person@example.com" not in page
        assert "Chargeback" not in page
        assert (await desk.post(f"{path}/erase", confirm=str(customer_id)[-4:]))[0] == 404

    bob = await an_operator(plumbing, {another_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, bob) as desk:
        assert (await desk.get(path))[0] == 404


async def test_a_face_is_shown_to_this_session_only_and_for_a_minute(plumbing, live_server, an_account, monkeypatch):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    picture = base64.b64encode(encode_jpeg(framed_still())).decode()
    customer_id = await a_customer(plumbing, an_account, face_reference_image=picture)
    async with signed_in(plumbing, live_server, ana) as desk:
        path = f"/dashboard/customers/{customer_id}"
        assert "<img" not in (await desk.get(path))[1]
        assert await lines_of(plumbing, an_account.account_id, "media.read") == []
        (address,) = re.findall(r'<img class="portrait" src="([^"]+)"', (await desk.get(f"{path}?face=1"))[1])
        address = address.replace("&amp;", "&")
        async with desk.http.get(address) as answer:
            assert (answer.status, answer.content_type) == (200, "image/jpeg")
            assert "no-store" in answer.headers["Cache-Control"]
        (line,) = await lines_of(plumbing, an_account.account_id, "media.read")
        assert (line["actor"], line["details"]["customer_id"]) == (ana.actor, str(customer_id))
        for other in (address.replace("proof=", "proof=0"), re.sub(r"until=\d+", "until=9999999999", address)):
            assert (await desk.get(other))[0] == 404
        monkeypatch.setattr("truename.dashboard.media_address.LIVES_SECONDS", -1)
        (late,) = re.findall(r'<img class="portrait" src="([^"]+)"', (await desk.get(f"{path}?face=1"))[1])
        assert (await desk.get(late.replace("&amp;", "&")))[0] == 404
        desk.http.cookie_jar.update_cookies({"truename-session": await a_session(plumbing, ana)})
        assert (await desk.get(address))[0] == 404
    assert len(await lines_of(plumbing, an_account.account_id, "media.read")) == 1


async def test_the_list_of_a_customer_names_who_has_a_case_in_hand(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    ben = await an_operator(plumbing, {an_account.account_id: Role.REVIEWER}, name="Ben Okafor")
    customer_id = await a_customer(plumbing, an_account)
    held, _ = await waiting_for_review(plumbing, an_account, 2, customer_id=customer_id)
    async with plumbing.database.account(an_account.account_id) as connection:
        await take(connection, an_account.account_id, ben.actor, held)
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(f"/dashboard/customers/{customer_id}"))[1]
    assert page.count("in the hands of <bdi>Ben Okafor</bdi>") == 1
    row = page.partition(f"/dashboard/transactions/{held}")[2].partition("</tr>")[0]
    assert "in the hands of <bdi>Ben Okafor</bdi>" in row


async def test_the_list_counts_to_a_hundred_transactions_of_each_customer(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    await history(plumbing, an_account, count=130, days=3)
    await waiting_for_review(plumbing, an_account, 2)
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get("/dashboard/customers"))[1]
    assert re.findall(r'data-label="Transactions" class="number">([^<]+)<', page) == ["2", "100+"]
