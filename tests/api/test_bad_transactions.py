"""Every bad transaction and config gets the answer written in the list of bad inputs."""

import secrets
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from tests.support.api import CUSTOMER, TRANSACTION, problem
from truename.accounts.model import NewAccount
from truename.plumbing.resources import Plumbing


@pytest.fixture
async def customer_id(client: aiohttp.ClientSession) -> str:
    answer = await client.post(CUSTOMER, json={"external_customer_id": secrets.token_hex(8)})
    found: str = (await answer.json())["customer_id"]
    return found


async def create(
    client: aiohttp.ClientSession, customer_id: object, config: object = ..., kind: object = "DOCUMENT_ONLY"
):
    body = {"customer_id": customer_id, "transaction_type": kind}
    if config is not ...:
        body["config"] = config
    return await client.post(TRANSACTION, json=body)


async def refused_at(answer: aiohttp.ClientResponse) -> set[str]:
    return {fault["pointer"] for fault in (await problem(answer))["errors"]}


def ids_that_are_none(good: str) -> list[object]:
    arabic = good.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
    return ["{" + good + "}", "urn:uuid:" + good, good.replace("-", ""), arabic, good + "\n", "", "x", 1, None, [good]]


async def test_a_customer_id_has_its_36_characters_or_is_refused(client, customer_id: str) -> None:
    for bad in ids_that_are_none(customer_id):
        assert await refused_at(await create(client, bad)) == {"/customer_id"}, bad
    assert (await create(client, customer_id.upper())).status == 201


async def test_a_customer_that_is_not_ours_cannot_be_told_from_none(client, another_client, customer_id: str) -> None:
    answers = [
        await create(client, "00000000-0000-0000-0000-000000000000"),
        await create(client, str(uuid4())),
        await create(another_client, customer_id),
    ]
    found = [await problem(answer, 404) for answer in answers]
    for one in found:
        one.pop("request_id")
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("kind", ["document_only", "", ["DOCUMENT_ONLY"], None, 1, "DOCUMENT"])
async def test_a_transaction_type_is_one_of_three(client, customer_id: str, kind: object) -> None:
    assert await refused_at(await create(client, customer_id, kind=kind)) == {"/transaction_type"}


async def test_what_is_required_is_asked_for_all_at_once(client) -> None:
    assert await refused_at(await client.post(TRANSACTION, json={})) == {"/customer_id", "/transaction_type"}


@pytest.mark.parametrize("config", [None, [], "x", 1, True])
async def test_a_config_is_an_object(client, customer_id: str, config: object) -> None:
    assert await refused_at(await create(client, customer_id, config)) == {"/config"}


DEFAULTS: dict[str, Any] = {
    "transaction_ttl_minutes": 1440,
    "device_policy": {
        "on_compromised_device": "REJECT",
        "on_developer_mode": "WARN",
        "on_emulator": "REJECT",
        "on_vpn_or_proxy": "WARN",
        "on_gps_mock_location": "REJECT",
        "on_gps_ip_location_mismatch": "WARN",
    },
    "document_policy": {},
    "biometric_policy": {
        "liveness_min_score": 0.85,
        "face_comparison_min_score": 0.85,
        "require_face_comparison": True,
        "expected_gender": None,
        "expected_min_age": None,
        "expected_max_age": None,
        "on_another_customer_repeated_face": "REJECT",
    },
    "blacklist_policy": {
        "on_internal_face_blacklist_match": "REJECT",
        "on_global_face_blacklist_match": "REJECT",
    },
}


@pytest.mark.parametrize("config", [..., {}])
async def test_an_absent_or_empty_config_means_every_default(client, customer_id: str, config: object) -> None:
    answer = await create(client, customer_id, config, "DOCUMENT_AND_BIOMETRIC")
    assert answer.status == 201
    made = await answer.json()
    assert made.keys() == {"transaction_id", "sdk_token", "token_type", "expires_in"}
    assert (made["token_type"], made["expires_in"]) == ("Bearer", 86400)
    shown = await (await client.get(f"{TRANSACTION}/{made['transaction_id']}")).json()
    assert shown["config"] == DEFAULTS


async def test_the_config_that_is_shown_may_be_sent_as_it_is(client, customer_id: str) -> None:
    whole: dict[str, Any] = {
        "webhook": {"url": "https://hooks.example.com/x"},
        "document_policy": {
            "data_matching": {"gender": "F", "date_of_birth": "2026-01-31"},
            "document_eligibility": {"filter_mode": "ALLOW", "target_documents": [target()]},
        },
        "biometric_policy": {"expected_min_age": 18},
    }
    configs: list[dict[str, Any]] = [{}, whole, {"document_policy": {"data_matching": {}}}]
    for config in configs:
        made = await (await create(client, customer_id, config)).json()
        shown = (await (await client.get(f"{TRANSACTION}/{made['transaction_id']}")).json())["config"]
        again = await create(client, customer_id, shown)
        assert again.status == 201, await again.text()
        made = await again.json()
        assert (await (await client.get(f"{TRANSACTION}/{made['transaction_id']}")).json())["config"] == shown


def at(path: str, value: object) -> dict[str, Any]:
    """A config with one value in its place."""
    config: Any = value
    for name in reversed(path.split(".")):
        config = {name: config}
    return dict(config)


def target(**changes: object) -> dict[str, object]:
    return {"country": "AR", "type": "PASSPORT", "allow_expired": False} | changes


ELIGIBILITY = "document_policy.document_eligibility"
MATCHING = "document_policy.data_matching"
NAME = {"value": "Ana", "similarity_min_score": 0.9}

NOTHING: list[object] = []
"""An empty list, where anything else belongs."""

BAD: list[tuple[str, object]] = [
    *[("transaction_ttl_minutes", bad) for bad in (0, 1441, -1, 60.5, "60", True, None, 10**400, NOTHING)],
    *[
        (f"biometric_policy.{score}", bad)
        for score in ("liveness_min_score", "face_comparison_min_score")
        for bad in (0.0999, 0, 1.0000000000000002, 2, True, "0.9", None, NOTHING)
    ],
    *[
        (field, bad)
        for field in (
            *[f"device_policy.{name}" for name in DEFAULTS["device_policy"]],
            "biometric_policy.on_another_customer_repeated_face",
            *[f"blacklist_policy.{name}" for name in DEFAULTS["blacklist_policy"]],
        )
        for bad in ("reject", None, "BLOCK", "", 1, ["REJECT"])
    ],
    *[
        (f"biometric_policy.{age}", bad)
        for age in ("expected_min_age", "expected_max_age")
        for bad in (-1, 201, 1.5, "18", True)
    ],
    *[("biometric_policy.expected_gender", bad) for bad in ("M", "male", "X", "", 1)],
    *[("biometric_policy.require_face_comparison", bad) for bad in ("true", 1, None)],
    *[(f"{MATCHING}.gender", bad) for bad in ("MALE", "m", "", None)],
    *[(f"{MATCHING}.document_type", bad) for bad in ("passport", "VISA", None)],
    *[(f"{MATCHING}.document_issuing_country", bad) for bad in ("ar", "ARG", "UK", "ZZ", "", None, 1, "AＲ")],
    *[(f"{MATCHING}.document_number", bad) for bad in ("12.345", "12-345", "12 345", "Ñ1", "", "١٢", "1\n", None, 123)],
    *[
        (f"{MATCHING}.date_of_birth", bad)
        for bad in (
            "1990-1-1",
            "2023-02-29",
            "1990-01-01T00:00:00Z",
            "2999-01-01",
            "19900101",
            "",
            None,
            1990,
            "1990-01-01\n",
        )
    ],
    *[(f"{MATCHING}.{name}", bad) for name in ("given_names", "surnames") for bad in (None, "Ana", NOTHING)],
    *[
        ("webhook.url", bad)
        for bad in (None, "", "http://a.example.com", "ftp://a.example.com", "HTTPS://a.example.com")
    ],
    *[
        ("webhook.url", bad)
        for bad in ("https:/x", "https://", "https://a.example.com/ x", " https://a.example.com", 1)
    ],
    *[
        ("webhook.url", bad)
        for bad in ("https://a.example.com/\n", "https://a\t.example.com", "https://u:p@a.example.com")
    ],
    *[
        ("webhook.url", bad)
        for bad in ("https://a.example.com\\x", "https://a.example.com:0", "https://a.example.com:65536")
    ],
    ("webhook.url", "https://a.example.com/" + "x" * 2048),
    (f"{ELIGIBILITY}.filter_mode", "allow"),
    (f"{ELIGIBILITY}.target_documents", None),
]


@pytest.mark.parametrize(("path", "value"), BAD, ids=[f"{path}={str(value)[:30]!r}" for path, value in BAD])
async def test_a_config_value_out_of_its_range_is_refused_where_it_stands(client, customer_id, path, value) -> None:
    pointers = await refused_at(await create(client, customer_id, at(path, value)))
    assert "/config/" + path.replace(".", "/") in pointers


SHAPES = [
    (ELIGIBILITY, {"filter_mode": "REJECT", "target_documents": [target()] * 1246}, "/target_documents"),
    ("webhook", {}, "/config/webhook/url"),
    ("webhook", None, "/config/webhook"),
    (f"{MATCHING}.given_names", {"value": "Ana"}, "/given_names/similarity_min_score"),
    (f"{MATCHING}.given_names", {"similarity_min_score": 0.9}, "/given_names/value"),
    (f"{MATCHING}.surnames", NAME | {"value": ""}, "/surnames/value"),
    (f"{MATCHING}.surnames", NAME | {"value": "  "}, "/surnames/value"),
    (f"{MATCHING}.surnames", NAME | {"similarity_min_score": 0.05}, "/surnames/similarity_min_score"),
    (f"{MATCHING}.surnames", NAME | {"similarity_min_score": 1.1}, "/surnames/similarity_min_score"),
    (f"{MATCHING}.nombre", NAME, "/nombre"),
    ("biometric_policy.livenes_min_score", 0.9, "/livenes_min_score"),
    ("biometric_polcy", {}, "/config/biometric_polcy"),
    ("biometric_policy", {"expected_min_age": 30, "expected_max_age": 29}, "/expected_max_age"),
    (ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": [target(country="UK")]}, "/target_documents/0/country"),
    (ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": [target(type="VISA")]}, "/target_documents/0/type"),
    (ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": [target(allow_expired=1)]}, "/0/allow_expired"),
    (
        ELIGIBILITY,
        {"filter_mode": "ALLOW", "target_documents": [target(), target(allow_expired=True)]},
        "/target_documents",
    ),
]


@pytest.mark.parametrize(("path", "value", "pointer"), SHAPES)
async def test_a_config_of_the_wrong_shape_is_refused_where_it_is_wrong(
    client, customer_id, path, value, pointer
) -> None:
    pointers = await refused_at(await create(client, customer_id, at(path, value)))
    assert any(found.endswith(pointer) for found in pointers), pointers


GOOD: list[tuple[str, object]] = [
    *[("transaction_ttl_minutes", good) for good in (1, 1440, 60, 60.0)],
    *[("biometric_policy.liveness_min_score", good) for good in (0.1, 1, 1.0)],
    *[("device_policy.on_emulator", good) for good in ("REJECT", "WARN", "IGNORE")],
    *[
        ("biometric_policy", {"expected_min_age": low, "expected_max_age": high})
        for low, high in ((0, 200), (18, 18), (18, None), (None, 30))
    ],
    *[("biometric_policy.expected_gender", good) for good in ("MALE", "FEMALE", None)],
    *[(f"{MATCHING}.gender", good) for good in ("M", "F", "X")],
    *[(f"{MATCHING}.document_number", good) for good in ("abc123", "12345678")],
    *[(f"{MATCHING}.date_of_birth", good) for good in ("1990-01-01", "2024-02-29", "1899-12-31")],
    (f"{MATCHING}.given_names", NAME),
    (MATCHING, {}),
    (ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": []}),
    (ELIGIBILITY, {"filter_mode": "REJECT", "target_documents": [target(), target()]}),
    (ELIGIBILITY, {"filter_mode": "REJECT", "target_documents": [target()] * 1245}),
    ("webhook.url", "https://hooks.example.com:8443/a/b?c=d"),
    ("webhook.url", "https://name-that-resolves-to-who-knows.example.com/"),
]


@pytest.mark.parametrize(("path", "value"), GOOD, ids=[f"{path}={str(value)[:40]!r}" for path, value in GOOD])
async def test_what_the_interface_allows_is_accepted(client, customer_id, path, value) -> None:
    answer = await create(client, customer_id, at(path, value))
    assert answer.status == 201, await answer.text()


async def test_an_international_webhook_name_is_kept_in_punycode(client, customer_id: str) -> None:
    made = await (await create(client, customer_id, at("webhook.url", "https://bücher.example/x"))).json()
    shown = await (await client.get(f"{TRANSACTION}/{made['transaction_id']}")).json()
    assert shown["config"]["webhook"]["url"] == "https://xn--bcher-kva.example/x"


FORBIDDEN = [
    "127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
    "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1]", "[fc00::1]", "[2002:7f00:1::]",
    "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "①②⑦.⓪.⓪.①", "metadata.google.internal",
    "LOCALHOST", "localhost.",
]  # fmt: skip


@pytest.mark.parametrize("host", FORBIDDEN)
async def test_a_webhook_into_the_house_is_refused(another_client, host: str) -> None:
    made = await (await another_client.post(CUSTOMER, json={"external_customer_id": secrets.token_hex(8)})).json()
    answer = await create(another_client, made["customer_id"], at("webhook.url", f"https://{host}/x"))
    found = await problem(answer)
    assert found["code"] in ("webhook_address_not_allowed", "validation_failed")
    assert [fault["pointer"] for fault in found["errors"]] == ["/config/webhook/url"]
    assert found["errors"][0]["code"] == "webhook_address_not_allowed"


async def test_a_trial_account_may_send_webhooks_to_itself(client, customer_id: str) -> None:
    assert (await create(client, customer_id, at("webhook.url", "https://127.0.0.1:9443/x"))).status == 201


async def test_a_bad_document_policy_is_refused_even_where_it_is_ignored(client, customer_id: str) -> None:
    answer = await create(client, customer_id, at(f"{MATCHING}.gender", "MALE"), "BIOMETRIC_ONLY")
    assert await refused_at(answer) == {"/config/document_policy/data_matching/gender"}


async def test_a_blocked_customer_can_still_open_a_transaction(client, customer_id: str) -> None:
    body = {"status": "BLOCKED", "reason": "a test"}
    assert (await client.post(f"{CUSTOMER}/{customer_id}/status", json=body)).status == 200
    assert (await create(client, customer_id)).status == 201


async def test_a_refusal_creates_nothing(client, customer_id, plumbing: Plumbing, an_account: NewAccount) -> None:
    await create(client, customer_id, at("transaction_ttl_minutes", 0))
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS many FROM transactions")
        row = await cursor.fetchone()
    assert row is not None
    assert row["many"] == 0


async def test_names_to_match_are_sealed_in_the_database(client, customer_id, plumbing, an_account) -> None:
    made = await (await create(client, customer_id, at(f"{MATCHING}.surnames", NAME | {"value": "Ñandubay"}))).json()
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT t::text AS everything FROM transactions t")
        row = await cursor.fetchone()
    assert row is not None
    assert "andubay" not in row["everything"]
    shown = await (await client.get(f"{TRANSACTION}/{made['transaction_id']}")).json()
    assert shown["config"]["document_policy"]["data_matching"]["surnames"]["value"] == "Ñandubay"
