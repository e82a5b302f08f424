"""Not one sign of a receipt, and not one value of its evidence, can be changed unnoticed."""

import base64
import copy
import json
from collections.abc import Iterator

import pytest
from joserfc import jws
from joserfc.jwk import OctKey, OKPKey
from pydantic import JsonValue

from tests.support.dossiers import EVERYTHING_EXPECTED, a_device, a_document, a_dossier
from tests.support.judged import a_judged
from truename.receipts.keys import published_keys
from truename.receipts.model import TYPE
from truename.receipts.verify import ReceiptRefused, judge_again, verify_receipt
from truename.transactions.receipt import read_evidence, read_receipt

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.fixture
async def decided(plumbing, an_account) -> tuple[str, bytes, dict]:
    """A receipt, the published keys, the evidence file."""
    config = {"document_policy": {"data_matching": EVERYTHING_EXPECTED}}
    dossier = a_dossier(document=a_document(), config=config, device=a_device(gps_country="PE"))
    transaction_id = await a_judged(plumbing, an_account, dossier)
    signed = await read_receipt(plumbing, an_account.account_id, transaction_id)
    keys = json.dumps(await published_keys(plumbing)).encode()
    file = await read_evidence(plumbing, an_account.account_id, transaction_id, actor="test")
    return signed, keys, json.loads(file.model_dump_json())


def neighbours(sign: str) -> set[str]:
    """Signs that differ in one bit, the lowest ones among them: those say nothing at the end of a part."""
    if sign == ".":
        return {"A", ""}
    at = SIGNS.index(sign)
    return {SIGNS[at ^ (1 << bit)] for bit in range(6)} | {"=", " ", "."}


async def test_not_one_sign_of_a_receipt_can_be_changed(decided):
    signed, keys, _ = decided
    assert verify_receipt(f"\n{signed}\n", keys)
    step = max(1, len(signed) // 400)
    ends = [index + shift for index, sign in enumerate(signed) if sign == "." for shift in (-1, 0, 1)]
    places = sorted({*range(0, len(signed), step), *ends, len(signed) - 1})
    passed = []
    for place in places:
        for sign in neighbours(signed[place]):
            altered = signed[:place] + sign + signed[place + 1 :]
            try:
                verify_receipt(altered, keys)
            except ReceiptRefused:
                continue
            if altered.strip() != signed:
                passed.append((place, signed[place], sign))
    assert passed == []


async def test_no_other_way_to_sign_is_believed(decided):
    signed, keys, _ = decided
    head, payload, signature = signed.split(".")
    content = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    public = json.loads(keys)["keys"][0]

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    secret = OctKey.import_key(public["x"])
    forged = [
        f"{part({**header, 'alg': 'none'})}.{payload}.",
        f"{part({**header, 'alg': 'None'})}.{payload}.{signature}",
        f"{part({**header, 'crit': ['b64'], 'b64': False})}.{payload}.{signature}",
        f"{part({**header, 'kid': 'another'})}.{payload}.{signature}",
        jws.serialize_compact({"alg": "HS256", "kid": public["kid"], "typ": TYPE}, content, secret, ["HS256"]),
        f"{signed}.{signature}",
        signed * 2,
        json.dumps({"payload": payload, "protected": head, "signature": signature}),
    ]
    stranger = OKPKey.generate_key("Ed25519", {"kid": public["kid"]})
    own = stranger.as_dict(private=False)
    forged.append(
        jws.serialize_compact(
            {"alg": "EdDSA", "kid": public["kid"], "typ": TYPE, "jwk": own}, content, stranger, ["EdDSA"]
        )
    )
    for one in forged:
        with pytest.raises(ReceiptRefused):
            verify_receipt(one, keys)


def leaves(value: JsonValue, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def changed(value: JsonValue) -> JsonValue:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value}x" if isinstance(value, str) else [None]


async def test_not_one_value_of_the_evidence_can_be_changed(decided):
    signed, keys, file = decided
    receipt = verify_receipt(signed, keys).receipt
    assert judge_again(receipt, json.dumps(file).encode())
    places = list(leaves(file))
    assert len(places) > 80
    for path in places:
        spoiled = copy.deepcopy(file)
        inside = spoiled
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = changed(inside[path[-1]])
        with pytest.raises(ReceiptRefused):
            judge_again(receipt, json.dumps(spoiled).encode())
    for more in ({**file, "more": 1}, {**file, "dossier": {**file["dossier"], "more": 1}}, [file], None):
        with pytest.raises(ReceiptRefused):
            judge_again(receipt, json.dumps(more).encode())


def signed_by_a_key_that_is_believed(said: dict) -> tuple[str, bytes]:
    """Whatever is said, in a receipt whose signature is good, and the key to check it with."""
    key = OKPKey.generate_key("Ed25519", auto_kid=True)
    text = jws.serialize_compact({"alg": "EdDSA", "kid": key.kid, "typ": TYPE}, json.dumps(said), key, ["EdDSA"])
    return text, json.dumps({"keys": [key.as_dict(private=False)]}).encode()


async def test_a_receipt_whose_parts_contradict_each_other_does_not_hold_whoever_signed_it(decided):
    signed, keys, _ = decided
    said = verify_receipt(signed, keys).receipt.model_dump(mode="json")
    assert verify_receipt(*signed_by_a_key_that_is_believed(said))
    assert said["decision"]["decided_by"] == "ENGINE"
    flipped = {"APPROVED": "REJECTED", "REJECTED": "APPROVED"}[said["judgement"]]
    decision = said["decision"]
    rejection = {"code": "EXPIRED_DOCUMENT", "severity": "REJECTION"}
    mild = [one for one in said["issues"] if one["severity"] != "REJECTION"]
    unfounded = mild if said["judgement"] == "REJECTED" else [*mild, rejection]
    for wrong, words in (
        ({"judgement": flipped, "decision": {**decision, "outcome": flipped}}, "does not follow from its issues"),
        ({"issues": unfounded}, "does not follow from its issues"),
        ({"decision": {**decision, "outcome": flipped}}, "decided otherwise than it judged"),
        ({"iat": said["iat"] - 3600}, "made before the decision"),
        ({"judgement": "PERHAPS"}, "does not understand"),
    ):
        with pytest.raises(ReceiptRefused, match=words):
            verify_receipt(*signed_by_a_key_that_is_believed({**said, **wrong}))
    person = {**said, "decision": {**decision, "outcome": flipped, "decided_by": "REVIEWER"}}
    assert verify_receipt(*signed_by_a_key_that_is_believed(person)), "a person may decide otherwise"


async def test_evidence_that_is_judged_otherwise_than_the_receipt_says_does_not_bear_it_out(decided):
    """The right evidence, by its hash, under a receipt that says another thing of it."""
    signed, keys, file = decided
    receipt, evidence = verify_receipt(signed, keys).receipt, json.dumps(file).encode()
    first, *others = receipt.checks
    other = "FAILED" if first.result == "PASSED" else "PASSED"
    flipped = "APPROVED" if receipt.judgement == "REJECTED" else "REJECTED"
    for wrong in (
        {"judgement": flipped},
        {"checks": (first.model_copy(update={"result": other}), *others)},
        {"issues": receipt.issues[1:] if receipt.issues else ({"code": "EXPIRED_DOCUMENT", "severity": "WARNING"},)},
    ):
        with pytest.raises(ReceiptRefused, match="judged otherwise today"):
            judge_again(receipt.model_copy(update=wrong), evidence)
    assert receipt.judge is not None
    earlier = receipt.judge.model_copy(update={"rules_sha256": "0" * 64, "version": "0.0.1"})
    with pytest.raises(ReceiptRefused, match=r"not those that judged then \(Truename 0\.0\.1\)"):
        judge_again(receipt.model_copy(update={"judgement": flipped, "judge": earlier}), evidence)
    for without in ("evidence_hash", "config_hash"):
        with pytest.raises(ReceiptRefused, match="holds no hash"):
            judge_again(receipt.model_copy(update={without: None}), evidence)
    for other_hash in ("evidence_hash", "config_hash"):
        with pytest.raises(ReceiptRefused, match="its hash is another"):
            judge_again(receipt.model_copy(update={other_hash: "0" * 64}), evidence)
