"""Put canaries in through the real interface, erase, and look everywhere that the list names."""

import base64
import contextlib
import secrets
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
import pytest

from tests.support.api import KYC
from tests.support.collector import collecting
from tests.support.sdk import Phone, a_passport_photo
from tests.support.served import Forked, Served, truename_here
from tests.support.waiting import until
from truename.backup.archive import MEDIA
from truename.plumbing.database.embedded import Embedded
from truename.privacy.personal_data import COLUMNS
from truename.vision.images import encode_jpeg

SEALED = ("email", "phone", "given", "surname", "number", "reason", "device", "model", "agent", "idempotency", "zone")
"""Canaries that are never written anywhere in plain, not even for a moment."""
PLAIN = ("external", "query", "language")
"""Canaries that stand in plain in a table until the erasure: their dead rows stay until the tables are rewritten."""


METRICS = "metrics of canaries"


class Canaries:
    """Words that occur nowhere else."""

    def __init__(self) -> None:
        self.words = {name: f"canary{name}{secrets.token_hex(5)}" for name in (*SEALED, *PLAIN)}
        self.words["phone"] = "+49" + "".join(secrets.choice("123456789") for _ in range(12))
        self.words["number"] = f"CANARY{secrets.token_hex(5).upper()}"
        self.words["email"] += "@example.com"
        self.words["language"] = f"x-{secrets.token_hex(7)}"

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    def found_in(self, data: bytes, names: tuple[str, ...]) -> set[str]:
        """As text, in hexadecimal (as bytea is shown) or in base64."""
        found = set()
        for name in names:
            word = self.words[name].encode()
            forms = (word, word.hex().encode(), *(base64.b64encode(b"x" * pad + word)[4:-4] for pad in range(3)))
            if any(form in data for form in forms):
                found.add(name)
        return found


async def fill(service: Served, canary: Canaries) -> tuple[aiohttp.ClientSession, str, str, str]:
    """A person of whom everything is known; answers the integrator's session and the ids."""
    asking = {
        "grant_type": "client_credentials",
        "client_id": service.credential("client_id"),
        "client_secret": service.credential("client_secret"),
    }
    async with (
        aiohttp.ClientSession(service.url) as session,
        session.post("/oauth/token", data=asking) as answer,
    ):
        token = (await answer.json())["access_token"]
    client = aiohttp.ClientSession(
        service.url, headers={"Authorization": f"Bearer {token}", "User-Agent": canary["agent"]}
    )
    key = {"Idempotency-Key": canary["idempotency"]}
    body: dict[str, Any] = {
        "external_customer_id": canary["external"],
        "email": canary["email"],
        "phone_number": canary["phone"],
        "face_reference_image": base64.b64encode(encode_jpeg(a_passport_photo())).decode(),
    }
    async with client.post(f"{KYC}/customer", json=body, headers=key) as answer:
        assert answer.status == 201, await answer.text()
        customer = (await answer.json())["customer_id"]
    status = {"status": "SUSPICIOUS", "reason": canary["reason"]}
    async with client.post(
        f"{KYC}/customer/{customer}/status", json=status, headers=key | {"Idempotency-Key": "s"}
    ) as a:
        assert canary["email"] in await a.text()
    matching = {
        "given_names": {"value": canary["given"], "similarity_min_score": 0.9},
        "surnames": {"value": canary["surname"], "similarity_min_score": 0.9},
        "document_number": canary["number"],
    }
    config = {
        "webhook": {"url": f"https://127.0.0.1:9/hook?person={canary['query']}"},
        "document_policy": {"data_matching": matching},
        "biometric_policy": {"expected_gender": "FEMALE", "expected_min_age": 31},
    }
    asked = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY", "config": config}
    async with client.post(f"{KYC}/transaction", json=asked, headers={"Idempotency-Key": "t"}) as answer:
        assert answer.status == 201, await answer.text()
        made = await answer.json()
    async with aiohttp.ClientSession(service.url, headers={"User-Agent": canary["agent"]}) as outside:
        phone = Phone(outside, made["sdk_token"])
        consent = {"given": True, "text_version": "2026-11", "language": canary["language"]}
        assert (await phone.call("POST", "/consent", json=consent))[0] == 200
        web = {"user_agent": canary["agent"], "time_zone": canary["zone"]}
        told, answered = await phone.call(
            "POST", "/device", json={"platform": "WEB", "model": canary["model"], "web": web}
        )
        assert told == 204, answered
        assert (await phone.call("POST", "/handoff", json={"device": canary["device"]}))[0] == 201
        told, answered = await phone.document("front", a_passport_photo(), headers={"Idempotency-Key": "d"})
        assert told == 200, answered
    transaction = made["transaction_id"]
    async with client.post(f"{KYC}/transaction/{transaction}/cancel", headers={"Idempotency-Key": "c"}) as answer:
        assert canary["surname"] in await answer.text()
    return client, customer, transaction, token


async def repeated(client: aiohttp.ClientSession, canary: Canaries, customer: str, transaction: str) -> Iterator[str]:
    """Everything that the interface still answers about the person."""
    texts = []
    for method, path, body, key in (
        ("POST", f"/customer/{customer}/status", {"status": "SUSPICIOUS", "reason": canary["reason"]}, "s"),
        ("POST", f"/transaction/{transaction}/cancel", None, "c"),
        ("GET", f"/customer/{customer}", None, ""),
        ("GET", f"/transaction/{transaction}", None, ""),
        ("GET", "/transaction", None, ""),
        ("GET", f"/customer?external_customer_id={canary['external']}", None, ""),
    ):
        headers = {"Idempotency-Key": key} if key else {}
        async with client.request(method, f"{KYC}{path}", json=body, headers=headers) as answer:
            texts.append(await answer.text())
    return iter(texts)


async def refuse(service: Served, token: str, canary: Canaries) -> None:
    """Say everything that is known of the person where it does not belong: each call is refused, and is logged."""
    words, headers = " ".join(canary.words.values()), {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(service.url, headers=headers | {"User-Agent": canary["agent"]}) as client:
        for method, path, sent in (
            ("POST", f"{KYC}/customer", {"data": f'{{"email": "{words}"'}),
            ("POST", f"{KYC}/customer", {"json": {"external_customer_id": words, words: words, "email": words}}),
            ("POST", f"{KYC}/transaction", {"json": {"customer_id": words, "transaction_type": words}}),
            ("GET", f"{KYC}/customer/{canary['surname']}", {"params": {"email": canary["email"]}}),
            ("GET", f"/nowhere/{canary['given']}", {"params": {"person": canary["query"]}}),
            ("POST", "/oauth/token", {"data": {"client_id": canary["email"], "client_secret": canary["number"]}}),
        ):
            kind = {"Content-Type": "application/json"} if isinstance(sent.get("data"), str) else {}
            async with client.request(method, path, headers=kind, **sent) as answer:
                assert 400 <= answer.status < 500, (path, answer.status)


async def measured(service: Served) -> bytes:
    """What Prometheus is told."""
    async with (
        aiohttp.ClientSession(service.url, headers={"Authorization": f"Bearer {METRICS}"}) as session,
        session.get("/metrics") as answer,
    ):
        assert answer.status == 200
        return await answer.read()


def told_by_a_backup(data: Path, file: Path) -> bytes:
    """All that a backup says in plain: its list of contents and sums, and the names in it. Its dump is the tables."""
    done = truename_here(data, "backup", str(file))
    assert done.returncode == 0, done.stderr
    told = [f"{done.stdout} {done.stderr}".encode()]
    with tarfile.open(file) as tar:
        for member in tar:
            told.append(member.name.encode())
            content = tar.extractfile(member)
            if content is not None and (member.name.endswith((".json", "SUMS")) or member.name.startswith(MEDIA)):
                told.append(content.read())
    file.unlink()
    return b"\n".join(told)


def rows_of_everything(url: str) -> dict[str, bytes]:
    """Every table of the list, all of its rows as text."""
    with psycopg.connect(url) as connection:
        return {
            table: "\n".join(
                row[0]
                for row in connection.execute(f"SELECT t::text FROM {table} t").fetchall()  # type: ignore[arg-type,unused-ignore]
            ).encode()
            for table in {row.table for row in COLUMNS}
        }


def files_of(folder: Path) -> dict[Path, bytes]:
    found = {}
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                found[path] = path.read_bytes()
        except OSError:  # a file of the running database that is gone meanwhile
            continue
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_an_erased_person_is_found_nowhere(tmp_path):
    data = tmp_path / "data"
    canary = Canaries()
    everything = (*SEALED, *PLAIN)
    watched = {"TRUENAME_LOG_LEVEL": "debug", "TRUENAME_METRICS_TOKEN": METRICS, "OTEL_BSP_SCHEDULE_DELAY": "500"}
    stack = contextlib.ExitStack()
    collector = stack.enter_context(collecting())
    service = Forked(
        data, TRUENAME_LOG_FORMAT="json", TRUENAME_TRACES_ENDPOINT=collector.url, **watched
    ).wait_until_ready()
    in_words = Forked(data, "--no-worker", TRUENAME_LOG_FORMAT="text", **watched).wait_until_ready()
    embedded = Embedded(data)
    embedded.attach()
    try:
        client, customer, transaction, token = await fill(service, canary)
        for each in (service, in_words):
            await refuse(each, token, canary)
            assert canary.found_in(await measured(each), everything) == set()
        backup = told_by_a_backup(data, tmp_path / "backup")
        assert customer.encode() in backup, "the names of pictures were read"
        assert canary.found_in(backup, everything) == set()
        with psycopg.connect(embedded.url) as connection:
            found = connection.execute("SELECT data_key, account_id FROM customers WHERE customer_id = %s", (customer,))
            wrapped, account = found.fetchone() or (b"", None)
        pictures = data / "media" / str(account) / customer
        assert len([path for path in pictures.rglob("*") if path.is_file()]) == 2
        before = rows_of_everything(embedded.url)
        assert canary.found_in(before["customers"], everything) == {"external"}
        assert canary.found_in(before["transactions"], everything) == {"query"}
        assert canary.found_in(before["webhook_events"], everything) == {"external", "query"}
        assert canary.found_in(before["consents"], everything) == {"language"}

        async with client.delete(f"{KYC}/customer/{customer}") as answer:
            assert answer.status == 200, await answer.text()

        # The interface, at once: no answer, repeated or new, tells anything.
        for text in await repeated(client, canary, customer, transaction):
            assert canary.found_in(text.encode(), everything) == set()
        await client.close()

        # The tables: everything but the address that still has to be told of the last event.
        left = {table: canary.found_in(rows, everything) for table, rows in rows_of_everything(embedded.url).items()}
        assert {table: names for table, names in left.items() if names} in (
            {"transactions": {"query"}, "webhook_events": {"query"}},
            {},
        )

        # The job deletes the pictures, and an hour later cuts the address, whose events were given up meanwhile.
        async def deleted() -> bool:
            return not any(path.is_file() for path in pictures.rglob("*"))

        await until(deleted, 30)
        with psycopg.connect(embedded.url, autocommit=True) as connection:
            connection.execute("UPDATE webhook_events SET state = 'EXHAUSTED'")
            connection.execute("UPDATE jobs.later SET run_at = now()")

        async def cut() -> bool:
            rows = rows_of_everything(embedded.url)
            return not canary.found_in(b"".join(rows.values()), everything)

        await until(cut, 30, every=0.5)
        after = rows_of_everything(embedded.url)
        for table, rows in after.items():
            assert canary.found_in(rows, everything) == set(), table
            assert bytes(wrapped).hex().encode() not in rows, table

        # The files. What is sealed never stood anywhere in plain: no table file, no write-ahead log, no log line.
        with psycopg.connect(embedded.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        for path, content in files_of(tmp_path).items():
            assert canary.found_in(content, SEALED) == set(), path
            assert "media" not in path.parts or customer not in path.parts, path
        printed = "\n".join([*service.lines, *service.errors]).encode()
        assert canary.found_in(printed, everything) == set()
        assert b'"route"' in printed, "the log of requests was not captured"
        written = "\n".join([*in_words.lines, *in_words.errors]).encode()
        assert canary.found_in(written, everything) == set()
        assert b"/customer" in written, "the log of requests was not captured"

        async def traced() -> bool:
            return collector.leads("POST", "job webhooks.deliver")

        await until(traced, 30)
        spans = [one.SerializeToString() for one in collector.spans]
        assert canary.found_in(b"".join(spans), everything) == set()

        # What stood in plain, and the wrapped key, lie in dead rows until the tables are rewritten, and in the
        # write-ahead log until its segments are reused: nowhere else.
        scrubbed = truename_here(data, "scrub")
        assert scrubbed.returncode == 0, scrubbed.stderr
        for path, content in files_of(tmp_path).items():
            if "pg_wal" not in path.parts:
                assert canary.found_in(content, everything) == set(), path
                assert bytes(wrapped) not in content, path
    finally:
        embedded.close()
        in_words.stop()
        service.stop()
        stack.close()
