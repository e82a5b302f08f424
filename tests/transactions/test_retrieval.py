"""Does an integrator read what is true at this very moment, page by page?"""

import asyncio
import time
from typing import Any
from uuid import UUID

import pytest

from tests.support.api import TRANSACTION, problem
from tests.support.transactions import a_customer, a_transaction, caller_of, expire_now, submitted
from truename.accounts.tokens import read_sdk_token
from truename.transactions.cancel import cancel
from truename.transactions.lifecycle import Status


async def test_an_expired_transaction_reads_expired_with_no_worker_running(client, plumbing, an_account) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    await expire_now(plumbing, an_account, one)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    assert (shown["status"], shown["completed_at"], shown["decision"]) == ("EXPIRED", shown["expires_at"], None)
    assert [row["status"] for row in (await (await client.get(TRANSACTION)).json())["data"]] == ["EXPIRED"]
    for action in ("cancel", "sdk-token"):
        refused = await problem(await client.post(f"{TRANSACTION}/{one}/{action}"), 409)
        assert refused["transaction_status"] == "EXPIRED"


async def test_a_list_filters_by_the_status_of_this_moment(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    fresh, late, swept = [await a_transaction(plumbing, an_account, customer) for _ in range(3)]
    for one in (late, swept):
        await expire_now(plumbing, an_account, one)
    from truename.transactions.expire import sweep

    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "UPDATE transactions SET expires_at = expires_at - interval '1 hour' WHERE transaction_id = %s", (swept,)
        )
    await sweep(plumbing, 1)
    expected = {Status.CREATED: {fresh}, Status.EXPIRED: {late, swept}, Status.IN_PROGRESS: set()}
    for status, ids in expected.items():
        listed = await (await client.get(TRANSACTION, params={"status": status.value})).json()
        assert {UUID(row["transaction_id"]) for row in listed["data"]} == ids


async def test_pages_hold_every_row_once_in_order(client, plumbing, an_account) -> None:
    customer, other = [await a_customer(plumbing, an_account) for _ in range(2)]
    made = [await a_transaction(plumbing, an_account, customer) for _ in range(7)]
    await a_transaction(plumbing, an_account, other)
    seen: list[str] = []
    parameters: dict[str, Any] = {"customer_id": str(customer), "limit": "3"}
    while True:
        page = await (await client.get(TRANSACTION, params=parameters)).json()
        seen += [row["transaction_id"] for row in page["data"]]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            break
        parameters["cursor"] = page["next_cursor"]
    assert seen == [str(one) for one in reversed(made)]


async def test_times_bound_a_list_on_both_sides(client, plumbing, an_account) -> None:
    customer = await a_customer(plumbing, an_account)
    for _ in range(3):
        await a_transaction(plumbing, an_account, customer)
    rows = (await (await client.get(TRANSACTION)).json())["data"]
    bounds = {"created_after": rows[2]["created_at"], "created_before": rows[0]["created_at"]}
    between = (await (await client.get(TRANSACTION, params=bounds)).json())["data"]
    assert [row["transaction_id"] for row in between] == [rows[1]["transaction_id"]]


BAD_QUERIES = [
    ("limit", "0"), ("limit", "101"), ("limit", "x"), ("limit", "1.0"), ("limit", ""), ("status", "created"),
    ("status", "DONE"), ("customer_id", "x"), ("created_after", "yesterday"), ("created_after", "2026-01-01"),
    ("created_before", "2026-13-01T00:00:00Z"), ("cursor", "x"), ("cursor", "A" * 33), ("stauts", "CREATED"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_QUERIES)
async def test_a_filter_that_cannot_be_meant_is_refused(client, name: str, value: str) -> None:
    found = await problem(await client.get(TRANSACTION, params={name: value}))
    assert [fault["pointer"] for fault in found["errors"]] == [f"/{name}"]


async def test_a_filter_given_twice_is_refused(client) -> None:
    await problem(await client.get(TRANSACTION + "?limit=1&limit=2"))


async def test_waiting_ends_as_soon_as_the_status_is_final(client, plumbing, an_account) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    began = time.monotonic()
    waiting = asyncio.create_task(client.get(f"{TRANSACTION}/{one}?wait=20"))
    await asyncio.sleep(0.4)
    async with plumbing.database.account(an_account.account_id) as connection:
        await cancel(connection, an_account.account_id, one)
    shown = await (await waiting).json()
    assert shown["status"] == "CANCELLED"
    assert time.monotonic() - began < 10


async def test_waiting_ends_when_the_time_is_up(client, plumbing, an_account) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    began = time.monotonic()
    assert (await (await client.get(f"{TRANSACTION}/{one}?wait=1")).json())["status"] == "CREATED"
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("seconds", ["31", "-1", "x", "0.5", "1e1"])
async def test_waiting_has_its_limit(client, plumbing, an_account, seconds: str) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    await problem(await client.get(f"{TRANSACTION}/{one}", params={"wait": seconds}))


async def test_a_fresh_token_lives_as_long_as_the_transaction(client, plumbing, an_account) -> None:
    config = {"transaction_ttl_minutes": 1}
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account), config=config)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    issued = await (await client.post(f"{TRANSACTION}/{one}/sdk-token")).json()
    assert 50 <= issued["expires_in"] <= 60
    claims = await read_sdk_token(plumbing, issued["sdk_token"])
    assert (claims.account_id, claims.transaction_id) == (an_account.account_id, one)
    from datetime import datetime

    assert claims.exp == int(datetime.fromisoformat(shown["expires_at"]).timestamp())


@pytest.mark.parametrize("action", ["cancel", "sdk-token"])
async def test_what_was_submitted_can_be_neither_cancelled_nor_captured_again(
    client, plumbing, an_account, action
) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    await submitted(plumbing, an_account, one)
    found = await problem(await client.post(f"{TRANSACTION}/{one}/{action}"), 409)
    assert found["transaction_status"] == "PROCESSING"


async def test_only_a_finished_transaction_can_be_redacted(client, plumbing, an_account) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    await problem(await client.post(f"{TRANSACTION}/{one}/redact"), 409)
    await client.post(f"{TRANSACTION}/{one}/cancel")
    shown = await (await client.post(f"{TRANSACTION}/{one}/redact")).json()
    assert shown["redacted_at"] is not None


async def test_a_review_needs_a_transaction_that_waits_for_one(client, plumbing, an_account) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    body = {"outcome": "APPROVED", "reason": "a test"}
    await problem(await client.post(f"{TRANSACTION}/{one}/review", json=body), 409)
    await submitted(plumbing, an_account, one)
    await problem(await client.post(f"{TRANSACTION}/{one}/review", json=body), 409)


@pytest.mark.parametrize("body", [b"[]", b'{"a":1}', b"null", b"x", b"{}x"])
async def test_a_post_without_fields_refuses_a_body_with_some(client, plumbing, an_account, body: bytes) -> None:
    one = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    headers = {"Content-Type": "application/json"}
    await problem(await client.post(f"{TRANSACTION}/{one}/cancel", data=body, headers=headers))


async def test_the_catalogue_of_issue_codes_is_published(client) -> None:
    rows = (await (await client.get("/api/account/integration/kyc/issue-codes")).json())["data"]
    assert len(rows) == 28
    emulator = next(row for row in rows if row["code"] == "EMULATOR_DETECTED")
    assert emulator["policy"] == "/device_policy/on_emulator"
    assert emulator["default_severity"] == "REJECTION"


def test_the_caller_of_an_account_has_every_scope(an_account) -> None:
    assert "admin" in caller_of(an_account).scopes


async def test_transactions_asked_for_at_the_same_moment_have_each_its_own_config(client, plumbing, an_account) -> None:
    """They are stored by one statement, in which equal configs stand once."""
    customer = str(await a_customer(plumbing, an_account))
    configs: list[dict[str, Any]] = [
        {} if one % 3 == 0 else {"transaction_ttl_minutes": 100 + one % 5} for one in range(24)
    ]
    configs[5]["document_policy"] = {"data_matching": {"document_number": "X123"}}

    async def made(config: dict[str, Any]) -> dict[str, Any]:
        body = {"customer_id": customer, "transaction_type": "DOCUMENT_AND_BIOMETRIC", "config": config}
        async with client.post(TRANSACTION, json=body) as answer:
            told = await answer.json()
            assert answer.status == 201, told
        shown = await (await client.get(f"{TRANSACTION}/{told['transaction_id']}")).json()
        return {**shown["config"], "told": told["expires_in"]}

    found = await asyncio.gather(*(made(config) for config in configs))
    minutes = [config.get("transaction_ttl_minutes", 1440) for config in configs]
    assert [one["transaction_ttl_minutes"] for one in found] == minutes
    assert [one["told"] for one in found] == [60 * one for one in minutes]
    matching = [one["document_policy"].get("data_matching") for one in found]
    assert [bool(one) for one in matching] == [place == 5 for place in range(24)]
    assert matching[5]["document_number"] == "X123"
