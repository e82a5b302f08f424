"""What a config may hold, and what is refused where."""

import math
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from truename.rules.config import Action, Config
from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType
from truename.rules.faults import Fault, faults_of

TODAY = date(2026, 3, 14)


def at(pointer: str, value: object) -> dict[str, Any]:
    """A config in which only this field is given."""
    config: Any = value
    for name in reversed(pointer.strip("/").split("/")):
        config = {name: config}
    return config


def read(config: object) -> Config:
    return Config.model_validate(config, context={"today": TODAY})


def faults(config: object) -> list[Fault]:
    with pytest.raises(ValidationError) as caught:
        read(config)
    return faults_of(caught.value, under="/config")


def a_target(country: object = "AR", type: object = "PASSPORT", allow_expired: object = False) -> dict[str, object]:
    return {"country": country, "type": type, "allow_expired": allow_expired}


ELIGIBILITY = "/document_policy/document_eligibility"
MATCHING = "/document_policy/data_matching"
BIOMETRIC = "/biometric_policy"

BAD_VALUES: list[tuple[str, list[Any]]] = [
    ("/transaction_ttl_minutes", [0, 1441, -1, 60.5, "60", True, None, math.nan, math.inf, 10**400, [60]]),
    ("/webhook", [None, [], "https://a.example", 1]),
    ("/device_policy", [None, [], "REJECT"]),
    *[
        (f"/device_policy/{field}", ["reject", None, "BLOCK", True, ["REJECT"], {}])
        for field in (
            "on_compromised_device",
            "on_developer_mode",
            "on_emulator",
            "on_vpn_or_proxy",
            "on_gps_mock_location",
            "on_gps_ip_location_mismatch",
        )
    ],
    ("/document_policy", [None, []]),
    (ELIGIBILITY, [None, [], "ALLOW"]),
    (MATCHING, [None, [], "x"]),
    *[(f"{MATCHING}/{field}", [None, "Ana", []]) for field in ("given_names", "surnames")],
    (f"{MATCHING}/gender", ["MALE", "m", None, 1]),
    (f"{MATCHING}/document_type", ["passport", None, "VISA"]),
    (f"{MATCHING}/document_issuing_country", ["ar", "ARG", "UK", "ZZ", "XK", "", None, 1]),
    (f"{MATCHING}/document_number", ["1.2", "1-2", "1 2", "é1", "１２", "", "12\n", None, 12]),
    (
        f"{MATCHING}/date_of_birth",
        [
            "1990-1-1",
            "2023-02-29",
            "1990-01-01T00:00:00",
            "2026-03-15",
            "19900101",
            "١٩٩٠-01-01",
            "1990-01-01\n",
            None,
            1,
        ],
    ),
    *[
        (f"{BIOMETRIC}/{field}", [0.0999, 1.0000000000000002, 0, True, "0.9", None, math.nan, math.inf])
        for field in ("liveness_min_score", "face_comparison_min_score")
    ],
    (f"{BIOMETRIC}/require_face_comparison", [1, 0, "true", None]),
    (f"{BIOMETRIC}/expected_gender", ["M", "male", 1]),
    *[
        (f"{BIOMETRIC}/{field}", [-1, 201, 18.5, "18", True, math.nan])
        for field in ("expected_min_age", "expected_max_age")
    ],
    (f"{BIOMETRIC}/on_another_customer_repeated_face", ["reject", None]),
    *[
        (f"/blacklist_policy/{field}", ["reject", None])
        for field in ("on_internal_face_blacklist_match", "on_global_face_blacklist_match")
    ],
]

BAD_URLS = [
    "", "a.example/hook", "//a.example",
    "http://a.example", "ftp://a.example", "HTTPS://a.example", "https:/x", "https://", " https://a.example",
    "https://a.example/ x", "https://a.example/\n", "https://a.example\t", "https://a.exam\x00ple", "https://a.example/\u200b",
    "https://user:secret@a.example", "https://user@a.example", "https://a.example\\@b.example", "https://a.example:0",
    "https://a.example:65536", "https://a.example:", "https://a.example:x", "https://a.example:４４３", "https://:443/",
    "https://?x", "https://[::1", "https://[]", "https://[fe80::1%25eth0]/", "https://a..example", "https://-a.example",
    "https://a%41.example", "https://💩.example", f"https://{'a.' * 123}examples", "https://a.example/a\\b",
    "https://a.example/" + "x" * 2031, None, 1, ["https://a.example"],
]  # fmt: skip


@pytest.mark.parametrize(("pointer", "value"), [(pointer, bad) for pointer, values in BAD_VALUES for bad in values])
def test_a_bad_value_is_refused_where_it_stands(pointer: str, value: object) -> None:
    assert [fault.pointer for fault in faults(at(pointer, value))] == ["/config" + pointer]


@pytest.mark.parametrize("url", BAD_URLS)
def test_an_address_that_no_webhook_can_have_is_refused(url: object) -> None:
    found = faults(at("/webhook/url", url))
    assert [fault.pointer for fault in found] == ["/config/webhook/url"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1:8080/hook", "webhook_url_not_https"),
        ("a.example/hook", "webhook_url_not_https"),
        ("https://user:secret@a.example", "webhook_url_credentials"),
        ("https://a.example:0", "webhook_url_bad_port"),
        ("https://a.example/ x", "webhook_url_forbidden_character"),
        ("https://a..example", "webhook_url_bad_host"),
        (f"https://{'a.' * 123}examples", "webhook_url_bad_host"),
        ("https://a.example/" + "x" * 2031, "webhook_url_too_long"),
    ],
)
def test_a_refusal_says_what_is_wrong_with_the_address(url: str, code: str) -> None:
    assert [fault.code for fault in faults(at("/webhook/url", url))] == [code]


@pytest.mark.parametrize("config", [None, [], "x", 1, True])
def test_a_config_is_an_object(config: object) -> None:
    assert faults(config) == [Fault("/config", "not_an_object", "The value must be an object.")]


@pytest.mark.parametrize(
    "pointer",
    [
        "/colour",
        "/webhook/secret",
        "/device_policy/on_compromised_devices",
        "/document_policy/eligibility",
        f"{MATCHING}/nationality",
        f"{BIOMETRIC}/liveness_minimum_score",
        "/blacklist_policy/on_face",
    ],
)
def test_a_misspelt_field_is_refused_at_every_level(pointer: str) -> None:
    assert Fault("/config" + pointer, "field_unknown", "There is no such field.") in faults(at(pointer, "REJECT"))


def test_a_misspelt_field_of_a_listed_document_is_refused() -> None:
    listed = {"filter_mode": "ALLOW", "target_documents": [{**a_target(), "expired": True}]}
    assert [fault.pointer for fault in faults(at(ELIGIBILITY, listed))] == [
        "/config/document_policy/document_eligibility/target_documents/0/expired"
    ]


def test_what_must_be_given_is_missed_by_name() -> None:
    config = {
        "webhook": {},
        "document_policy": {
            "document_eligibility": {"target_documents": [{}]},
            "data_matching": {"given_names": {}, "surnames": {"value": "Pérez"}},
        },
    }
    missing = [fault.pointer.removeprefix("/config") for fault in faults(config) if fault.code == "field_required"]
    assert sorted(missing) == [
        f"{MATCHING}/given_names/similarity_min_score",
        f"{MATCHING}/given_names/value",
        f"{MATCHING}/surnames/similarity_min_score",
        f"{ELIGIBILITY}/filter_mode",
        f"{ELIGIBILITY}/target_documents/0/allow_expired",
        f"{ELIGIBILITY}/target_documents/0/country",
        f"{ELIGIBILITY}/target_documents/0/type",
        "/webhook/url",
    ]


@pytest.mark.parametrize("value", ["", "   ", "A\x00", "A\n", "\ud800", None, 1])
def test_a_name_to_match_has_something_that_can_be_read(value: object) -> None:
    name = {"value": value, "similarity_min_score": 0.9}
    assert [fault.pointer for fault in faults(at(f"{MATCHING}/surnames", name))] == [
        f"/config{MATCHING}/surnames/value"
    ]


@pytest.mark.parametrize("score", [0.0999, 1.1, True, "1", None, math.nan])
def test_a_name_score_has_the_range_of_a_score(score: object) -> None:
    name = {"value": "Ana", "similarity_min_score": score}
    assert len(faults(at(f"{MATCHING}/given_names", name))) == 1


@pytest.mark.parametrize("score", [0.1, 1, 1.0, 0.85])
def test_a_score_may_be_any_number_in_its_range(score: float) -> None:
    assert read(at(f"{BIOMETRIC}/liveness_min_score", score)).biometric_policy.liveness_min_score == score


@pytest.mark.parametrize("minutes", [1, 60, 60.0, 1440])
def test_a_whole_number_may_be_written_as_a_float(minutes: float) -> None:
    read_back = read({"transaction_ttl_minutes": minutes}).transaction_ttl_minutes
    assert (read_back, type(read_back)) == (int(minutes), int)


@pytest.mark.parametrize(("least", "most"), [(18, 18), (0, 200), (None, 30), (18, None), (None, None), (18.0, 65.0)])
def test_a_range_of_ages_may_be_open_or_one_year(least: int | None, most: int | None) -> None:
    policy = read({"biometric_policy": {"expected_min_age": least, "expected_max_age": most}}).biometric_policy
    assert (policy.expected_min_age, policy.expected_max_age) == (least, most)


@pytest.mark.parametrize(
    "policy", [{"expected_max_age": 17, "expected_min_age": 18}, {"expected_min_age": 18, "expected_max_age": 17}]
)
def test_a_maximum_age_below_the_minimum_is_the_maximums_fault(policy: dict[str, int]) -> None:
    found = faults({"biometric_policy": policy})
    assert [(fault.pointer, fault.code) for fault in found] == [
        ("/config/biometric_policy/expected_max_age", "max_age_below_min_age")
    ]


def test_the_same_document_may_not_be_listed_with_two_rules() -> None:
    listed = {"filter_mode": "ALLOW", "target_documents": [a_target(), a_target("CL"), a_target(allow_expired=True)]}
    assert [fault.code for fault in faults(at(ELIGIBILITY, listed))] == ["target_documents_contradictory"]


def test_what_is_wrong_with_a_whole_list_is_told_beside_what_is_wrong_with_its_entries() -> None:
    target = a_target()
    listed = [a_target("CL"), a_target("CL", allow_expired=True), {**target, "country": "ZZ"}, {**target, "type": 1}]
    found = faults(at(ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": listed}))
    under = f"/config{ELIGIBILITY}/target_documents"
    assert {fault.pointer: fault.code for fault in found} == {
        f"{under}/2/country": "country_unknown",
        f"{under}/3/type": "value_not_allowed",
        under: "target_documents_contradictory",
    }
    many = [{**target, "country": "ZZ"}] + [target] * 1245
    found = faults(at(ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": many}))
    assert {fault.code for fault in found} == {"country_unknown", "list_too_long"}


def test_a_list_is_no_longer_than_each_kind_once_but_read_as_long_as_it_was_stored() -> None:
    longest = [a_target(country, kind.value) for country in COUNTRIES for kind in DocumentType]
    assert read(at(ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": longest}))
    longer = at(ELIGIBILITY, {"filter_mode": "ALLOW", "target_documents": [*longest, longest[0]]})
    assert faults(longer) == [
        Fault(f"/config{ELIGIBILITY}/target_documents", "list_too_long", "The list must have at most 1245 items.")
    ]
    stored = Config.from_stored(longer).document_policy.document_eligibility
    assert stored is not None
    assert len(stored.target_documents) == 1246


@pytest.mark.parametrize(
    "documents",
    [[], [a_target()], [a_target(), a_target()], [a_target(), a_target(type="NATIONAL_ID", allow_expired=True)]],
)
def test_a_list_without_contradiction_is_accepted(documents: list[object]) -> None:
    eligibility = read(at(ELIGIBILITY, {"filter_mode": "REJECT", "target_documents": documents})).document_policy
    assert eligibility.document_eligibility is not None
    assert len(eligibility.document_eligibility.target_documents) == len(documents)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("https://hooks.example.com/x?y=1", "https://hooks.example.com/x?y=1"),
        ("https://a.example:65535", "https://a.example:65535"),
        ("https://a.example:1/", "https://a.example:1/"),
        ("https://a.example?to=me@b.example", "https://a.example?to=me@b.example"),
        (f"https://{'a.' * 123}example", f"https://{'a.' * 123}example"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/ü"),
        ("https://①②⑦.0.0.1/", "https://127.0.0.1/"),
        ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://a.example/" + "x" * 2030, "https://a.example/" + "x" * 2030),
    ],
)
def test_an_address_is_kept_with_its_host_in_ascii(sent: str, kept: str) -> None:
    webhook = read(at("/webhook/url", sent)).webhook
    assert webhook is not None
    assert webhook.url == kept


def test_a_date_is_in_the_future_only_for_a_caller_who_says_what_day_it_is() -> None:
    config = at(f"{MATCHING}/date_of_birth", "2026-03-15")
    assert Config.model_validate(config).document_policy.data_matching is not None
    assert [fault.code for fault in faults(config)] == ["date_in_future"]
    assert read(at(f"{MATCHING}/date_of_birth", "2026-03-14"))


def test_every_fault_is_named_at_once_and_no_value_is_repeated() -> None:
    config = {
        "transaction_ttl_minutes": "SECRET",
        "webhook": {"url": "http://SECRET"},
        "device_policy": {"on_emulator": "SECRET"},
        "document_policy": {
            "data_matching": {
                "document_number": "SECRET!",
                "date_of_birth": "SECRET",
                "given_names": {"value": ["SECRET"]},
            }
        },
    }
    found = faults(config)
    assert len(found) == 7
    assert "SECRET" not in repr(found)


def test_an_empty_config_is_every_default() -> None:
    assert read({}) == Config()
    assert Config().device_policy.on_emulator is Action.REJECT


A_FULL_CONFIG = {
    "transaction_ttl_minutes": 60,
    "webhook": {"url": "https://hooks.example.com/x"},
    "device_policy": {"on_emulator": "WARN"},
    "document_policy": {
        "document_eligibility": {"filter_mode": "ALLOW", "target_documents": [a_target(), a_target("CL")]},
        "data_matching": {
            "given_names": {"value": "Ana", "similarity_min_score": 0.9},
            "document_number": "ab12",
            "date_of_birth": "1990-04-23",
        },
    },
    "biometric_policy": {"expected_gender": "FEMALE", "expected_min_age": 18},
}


@pytest.mark.parametrize("config", [{}, A_FULL_CONFIG])
def test_the_effective_config_is_complete_and_reads_back_the_same(config: dict[str, object]) -> None:
    dump = read(config).model_dump(mode="json")
    assert list(dump) == list(Config.model_fields)
    assert Config.from_stored(dump) == read(config)
    assert Config.from_stored(dump).model_dump(mode="json") == dump


def test_the_schema_shows_no_default_that_would_be_refused() -> None:
    schema = Config.model_json_schema()
    for part in [schema, *schema["$defs"].values()]:
        for name, field in part.get("properties", {}).items():
            if field.get("default", 0) is None:
                assert {"type": "null"} in field["anyOf"], name


@pytest.mark.parametrize("name", ["---", "1 2 3", "'", "·", "\u0301", "\u0640", "\u064b", "ˇ"])
def test_a_name_without_a_letter_is_refused_where_it_is_sent_and_still_read_where_it_was_stored(name: str) -> None:
    sent = {"document_policy": {"data_matching": {"surnames": {"value": name, "similarity_min_score": 0.9}}}}
    with pytest.raises(ValidationError) as refused:
        Config.model_validate(sent, context={"today": date(2026, 3, 14)})
    assert [fault["type"] for fault in refused.value.errors()] == ["name_without_letter"]
    assert Config.from_stored(sent).document_policy.data_matching is not None


@pytest.mark.parametrize("name", ["Ng", "Ł", "Иван", "محمد", "گلی", "王", "ひろ", "김", "ＡＮＡ"])
def test_a_letter_of_any_script_makes_a_name(name: str) -> None:
    sent = {"document_policy": {"data_matching": {"surnames": {"value": name, "similarity_min_score": 0.9}}}}
    Config.model_validate(sent, context={"today": date(2026, 3, 14)})
