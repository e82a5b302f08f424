"""One attempt against a real HTTPS receiver on loopback."""

import asyncio
import contextlib
import re
import socket
import threading
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver
from standardwebhooks import Webhook, WebhookVerificationError

from tests.support.receiver import a_receiver
from truename.privacy.personal_data import Goes
from truename.webhooks.addresses import LOOPBACK, AllowList
from truename.webhooks.names import AT_ONCE as NAMES_AT_ONCE
from truename.webhooks.schedule import JITTER, WAITS, next_wait
from truename.webhooks.send import Guard, Sender, shared_sender
from truename.webhooks.sign import signed_headers

SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY"
OLD_SECRET = "whsec_" + "WFdWVVRTUlFQT05NTEtKSUhHRkVEQ0JB"
BODY = '{"type":"transaction.approved"}'


class LeadsTo(AbstractResolver):
    """A resolver of our own: every name leads to one address, without asking anyone."""

    def __init__(self, address: str) -> None:
        self.address = address

    async def resolve(self, host, port=0, family=socket.AF_UNSPEC):
        kind = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        return [{"hostname": host, "host": self.address, "port": port, "family": kind, "proto": 0, "flags": 0}]

    async def close(self) -> None:
        pass


@pytest.fixture
async def receiver(tmp_path):
    async with a_receiver(tmp_path) as receiver:
        yield receiver


def headers(*secrets: str) -> dict[str, str]:
    return signed_headers("evt_1", datetime.now(UTC), BODY, secrets or (SECRET,))


async def test_a_delivery_verifies_with_the_standard_library_of_receivers(receiver):
    attempt = await Sender(receiver.ca_file).post(receiver.url, BODY, headers(), LOOPBACK)
    assert (attempt.outcome, attempt.status_code) == ("DELIVERED", 204)
    [got] = receiver.received
    assert Webhook(SECRET).verify(got.body, got.headers) == {"type": "transaction.approved"}
    with pytest.raises(WebhookVerificationError):
        Webhook(OLD_SECRET).verify(got.body, got.headers)


async def test_while_a_secret_rotates_both_verify(receiver):
    await Sender(receiver.ca_file).post(receiver.url, BODY, headers(SECRET, OLD_SECRET), LOOPBACK)
    [got] = receiver.received
    for secret in (SECRET, OLD_SECRET):
        assert Webhook(secret).verify(got.body, got.headers)


async def test_loopback_is_refused_unless_it_was_opened(receiver):
    attempt = await Sender(receiver.ca_file).post(receiver.url, BODY, headers(), AllowList())
    assert attempt.outcome == "ADDRESS_FORBIDDEN"
    assert receiver.received == []


async def test_a_public_name_that_leads_to_loopback_is_refused_at_the_connection(receiver):
    port = receiver.url.split(":")[2].split("/")[0]
    sender = Sender(receiver.ca_file, resolver=lambda: LeadsTo("127.0.0.1"))
    attempt = await sender.post(f"https://hooks.example.com:{port}/hook", BODY, headers(), AllowList())
    assert attempt.outcome == "ADDRESS_FORBIDDEN"
    assert receiver.received == []


@pytest.mark.parametrize("where", ["10.0.0.7", "169.254.169.254", "::ffff:10.0.0.1", "fe80::1%lo", "64:ff9b::a00:1"])
def test_the_guard_makes_no_socket_for_a_forbidden_address(where):
    guard = Guard(AllowList(), name_is_open=False)
    with pytest.raises(PermissionError):
        guard((socket.AF_INET, socket.SOCK_STREAM, 6, "", (where, 443)))
    assert guard.refused


async def test_a_redirect_is_not_followed(receiver):
    receiver.answer_next(web.Response(status=302, headers={"Location": receiver.url}))
    attempt = await Sender(receiver.ca_file).post(receiver.url, BODY, headers(), LOOPBACK)
    assert (attempt.outcome, attempt.status_code) == ("REFUSED_BY_RECEIVER", 302)
    assert len(receiver.received) == 1


async def test_gone_and_retry_after_are_understood(receiver):
    receiver.answer_next(web.Response(status=410), web.Response(status=503, headers={"Retry-After": "120"}))
    sender = Sender(receiver.ca_file)
    assert (await sender.post(receiver.url, BODY, headers(), LOOPBACK)).outcome == "GONE"
    assert (await sender.post(receiver.url, BODY, headers(), LOOPBACK)).retry_after == timedelta(seconds=120)


async def test_a_certificate_of_an_unknown_authority_is_refused(receiver):
    attempt = await Sender().post(receiver.url, BODY, headers(), LOOPBACK)
    assert attempt.outcome == "TLS_FAILED"
    assert receiver.received == []


async def test_a_slow_receiver_times_out(receiver, monkeypatch):
    monkeypatch.setattr("truename.webhooks.send.ANSWER_WITHIN", 0.2)
    receiver.delay = 1.0
    assert (await Sender(receiver.ca_file).post(receiver.url, BODY, headers(), LOOPBACK)).outcome == "TIMED_OUT"


async def test_nobody_listening_is_an_outcome_and_not_a_crash(receiver):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    attempt = await Sender(receiver.ca_file).post(f"https://127.0.0.1:{port}/", BODY, headers(), LOOPBACK)
    assert attempt.outcome == "UNREACHABLE"


def test_the_schedule_is_the_one_that_was_decided():
    for made, wait in enumerate(WAITS):
        chosen = next_wait(made)
        assert chosen is not None
        assert wait <= chosen <= wait * 1.1
    assert next_wait(len(WAITS)) is None
    assert next_wait(1, timedelta(hours=1)) == timedelta(hours=1)
    assert next_wait(1, timedelta(days=90)) == timedelta(hours=24)
    soonest = next_wait(2, timedelta(0))
    assert soonest is not None
    assert soonest >= WAITS[2], "who asks for haste is not told more often than anybody else"


def test_an_event_is_given_up_within_the_days_that_the_list_of_personal_data_names():
    """So long the query of an erased person's address stays; it said four days, whatever the receiver asked for."""
    waits = [wait * (1 + JITTER) for wait in WAITS]
    by_itself, asked_for = sum(waits, timedelta()), timedelta()
    for made in range(1, len(WAITS)):
        wait = next_wait(made, timedelta(days=90))
        assert wait is not None
        asked_for += max(wait, waits[made])
    named = re.findall(r"\b(\d+) (?:days|where)", Goes.WHEN_TOLD)
    assert [by_itself < timedelta(days=int(named[0])), asked_for < timedelta(days=int(named[1]))] == [True, True]


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fd00:ec2::254"])
async def test_localhost_of_a_trial_must_really_be_this_machine(receiver, address):
    """A poisoned resolver could send it anywhere: the name opens the text of the URL, not the connection (S12)."""
    url = receiver.url.replace("127.0.0.1", "localhost")
    poisoned = Sender(receiver.ca_file, resolver=lambda: LeadsTo(address))
    assert (await poisoned.post(url, BODY, headers(), LOOPBACK)).outcome == "ADDRESS_FORBIDDEN"
    honest = Sender(receiver.ca_file, resolver=lambda: LeadsTo("127.0.0.1"))
    assert (await honest.post(url, BODY, headers(), LOOPBACK)).outcome == "DELIVERED"


@pytest.mark.parametrize(
    ("words", "wait"),
    [
        ("9" * 5000, timedelta(seconds=10**6)),
        ("0" * 5000 + "7", timedelta(seconds=7)),
        ("0", timedelta(0)),
        ("-5", None),
        ("soon", None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", timedelta(0)),
    ],
)
async def test_whatever_a_receiver_says_about_waiting_is_no_fault_of_ours(receiver, words, wait):
    receiver.answer_next(web.Response(status=503, headers={"Retry-After": words}))
    attempt = await Sender(receiver.ca_file).post(receiver.url, BODY, headers(), LOOPBACK)
    assert (attempt.outcome, attempt.retry_after) == ("REFUSED_BY_RECEIVER", wait)


async def test_a_fault_that_nobody_thought_of_is_an_attempt_all_the_same(receiver):
    def broken() -> AbstractResolver:
        raise ZeroDivisionError

    attempt = await Sender(receiver.ca_file, broken).post(receiver.url, BODY, headers(), LOOPBACK)
    assert (attempt.outcome, attempt.error) == ("UNREACHABLE", "ZeroDivisionError")


def test_one_process_reads_the_certificates_once(receiver):
    assert shared_sender(receiver.ca_file) is shared_sender(receiver.ca_file)


async def test_a_line_keeps_its_connection_and_opens_another_where_the_receiver_closed_it_unasked(tmp_path):
    """A server that hangs up after each second answer without a word."""
    answers = 0

    async def serve(reader, writer):
        nonlocal answers
        for _ in range(2):
            if not await reader.readuntil(b"\r\n\r\n"):
                return
            await reader.readexactly(len(BODY))
            answers += 1
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await writer.drain()
        with contextlib.suppress(asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")  # the third is read and never answered
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    async with server, Sender().line(LOOPBACK) as line:
        outcomes = [(await line.post(url, BODY, headers())).outcome for _ in range(5)]
    assert outcomes == ["DELIVERED"] * 5
    assert answers == 5


async def test_a_kept_connection_serves_only_those_who_may_use_it(receiver):
    """What was opened under one account's rules is out of reach for another's."""
    sender = Sender(receiver.ca_file)
    async with sender.line(LOOPBACK) as ours, sender.line(AllowList()) as theirs:
        assert (await ours.post(receiver.url, BODY, headers())).outcome == "DELIVERED"
        assert (await theirs.post(receiver.url, BODY, headers())).outcome == "ADDRESS_FORBIDDEN"
    assert len(receiver.received) == 1


async def test_names_that_nobody_answers_for_keep_nobody_else_waiting(receiver, monkeypatch):
    """Forty of them took all the threads of the process, for half a minute each."""
    monkeypatch.setattr("truename.webhooks.send.ANSWER_WITHIN", 60.0)
    asked, never, look_up = [], threading.Event(), socket.getaddrinfo

    def getaddrinfo(host, *arguments, **options):
        if host.endswith(".silent.example"):
            asked.append(host)
            never.wait(120)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return look_up(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    sender = Sender(receiver.ca_file)
    async with sender.line(AllowList()) as hostile:
        hung = [
            asyncio.create_task(hostile.post(f"https://{number % 40}.silent.example/", BODY, headers()))
            for number in range(60)
        ]
        try:
            async with asyncio.timeout(30):
                while not asked:
                    await asyncio.sleep(0.01)
                assert await asyncio.to_thread(lambda: "done") == "done"
                url = receiver.url.replace("127.0.0.1", "localhost")
                assert (await sender.post(url, BODY, headers(), LOOPBACK)).outcome == "DELIVERED"
            assert len(asked) == NAMES_AT_ONCE, "of one account's so many are looked up at once"
        finally:
            never.set()
        assert {one.outcome for one in await asyncio.gather(*hung)} == {"UNREACHABLE"}
    assert sorted(asked) == sorted(set(asked)), "each name once"


async def test_a_name_that_somebody_else_has_queued_behind_silent_ones_is_looked_up_at_once(receiver, monkeypatch):
    """Another account's receiver, asked for behind names that nobody answers for: its own deliveries waited as long."""
    never, look_up = threading.Event(), socket.getaddrinfo

    def getaddrinfo(host, *arguments, **options):
        if host.endswith(".silent.example"):
            never.wait(60)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return look_up(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    sender, url = Sender(receiver.ca_file), receiver.url.replace("127.0.0.1", "localhost")
    silent = [f"https://{number}.silent.example/" for number in range(NAMES_AT_ONCE)]
    async with sender.line(LOOPBACK) as hostile:
        hung = [asyncio.create_task(hostile.post(one, BODY, headers())) for one in [*silent, url]]
        try:
            await asyncio.sleep(0.1)
            async with asyncio.timeout(5):
                assert (await sender.post(url, BODY, headers(), LOOPBACK)).outcome == "DELIVERED"
        finally:
            never.set()
        assert [one.outcome for one in await asyncio.gather(*hung)] == ["UNREACHABLE"] * NAMES_AT_ONCE + ["DELIVERED"]
