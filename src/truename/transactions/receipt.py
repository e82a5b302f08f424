"""The receipt of a decision, and the evidence file with which it can be judged again."""

import json
from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

from psycopg.rows import DictRow
from pydantic import JsonValue, ValidationError

from truename import __version__
from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import EvidenceNotFound, ReceiptNotFound, TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.receipts.hashes import (
    OF_CONFIG,
    OF_EVIDENCE,
    keyed_hash,
    policy_sha256,
    rules_sha256,
)
from truename.receipts.model import (
    EvidenceFile,
    Judge,
    Receipt,
    ReceivedCheck,
    ReceivedDecision,
    ReceivedIssue,
    ReceivedModel,
)
from truename.receipts.sign import sign_receipt, stored_receipt
from truename.rules.dossier import Dossier
from truename.rules.verdict import Decision, evaluate

CONCLUDED: Final[LiteralString] = """
SELECT t.transaction_id, t.account_id, t.customer_id, t.transaction_type, t.created_at, t.submitted_at, t.outcome,
       t.decided_by, t.decided_at, t.issues, t.checks, c.data_key, e.sealed_dossier, e.engine, a.livemode,
       ceil(extract(epoch FROM greatest(clock_timestamp(), t.decided_at)))::bigint AS iat
FROM transactions t
JOIN accounts a ON a.account_id = t.account_id
JOIN customers c ON c.customer_id = t.customer_id AND c.account_id = t.account_id
LEFT JOIN examinations e ON e.transaction_id = t.transaction_id AND e.account_id = t.account_id
WHERE t.account_id = %(account_id)s AND t.transaction_id = %(transaction_id)s
"""


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """The dossier as it was stored, to the last field, and the nonce of its transaction."""

    dossier: dict[str, JsonValue]
    nonce: bytes


async def give_receipt(connection: Connection, plumbing: Plumbing, account_id: UUID, transaction_id: UUID) -> str:
    """Sign and keep the receipt of a transaction that was just decided on this connection, or long ago.

    Raises TransactionNotFound, or ReceiptNotFound where there is no decision.
    """
    row = await _concluded(connection, account_id, transaction_id)
    if row["outcome"] is None:
        raise ReceiptNotFound
    evidence = await _stored_evidence(plumbing, row)
    receipt = Receipt(
        iss=plumbing.settings.base_url,
        iat=row["iat"],
        livemode=row["livemode"],
        account_id=account_id,
        transaction_id=transaction_id,
        transaction_type=row["transaction_type"],
        created_at=row["created_at"],
        submitted_at=row["submitted_at"],
        decision=ReceivedDecision(outcome=row["outcome"], decided_by=row["decided_by"], decided_at=row["decided_at"]),
        judgement=_judgement(row),
        issues=tuple(ReceivedIssue(code=one["code"], severity=one["severity"]) for one in row["issues"]),
        checks=tuple(ReceivedCheck(check=one["check"], result=one["result"]) for one in row["checks"]),
        models=tuple(ReceivedModel.model_validate(model) for model in row["engine"] or ()),
        judge=_judge(evidence, row) if evidence else None,
        policy_sha256=policy_sha256(_config(evidence)) if evidence else None,
        config_hash=keyed_hash(evidence.nonce, OF_CONFIG, evidence.dossier.get("config")) if evidence else None,
        evidence_hash=keyed_hash(evidence.nonce, OF_EVIDENCE, evidence.dossier) if evidence else None,
    )
    return await sign_receipt(connection, plumbing, receipt)


async def read_receipt(plumbing: Plumbing, account_id: UUID, transaction_id: UUID) -> str:
    """The receipt; made now for a decision from before there were receipts. Raises as `give_receipt` does."""
    async with plumbing.database.account(account_id) as connection:
        found = await stored_receipt(connection, account_id, transaction_id)
        return found or await give_receipt(connection, plumbing, account_id, transaction_id)


async def read_evidence(plumbing: Plumbing, account_id: UUID, transaction_id: UUID, *, actor: str) -> EvidenceFile:
    """Everything that the judgement knew, as a file; the reading is audited before it is handed out.

    Raises TransactionNotFound, or EvidenceNotFound where there is none: not analysed yet, redacted or erased.
    """
    async with plumbing.database.account(account_id) as connection:
        row = await _concluded(connection, account_id, transaction_id)
        evidence = await _stored_evidence(plumbing, row)
        if evidence is None:
            raise EvidenceNotFound
        await record(
            connection,
            account_id,
            actor=actor,
            action=Action.EVIDENCE_READ,
            subject=f"transaction:{transaction_id}",
            details={"customer_id": str(row["customer_id"])},
        )
    return EvidenceFile(transaction_id=transaction_id, nonce=evidence.nonce.hex(), dossier=evidence.dossier)


async def _concluded(connection: Connection, account_id: UUID, transaction_id: UUID) -> DictRow:
    cursor = await connection.execute(CONCLUDED, {"account_id": account_id, "transaction_id": transaction_id})
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    return row


async def _stored_evidence(plumbing: Plumbing, row: DictRow) -> StoredEvidence | None:
    if row["sealed_dossier"] is None:
        return None
    key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
    if key is None:
        return None
    # As it was stored, not as this version would write it: a field that is added later must not change a hash.
    dossier = json.loads(key.open(bytes(row["sealed_dossier"]), seals.dossier(row["transaction_id"])))
    return StoredEvidence(dossier, key.derived(seals.receipt_nonce(row["transaction_id"])))


def _config(evidence: StoredEvidence) -> dict[str, JsonValue]:
    config = evidence.dossier.get("config")
    return config if isinstance(config, dict) else {}


def _judgement(row: DictRow) -> Decision:
    rejects = any(issue["severity"] == "REJECTION" for issue in row["issues"])
    return Decision.REJECTED if rejects else Decision.APPROVED


def _judge(evidence: StoredEvidence, row: DictRow) -> Judge | None:
    """These very rules, if they judge as it was judged; a reviewer may decide after they have changed."""
    try:
        verdict = evaluate(Dossier.model_validate_json(json.dumps(evidence.dossier)))
    except ValidationError:
        return None
    judged = [(issue.code.name, issue.severity.value) for issue in verdict.issues]
    if judged != [(issue["code"], issue["severity"]) for issue in row["issues"]]:
        return None
    return Judge(version=__version__, rules_sha256=rules_sha256())
