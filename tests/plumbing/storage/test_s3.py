"""Pictures in a bucket, against a real S3 server, and what happens when it stumbles, crawls, refuses us or is gone."""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import aiohttp
import obstore
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from obstore.exceptions import PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from tests.support.analyses import run as analysed
from tests.support.analyses import status_of
from tests.support.api import CUSTOMER, JPEG, b64, person_id, problem
from tests.support.faulty_network import Says, Shortened, a_faulty_network
from tests.support.loopback import serving
from tests.support.people import JPEG as PLAIN
from tests.support.people import a_verified_person, key_of, left_of
from tests.support.s3 import KEYS, an_s3_server
from tests.support.transactions import a_customer, a_transaction, store_capture, submitted
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.api.app import create_app
from truename.cli.doors import application
from truename.media.orphans import sweep_orphans
from truename.media.pictures import MediaKind, open_picture, store_picture
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import SettingsError, load_settings
from truename.plumbing.storage import objects as objects_module
from truename.plumbing.storage.objects import NoSuchObject, NoSuchStore, Objects, StorageUnavailable
from truename.privacy.erase import erase
from truename.wiring import load_jobs

TRIES = 1 + 4
"""A request, and how often it is repeated at most."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with an_s3_server(tmp_path_factory.mktemp("s3") / "server") as one:
        yield one


@pytest.fixture
def keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def impatient(monkeypatch):
    """The same rules, in tenths of a second."""
    monkeypatch.setattr(objects_module, "PATIENCE", {"timeout": timedelta(seconds=0.5)})
    soon = {"init_backoff": timedelta(milliseconds=10), "max_backoff": timedelta(milliseconds=20), "base": 2}
    monkeypatch.setattr(objects_module, "RETRIES", {**objects_module.RETRIES, "backoff": soon})


@pytest.fixture
def on_s3(server, keys, plumbing):
    """The plumbing with its pictures in a bucket of this test's own."""
    bucket = f"test-{time.monotonic_ns()}"
    return Plumbing(plumbing.settings, plumbing.database, Objects(server.url(bucket)), plumbing.vault)


@pytest.mark.slow
async def test_what_was_put_comes_back_from_under_its_prefix_until_it_is_deleted(server, keys):
    objects, whole = Objects(server.url("first", "a/b")), Objects(server.url("first", ""))
    await objects.put_all({f"x/{number}": bytes([number]) * 3_000_000 for number in range(3)})
    assert await objects.get("x/2") == b"\x02" * 3_000_000
    await objects.put("x/2", b"new")
    assert await objects.get("x/2") == b"new"
    listed = {found.key async for chunk in objects.list("x/") for found in chunk}
    assert listed == {"x/0", "x/1", "x/2"}
    assert {found.key async for chunk in whole.list() for found in chunk} == {f"a/b/{key}" for key in listed}
    await objects.delete("x/2")
    await objects.delete("x/2")
    with pytest.raises(NoSuchObject):
        await objects.get("x/2")
    await objects.check()


@pytest.mark.slow
async def test_a_picture_is_sealed_in_the_bucket_swept_when_lost_and_gone_after_an_erasure(server, on_s3, an_account):
    load_jobs()
    person = await a_verified_person(on_s3, an_account)
    key = await key_of(on_s3, an_account, person.customer_id)
    own = an_account.account_id, person.customer_id, person.transaction_id
    first = person.pictures[0]
    assert PLAIN not in await on_s3.objects.get(first.object_key)
    assert await open_picture(on_s3.objects, key, first.media_id, first.object_key) == PLAIN
    lost = await store_picture(on_s3.objects, key, *own, MediaKind.DOCUMENT_FRONT, PLAIN, 1, 1)
    await asyncio.sleep(1.1)  # the bucket tells the age in seconds
    assert await sweep_orphans(on_s3, timedelta(0)) == 1
    with pytest.raises(NoSuchObject):
        await on_s3.objects.get(lost.object_key)
    async with on_s3.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, person.customer_id, actor="test")
    assert "objects" in await left_of(on_s3, an_account, person)
    await run_pending(on_s3)
    assert await left_of(on_s3, an_account, person) == set()


@pytest.mark.slow
async def test_wrong_credentials_are_said_as_such_and_not_as_a_missing_picture(server, keys, monkeypatch):
    await Objects(server.url("shut")).put("a", b"x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    stranger = Objects(server.url("shut"))
    for work in (stranger.put("a", b"y"), stranger.get("a"), stranger.delete("a")):
        with pytest.raises(StorageUnavailable, match="refuses our credentials"):
            await work
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["AWS_SECRET_ACCESS_KEY"])
    assert await Objects(server.url("shut")).get("a") == b"x"


@pytest.mark.slow
async def test_a_store_that_stumbles_is_asked_again_and_one_that_stays_down_is_said(server, keys, impatient):
    async with a_faulty_network(server.endpoint) as way:
        objects = Objects(server.url("stumbles", endpoint=way.address))
        way.once += [("/stumbles", Says(500)), ("/stumbles", Says(503))]
        await objects.put("a", b"x")
        assert len(way.passed) == 3
        way.faults["/stumbles"] = Says(500)
        for work in (objects.put("b", b"x"), objects.get("a"), objects.delete("a")):
            with pytest.raises(StorageUnavailable, match="500"):
                await work
        assert len(way.passed) == 3 + 3 * TRIES, "it is asked again, and not for ever"
        way.faults.clear()
        assert await objects.get("a") == b"x"
        way.passed.clear()
        free = way.hold("/stumbles")
        with pytest.raises(StorageUnavailable):
            await objects.get("a")  # slower than our patience
        assert len(way.passed) == TRIES, "each time our patience is over it is asked again"
        free.set()
        assert await objects.get("a") == b"x"
    with pytest.raises(StorageUnavailable):
        await objects.get("a")  # nobody is there


@pytest.mark.slow
async def test_an_answer_that_breaks_off_is_never_taken_for_the_picture(server, keys, impatient):
    whole = bytes(range(256)) * 2000
    async with a_faulty_network(server.endpoint) as way:
        objects = Objects(server.url("breaks", endpoint=way.address))
        await objects.put("a", whole)
        way.faults["/breaks"] = Shortened()
        with pytest.raises(StorageUnavailable):
            await objects.get("a")
        way.faults.clear()
        assert await objects.get("a") == whole


@pytest.mark.slow
async def test_what_cannot_be_thrown_away_now_is_left_to_the_sweep_and_stops_nobody(server, keys, impatient):
    async with a_faulty_network(server.endpoint) as way:
        objects = Objects(server.url("loose", endpoint=way.address))
        await objects.put_all({"a": b"x", "b": b"y"})
        way.once += [("/loose", Says(500))] * TRIES
        await objects.discard(["a", "b"])
        assert [found.key async for chunk in objects.list() for found in chunk] == ["a"]


@pytest.mark.slow
async def test_a_bucket_that_is_missing_is_not_taken_for_pictures_that_are(server, keys, impatient):
    missing = Objects(server.url(f"missing-{time.monotonic_ns()}"))
    for work in (missing.get("a"), missing.delete("a")):
        with pytest.raises(NoSuchStore, match="bucket of pictures does not exist"):
            await work
    with pytest.raises(StorageUnavailable):
        [found async for found in missing.list()]
    with pytest.raises(NoSuchStore):
        await missing.answers()
    await missing.check()  # this server makes a bucket with its first object; others would refuse to
    with pytest.raises(NoSuchObject):
        await missing.get("a")
    async with a_faulty_network(server.endpoint) as way:
        objects = Objects(server.url("proxied", endpoint=way.address))
        await objects.put("a", b"x")
        way.faults["/proxied"] = Says(404)
        for work in (objects.get("a"), objects.delete("a"), objects.answers()):
            with pytest.raises(StorageUnavailable, match="before the store of pictures answers 404"):
                await work
        refused = "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>"
        way.faults["/proxied"] = Says(404, refused, "application/xml")
        with pytest.raises(StorageUnavailable):
            await objects.answers()  # as a server says it that makes none by itself
        way.faults.clear()
        assert await objects.get("a") == b"x"


@pytest.mark.slow
async def test_a_bucket_that_was_lost_is_told_of_and_not_replaced_by_an_empty_one(server, keys, plumbing, an_account):
    """The question whether all is well must not change anything: in a new bucket every picture would seem deleted."""
    await a_verified_person(plumbing, an_account)  # so that there is a picture somewhere
    own = replace(plumbing, objects=Objects(server.url(f"lost-{time.monotonic_ns()}")))
    async with serving(create_app(own)) as address, aiohttp.ClientSession(address) as caller:
        for _ in range(2):
            assert (await problem(await caller.get("/readyz"), 503))[
                "detail"
            ] == "The store of pictures does not answer."
    with pytest.raises(NoSuchStore):
        await own.objects.get("a")


@pytest.mark.slow
async def test_an_analysis_waits_for_a_bucket_that_is_missing_and_fails_nobody(
    server, keys, impatient, plumbing, an_account
):
    customer = await a_customer(plumbing, an_account)
    one = await a_transaction(plumbing, an_account, customer, "DOCUMENT_ONLY")
    async with a_faulty_network(server.endpoint) as way:
        objects = Objects(server.url("waits", endpoint=way.address))
        own = Plumbing(plumbing.settings, plumbing.database, objects, plumbing.vault)
        await store_capture(own, an_account, customer, one, "DOCUMENT_FRONT", [(JPEG, None, 0)])
        await submitted(own, an_account, one)
        way.faults["/waits"] = Says(404)
        with pytest.raises(StorageUnavailable) as raised:
            await analysed(own, an_account, one)
        assert is_outage(raised.value), "no attempt is counted"
        way.faults.clear()
        await analysed(own, an_account, one)
        assert await status_of(own, an_account, one) == "REJECTED"
        await own.decoders.close()


@pytest.mark.slow
async def test_while_the_store_is_away_a_caller_is_asked_to_come_again_and_nothing_is_kept(
    server, keys, impatient, plumbing, an_account
):
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, SCOPES)
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": person_id()}
    body = {"external_customer_id": person_id(), "face_reference_image": b64(JPEG)}
    await Objects(server.url("away")).check()  # the bucket is there
    async with a_faulty_network(server.endpoint) as way:
        objects = Objects(server.url("away", endpoint=way.address))
        own = Plumbing(plumbing.settings, plumbing.database, objects, plumbing.vault)
        async with serving(application(own)) as address, aiohttp.ClientSession(address, headers=headers) as caller:
            way.faults["/away"] = Says(500)
            async with caller.post(CUSTOMER, json=body) as answer:
                told = await problem(answer, 503)
                assert (told["code"], answer.headers["Retry-After"]) == ("not_ready", "5")
                assert told["detail"] == "The store of pictures does not answer."
            async with caller.get("/readyz") as answer:
                assert (await problem(answer, 503))["detail"] == "The store of pictures does not answer."
            way.faults.clear()
            async with caller.get("/readyz") as answer:
                assert answer.status == 200
            async with caller.post(CUSTOMER, json=body) as answer:
                assert answer.status == 201, await answer.text()
        await own.decoders.close()
    keys_left = [found.key async for chunk in Objects(server.url("away")).list() for found in chunk]
    assert len(keys_left) == 1


@pytest.mark.slow
async def test_the_bucket_shows_nothing_to_who_has_no_key(server, keys):
    await Objects(server.url("closed", "")).put("a", b"x")
    told = {"endpoint": server.endpoint, "region": "us-east-1", "client_options": {"allow_http": True}}
    assert bytes(await (await obstore.get_async(S3Store("closed", **told), "a")).bytes_async()) == b"x"
    with pytest.raises((PermissionDeniedError, UnauthenticatedError)):
        await obstore.get_async(S3Store("closed", skip_signature=True, **told), "a")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://key:secret@bucket", "must not hold credentials"),
        ("s3:///prefix", "must name a bucket"),
        ("ftp://bucket", "must be a folder"),
        ("s3://bucket?endpont=http://x", "unknown option endpont"),
        ("s3://bucket?endpoint=storage.example.com", "endpoint that is no address"),
        ("gs://bucket?endpoint=https://x.example", "unknown option endpoint"),
    ],
)
def test_an_address_that_cannot_be_is_said_at_the_start(url, words):
    with pytest.raises(SettingsError, match=words):
        load_settings(storage_url=url)


async def test_a_store_that_gives_back_other_bytes_than_it_was_given_is_found_out(keys):
    """As one behind a cache, or one whose disk lies: what it takes is not what it keeps."""

    async def answer(request: web.Request) -> web.Response:
        told = {"ETag": '"one"', "Last-Modified": "Tue, 17 Nov 2026 20:00:00 GMT"}
        return web.Response(body=b"another" if request.method == "GET" else b"", headers=told)

    forgetful = web.Application()
    forgetful.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(forgetful) as store:
        address = f"s3://pictures/of/tests?endpoint={str(store.make_url('')).rstrip('/')}&region=eu-central-1"
        with pytest.raises(OSError, match="other bytes"):
            await Objects(address).check()
