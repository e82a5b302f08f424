"""Check a receipt offline: who signed it, what it says and, with the evidence, whether it is judged the same again."""

import hmac
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson
from joserfc import jws
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import KeySet
from pydantic import ValidationError

from truename.receipts.hashes import OF_CONFIG, OF_EVIDENCE, keyed_hash, rules_sha256
from truename.receipts.keys import ALGORITHM
from truename.receipts.model import TYPE, EvidenceFile, Receipt
from truename.rules.dossier import Dossier
from truename.rules.verdict import Verdict, evaluate

warnings.filterwarnings("ignore", message="EdDSA is deprecated", category=SecurityWarning)


class ReceiptRefused(Exception):
    """The receipt does not hold; the words say why."""


@dataclass(frozen=True, slots=True)
class VerifiedReceipt:
    """A receipt whose signature is good, and by which key."""

    receipt: Receipt
    kid: str


def verify_receipt(text: str, keys: bytes) -> VerifiedReceipt:
    """The receipt, if one of these keys (a JWK set, as published) signed it. Raises ReceiptRefused."""
    try:
        published = KeySet.import_key_set(orjson.loads(keys))
    except (ValueError, TypeError, KeyError, AttributeError, JoseError):
        raise ReceiptRefused("The keys are no JWK set (RFC 7517).") from None
    try:
        opened = jws.deserialize_compact(text.strip(), published, [ALGORITHM])
    except (ValueError, TypeError, KeyError, JoseError):
        raise ReceiptRefused("None of the keys signed this: it was altered, or another service made it.") from None
    header = opened.headers()
    if header.get("typ") != TYPE:
        raise ReceiptRefused("It is signed, but it is no receipt of a decision.")
    try:
        receipt = Receipt.model_validate_json(opened.payload)
    except ValidationError:
        raise ReceiptRefused("It is signed, but says something that this version does not understand.") from None
    _refuse_contradictions(receipt)
    return VerifiedReceipt(receipt, str(header.get("kid")))


def _refuse_contradictions(receipt: Receipt) -> None:
    """A receipt is also wrong when its parts cannot be true together, whoever signed it."""
    rejects = any(issue.severity == "REJECTION" for issue in receipt.issues)
    if rejects != (receipt.judgement == "REJECTED"):
        raise ReceiptRefused("Its judgement does not follow from its issues.")
    if receipt.decision.decided_by == "ENGINE" and receipt.decision.outcome != receipt.judgement:
        raise ReceiptRefused("The engine decided otherwise than it judged.")
    if receipt.decision.decided_at > datetime.fromtimestamp(receipt.iat + 1, UTC):
        raise ReceiptRefused("It was made before the decision.")


def judge_again(receipt: Receipt, evidence: bytes) -> Verdict:
    """Judge the evidence file again: the same decision, issues and checks, or ReceiptRefused."""
    try:
        given = EvidenceFile.model_validate_json(evidence)
    except ValidationError:
        raise ReceiptRefused("The file is no evidence file of this version.") from None
    if given.transaction_id != receipt.transaction_id:
        raise ReceiptRefused("The evidence is that of another transaction.")
    if receipt.evidence_hash is None or receipt.config_hash is None:
        raise ReceiptRefused("The receipt was made when the evidence had been deleted: it holds no hash of it.")
    nonce = bytes.fromhex(given.nonce)
    for label, part, expected in (
        (OF_EVIDENCE, given.dossier, receipt.evidence_hash),
        (OF_CONFIG, given.dossier.get("config"), receipt.config_hash),
    ):
        if not hmac.compare_digest(keyed_hash(nonce, label, part), expected):
            raise ReceiptRefused("The evidence is not that of the receipt: its hash is another.")
    try:
        verdict = evaluate(Dossier.model_validate_json(orjson.dumps(given.dossier)))
    except ValidationError:
        raise ReceiptRefused("The evidence is the right one, but this version of Truename cannot read it.") from None
    if not _is_the_same(receipt, verdict):
        by = "" if receipt.judge is None or receipt.judge.rules_sha256 == rules_sha256() else (
            f" The rules are not those that judged then (Truename {receipt.judge.version})."
        )  # fmt: skip
        raise ReceiptRefused("The evidence is the right one, and is judged otherwise today." + by)
    return verdict


def _is_the_same(receipt: Receipt, verdict: Verdict) -> bool:
    """A check that was not there yet then says nothing about being judged the same."""
    then = {check.check: check.result for check in receipt.checks}
    now = {check.check: check.outcome for check in verdict.checks if check.check in then}
    issues = [(issue.code.name, issue.severity) for issue in verdict.issues]
    return (
        verdict.decision is receipt.judgement
        and then == now
        and issues == [(issue.code, issue.severity) for issue in receipt.issues]
    )
