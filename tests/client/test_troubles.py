"""What the Python client does when the network, the service or its caller errs."""

import asyncio
import socket
import time

import pytest
from tools.client_models import BASES, SDK_ONLY

import truename_client
from tests.support.api import KYC
from tests.support.faulty_network import Cut, Says
from truename.plumbing.database.ids import new_id
from truename.plumbing.error_codes import PROBLEMS
from truename_client import AsyncTruename, Retry, problems
from truename_client.access import Token
from truename_client.conversation import Reply, refusal_of
from truename_client.errors import class_of_status

FOR_EVER = float("inf")


async def test_an_answer_that_was_lost_is_asked_for_again_and_the_work_is_done_once(truename, network):
    network.once = [(KYC, Cut(after_the_service=True)), (KYC, Cut())]
    made = await truename.customers.create("person-1")
    assert network.passed[1:] == [f"POST {KYC}/customer"] * 3
    found = await truename.customers.find("person-1")
    assert found.customer_id == made.customer_id


async def test_a_busy_or_restarting_service_is_waited_for(truename, network):
    network.once = [(KYC, Says(503)), (KYC, Says(502)), (KYC, Says(429, retry_after=1)), ("/oauth", Cut())]
    began = time.monotonic()
    assert await truename.customers.find("nobody") is None
    assert time.monotonic() - began >= 1
    assert [call.partition("?")[0] for call in network.passed] == [
        "POST /oauth/token",
        "POST /oauth/token",
        *[f"GET {KYC}/customer"] * 4,
    ]


async def test_what_no_waiting_mends_is_raised_at_once(truename, network):
    network.faults = {KYC: Says(429, retry_after=3600)}
    with pytest.raises(truename_client.RateLimited) as long:
        await truename.customers.find("x")
    assert (long.value.retry_after, long.value.code) == (3600, None)
    network.faults = {KYC: Says(500)}
    with pytest.raises(truename_client.ServerFailed):
        await truename.customers.find("x")
    assert len(network.passed) == 3


async def test_a_service_that_is_not_there_is_said_so_after_all_attempts(truename, network):
    network.faults = {KYC: Cut()}
    with pytest.raises(truename_client.ConnectionFailed, match="attempt 5"):
        await truename.customers.find("x")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        where = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        async with AsyncTruename(where, "client", "secret", retry=Retry(attempts=2, first_pause=0.01)) as lost:
            with pytest.raises(truename_client.ConnectionFailed, match="/oauth/token"):
                await lost.customers.find("x")


async def test_somebody_elses_page_is_not_taken_for_an_answer(truename, network):
    network.faults = {KYC: Says(200)}
    with pytest.raises(truename_client.UnexpectedAnswer, match="base_url"):
        await truename.customers.find("x")
    network.faults = {KYC: Says(200, body='{"data": 5}', kind="application/json")}
    with pytest.raises(truename_client.UnexpectedAnswer, match="CustomerList"):
        await truename.customers.find("x")


async def test_a_token_is_fetched_once_for_all_and_renewed_before_it_expires(truename, network):
    await asyncio.gather(*(truename.customers.find("x") for _ in range(5)))
    assert network.passed.count("POST /oauth/token") == 1
    truename._token = Token(truename._token.value, time.monotonic())
    await truename.customers.find("x")
    assert network.passed.count("POST /oauth/token") == 2


async def test_a_token_that_is_refused_is_renewed_once(truename, network):
    truename._token = Token("eyJhbGciOiJFZERTQSJ9.e30.e30", FOR_EVER)
    await truename.customers.find("x")
    assert network.passed.count("POST /oauth/token") == 1
    assert len(network.passed) == 3
    network.faults = {KYC: Says(401)}
    with pytest.raises(truename_client.Unauthorized):
        await truename.customers.find("x")
    assert len(network.passed) == 6


async def test_every_fault_of_a_request_is_told_with_its_pointer(truename):
    customer = (await truename.customers.create(str(new_id()))).customer_id
    wrong = {"transaction_ttl_minutes": 0, "biometric_polcy": {}}
    with pytest.raises(problems.ValidationFailed) as refused:
        await truename.transactions.create(customer, "DOCUMENT_ONLY", wrong)
    error = refused.value
    assert set(error.pointers) == {"/config/transaction_ttl_minutes", "/config/biometric_polcy"}
    assert {fault.code for fault in error.errors} == {"number_out_of_range", "field_unknown"}
    assert (error.status, error.code) == (400, "validation_failed")
    assert error.request_id is not None
    assert error.request_id in str(error)
    assert "biometric_policy" in str(error)


BAD = {
    "customer_id": lambda t: t.customers.get("person-1"),
    "external_customer_id": lambda t: t.customers.create(" "),
    "face_reference_image": lambda t: t.customers.create("x", face_reference_image=b"GIF89a"),
    "at most 4,194,304": lambda t: t.customers.create("x", face_reference_image=b"\xff\xd8\xff" + bytes(4 << 20)),
    "Nothing is to be changed": lambda t: t.customers.change(str(new_id())),
    "status": lambda t: t.customers.set_status(str(new_id()), "GONE", "why"),
    "transaction_type": lambda t: t.transactions.create(str(new_id()), "PASSPORT"),
    "config": lambda t: t.transactions.create(str(new_id()), "DOCUMENT_ONLY", {"a": float("nan")}),
    "created_after": lambda t: t.transactions.list(created_after=__import__("datetime").datetime(2026, 1, 1)),
    "page_size": lambda t: t.transactions.list(page_size=101),
    "timeout": lambda t: t.transactions.wait(str(new_id()), timeout=-1),
    "scopes": lambda t: t.clients.add("shop", "admin"),
    "client_id": lambda t: t.clients.revoke("../clients"),
    "event_id": lambda t: t.webhook_events.get(""),
}


@pytest.mark.parametrize("words", BAD)
async def test_a_bad_argument_is_refused_by_its_name_before_anything_is_sent(truename, network, words):
    with pytest.raises(truename_client.BadArgument, match=words):
        await BAD[words](truename)
    assert network.passed == []


@pytest.mark.parametrize(
    "address", ["kyc.example.com", "ftp://kyc.example.com", "http://kyc.example.com", "https://a:b@kyc.example.com", ""]
)
def test_an_address_that_cannot_be_or_would_show_the_secret_is_refused(address):
    with pytest.raises(truename_client.BadArgument, match="base_url"):
        truename_client.Truename(address, "client", "secret")


def test_plain_http_to_another_machine_can_be_allowed():
    truename_client.Truename("http://truename:8000/", "client", "secret", allow_plain_http=True).close()


@pytest.mark.parametrize("code", [code for code in PROBLEMS if not SDK_ONLY.match(code)])
def test_every_code_has_an_exception_of_its_own_below_that_of_its_status(code):
    row = PROBLEMS[code]
    error = refusal_of(Reply(row.status, {}, b'{"code": "%s"}' % code.encode()))
    assert error.code_of_class == code or type(error) is class_of_status(row.status)
    assert isinstance(error, class_of_status(row.status))
    assert class_of_status(row.status).__name__ == BASES.get(row.status, "ApiError")


def test_a_code_of_a_newer_service_is_an_error_of_its_status():
    error = refusal_of(Reply(409, {}, b'{"code": "moon_is_full"}'))
    assert (type(error), error.code) == (truename_client.Conflict, "moon_is_full")
