"""Read a transaction as the integrator sees it."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound
from truename.plumbing.http.answers import instant
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, Evidence
from truename.transactions import store
from truename.transactions.create import with_matching
from truename.transactions.lifecycle import FINAL, Status

FIRST_LOOK, LONGEST_PAUSE = 0.1, 0.5


async def read_transaction(plumbing: Plumbing, caller: Caller, transaction_id: UUID) -> dict[str, Any]:
    """The whole transaction, which leaves a row in the audit log; refuses (404) an unknown one."""
    own = {"account_id": caller.account_id, "transaction_id": transaction_id}
    rows = await plumbing.database.statement(caller.account_id, store.WHOLE, own)
    if not rows:
        raise TransactionNotFound
    details = {"customer_id": str(rows[0]["customer_id"])}
    subject = f"transaction:{transaction_id}"
    entry = Entry(caller.account_id, caller.actor, Action.TRANSACTION_READ, subject, details)
    await record_reading(plumbing.database, entry)
    return await whole(plumbing, rows[0])


async def read_changed(
    connection: Connection, plumbing: Plumbing, caller: Caller, transaction_id: UUID
) -> dict[str, Any]:
    """The transaction as it stands inside a database transaction that is still under way.

    Whole for a token that may read, otherwise status, decision and times.
    """
    own = {"account_id": caller.account_id, "transaction_id": transaction_id}
    cursor = await connection.execute(store.WHOLE, own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    return await whole(plumbing, row) if caller.may("transactions:read") else change(row)


async def wait_until_final(plumbing: Plumbing, caller: Caller, transaction_id: UUID, seconds: float) -> None:
    """Return when the status is final or the time is up; no connection is held in between."""
    deadline, pause = time.monotonic() + seconds, FIRST_LOOK
    own = {"account_id": caller.account_id, "transaction_id": transaction_id}
    while True:
        rows = await plumbing.database.statement(caller.account_id, store.STATUS_QUERY, own)
        if not rows:
            raise TransactionNotFound
        left = deadline - time.monotonic()
        if Status(rows[0]["status"]) in FINAL or left <= 0:
            return
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, LONGEST_PAUSE)


def summary(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as a list shows it."""
    decision = None
    if row["outcome"] is not None:
        decision = {
            "outcome": row["outcome"],
            "decided_by": row["decided_by"],
            "decided_at": instant(row["decided_at"]),
        }
    return {
        "transaction_id": row["transaction_id"],
        "customer_id": row["customer_id"],
        "external_customer_id": row["external_customer_id"],
        "transaction_type": row["transaction_type"],
        "status": row["status"],
        "decision": decision,
        "issues": row["issues"],
        "created_at": instant(row["created_at"]),
        "started_at": instant(row["started_at"]),
        "submitted_at": instant(row["submitted_at"]),
        "completed_at": instant(row["completed_at"]),
        "expires_at": instant(row["expires_at"]),
    }


def change(row: Mapping[str, Any]) -> dict[str, Any]:
    """Status, decision and times: what a token that may write and not read is told."""
    hidden = {"external_customer_id", "issues"}
    shown = {name: value for name, value in summary(row).items() if name not in hidden}
    return {**shown, "redacted_at": instant(row["redacted_at"])}


async def whole(plumbing: Plumbing, row: Mapping[str, Any]) -> dict[str, Any]:
    """Everything, with what is sealed opened; what was erased or redacted is null."""
    key = None
    if row["data_key"] is not None and (row["sealed_dossier"] is not None or row["sealed_matching"] is not None):
        key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
    dossier = opened_dossier(key, row)
    matching = None
    if key and row["sealed_matching"] is not None:
        matching = key.open(bytes(row["sealed_matching"]), seals.data_matching(row["transaction_id"]))
    evidence = dossier.evidence if dossier else None
    config = with_matching(row["config"], matching)
    return {
        **summary(row),
        "checks": row["checks"],
        "document": _document(evidence.document) if evidence and evidence.document else None,
        "biometrics": _biometrics(evidence) if evidence and dossier and dossier.transaction_type.has_selfie else None,
        "device": evidence.device.model_dump(mode="json") if evidence else None,
        "config": _without_query(config) if row["data_key"] is None else config,
        "media": row["media"],
        "engine": row["engine"] or [],
        "redacted_at": instant(row["redacted_at"]),
    }


def _without_query(config: dict[str, Any]) -> dict[str, Any]:
    """The config of an erased customer: what stands behind the `?` of the address is only still there to be told."""
    if not config.get("webhook"):
        return config
    return {**config, "webhook": {**config["webhook"], "url": config["webhook"]["url"].partition("?")[0]}}


def opened_dossier(key: DataKey | None, row: Mapping[str, Any]) -> Dossier | None:
    """The stored dossier, unless it was never made, redacted or erased."""
    if key is None or row["sealed_dossier"] is None:
        return None
    return Dossier.model_validate_json(key.open(bytes(row["sealed_dossier"]), seals.dossier(row["transaction_id"])))


def _document(document: DocumentEvidence) -> dict[str, Any]:
    mrz = document.mrz
    sides = {"front": document.front, "back": document.back}
    return {
        "recognised": document.recognised,
        "reason": document.reason,
        "country": document.country,
        "issuer_code": document.issuer_code,
        "type": document.type,
        "fields": {name.value: field.model_dump(mode="json") for name, field in document.fields.items()},
        "mrz": mrz.model_dump(mode="json", exclude={"lines", "check_digits"}) if mrz else None,
        "barcode_kind": document.barcode_kind,
        "quality": {name: [reason.value for reason in side.quality.reasons] for name, side in sides.items() if side},
    }


def _biometrics(evidence: Evidence) -> dict[str, Any]:
    live, selfie = evidence.liveness, evidence.selfie
    return {
        "liveness": live.model_dump(mode="json", exclude={"quality"}) if live else None,
        "comparisons": {pair.value: found.model_dump() for pair, found in evidence.face_similarity.items()},
        "estimated_age": {"value": selfie.age, "margin": selfie.age_margin} if selfie else None,
        "estimated_gender": {"value": selfie.gender, "confidence": selfie.gender_confidence} if selfie else None,
    }
