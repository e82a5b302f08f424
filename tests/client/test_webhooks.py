"""Does verify_webhook believe what the service sends, while a secret is rotated too, and nothing else?"""

import dataclasses
import json
import time
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook

import truename_client
from tests.support.receiver import a_receiver
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.worker import run_pending
from truename.wiring import load_jobs
from truename_client import WebhookNotVerified, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
EVENT = {
    "type": "transaction.approved",
    "timestamp": "2026-11-15T10:00:00Z",
    "data": {
        "transaction_id": str(new_id()),
        "customer_id": str(new_id()),
        "external_customer_id": "Ærø-4711",
        "transaction_type": "DOCUMENT_ONLY",
        "status": "APPROVED",
        "previous_status": "PROCESSING",
        "sequence": 3,
    },
}
BODY = json.dumps(EVENT, ensure_ascii=False).encode()


def signed(body: bytes = BODY, *secrets: str, age: float = 0) -> dict[str, str]:
    sent = datetime.now(UTC) - timedelta(seconds=age)
    return {
        "Webhook-Id": "msg_1",
        "webhook-timestamp": str(int(sent.timestamp())),
        "WEBHOOK-SIGNATURE": " ".join(Webhook(one).sign("msg_1", sent, body.decode()) for one in secrets or [SECRET]),
    }


async def test_what_the_service_sends_is_believed_while_its_secret_is_rotated_too(
    truename, plumbing, an_account, tmp_path
):
    load_jobs()
    async with a_receiver(tmp_path) as receiver:
        trusting = plumbing.settings.model_copy(update={"webhook_ca_file": receiver.ca_file})
        house = dataclasses.replace(plumbing, settings=trusting)
        customer = (await truename.customers.create("Ærø-4711")).customer_id
        opened = await truename.transactions.create(customer, "DOCUMENT_ONLY", {"webhook": {"url": receiver.url}})
        await truename.transactions.cancel(opened.transaction_id)
        await run_pending(house)
        (got,) = receiver.received
        event = verify_webhook(got.headers, got.body.encode(), an_account.webhook_secret)
        assert (event.type, event.data.transaction_id) == ("transaction.cancelled", opened.transaction_id)
        assert event.data.external_customer_id == "Ærø-4711"

        (listed,) = [one async for one in truename.webhook_events.list(transaction_id=opened.transaction_id)]
        whole = await truename.webhook_events.get(listed.event_id)
        assert (listed.event_id, listed.state, whole.log[0].outcome) == (event.id, "DELIVERED", "DELIVERED")
        assert whole.body.data == event.data

        new = (await truename.webhook_events.rotate_secret()).webhook_secret
        await truename.webhook_events.redeliver(listed.event_id)
        await run_pending(house)
        again = receiver.received[-1]
        for secret in (new, an_account.webhook_secret, [new, an_account.webhook_secret]):
            assert verify_webhook(list(again.headers.items()), again.body.encode(), secret).id == event.id
        with pytest.raises(WebhookNotVerified):
            verify_webhook(got.headers, got.body.encode(), new)


def test_the_new_and_the_old_secret_are_both_good_for_either_signature():
    for used in (SECRET, OLD):
        assert verify_webhook(signed(BODY, used), BODY, [SECRET, OLD]).data.sequence == 3
    assert verify_webhook(signed(BODY, OLD, SECRET), BODY, SECRET).timestamp == datetime(2026, 11, 15, 10, tzinfo=UTC)


def refused(headers, body=BODY, secret=SECRET) -> str:
    with pytest.raises(WebhookNotVerified) as refusal:
        verify_webhook(headers, body, secret)
    return str(refusal.value)


def test_nothing_else_is_believed():
    assert "No signature fits" in refused(signed(), BODY.replace(b"APPROVED", b"REJECTED"))
    assert "No signature fits" in refused(signed(), secret=OLD)
    assert "No signature fits" in refused({**signed(), "webhook-signature": "v1,", "WEBHOOK-SIGNATURE": "v2,abc v1a,é"})
    assert "No signature fits" in refused({**signed(), "Webhook-Id": "msg_2"})
    assert "too old" in refused(signed(age=301))
    assert "too old" in refused(signed(age=-301))
    assert "missing" in refused({})
    assert "no number" in refused({**signed(), "webhook-timestamp": "١٢٣"})
    later = {**signed(age=301), "webhook-timestamp": str(int(time.time()))}
    assert "No signature fits" in refused(later)
    for body in (b"[]", b'{"type": "transaction.approved"}', b"nonsense"):
        assert "no event" in refused(signed(body), body)


def test_a_field_of_a_newer_service_does_no_harm():
    body = json.dumps({**EVENT, "moon": "full", "type": "transaction.lunatic"}).encode()
    assert str(verify_webhook(signed(body), body, SECRET).type) == "transaction.lunatic"


@pytest.mark.parametrize(
    ("body", "secret"),
    [("text", SECRET), ({}, SECRET), (BODY, "whsec_é"), (BODY, ""), (BODY, []), (BODY, [SECRET, ""])],
)
def test_a_wrong_use_is_told_from_a_forgery(body, secret):
    with pytest.raises(truename_client.BadArgument, match=r"body|secret"):
        verify_webhook(signed(), body, secret)
