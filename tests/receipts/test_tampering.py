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
