"""Read a transaction as the integrator sees it."""

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from psycopg.rows import class_row
from pydantic import JsonValue

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.rules.authenticity_signs import LIMITS, AuthenticitySign
from truename.rules.config import TransactionType
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentEvidence, Evidence, QualityReason
from truename.transactions import store
from truename.transactions.answers import (
    ShownCheck,
    ShownDecision,
    ShownIssue,
    ShownMedia,
    ShownModel,
    ShownTransaction,
    TransactionChange,
    TransactionSummary,
)
from truename.transactions.create import with_matching
from truename.transactions.evidence_answers import (
    ShownAge,
    ShownBiometrics,
    ShownComparison,
    ShownDevice,
    ShownDocument,
    ShownField,
    ShownGender,
    ShownLiveness,
    ShownMrz,
    ShownSign,
)
from truename.transactions.lifecycle import FINAL, Status

FIRST_LOOK, LONGEST_PAUSE = 0.1, 0.5


async def read_transaction(plumbing: Plumbing, caller: Caller, transaction_id: UUID) -> ShownTransaction:
    """The whole transaction, which leaves a row in the audit log; refuses (404) an unknown one."""
    own = {"account_id": caller.account_id, "transaction_id": transaction_id}
    rows = await plumbing.database.typed_statement(store.WholeTransactionRow, caller.account_id, store.WHOLE, own)
    if not rows:
        raise TransactionNotFound
    details = {"customer_id": str(rows[0].customer_id)}
    subject = f"transaction:{transaction_id}"
    entry = Entry(caller.account_id, caller.actor, Action.TRANSACTION_READ, subject, details)
    await record_reading(plumbing.database, entry)
    return caller.marked(await whole(plumbing, rows[0]))


async def read_changed(
    connection: Connection, plumbing: Plumbing, caller: Caller, transaction_id: UUID
) -> ShownTransaction | TransactionChange:
    """The transaction as it stands inside a database transaction that is still under way.

    Whole for a token that may read, otherwise status, decision and times.
    """
    own = {"account_id": caller.account_id, "transaction_id": transaction_id}
    cursor = await connection.cursor(row_factory=class_row(store.WholeTransactionRow)).execute(store.WHOLE, own)
    row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    if caller.may("transactions:read"):
        return caller.marked(await whole(plumbing, row))
    return caller.marked(change(row))


async def wait_until_final(
    plumbing: Plumbing, caller: Caller, transaction_id: UUID, seconds: float, leaving: asyncio.Event
) -> None:
    """Return when the status is final, the time is up, or this process is to end; no connection is held in between."""
    deadline, pause = time.monotonic() + seconds, FIRST_LOOK
    own = {"account_id": caller.account_id, "transaction_id": transaction_id}
    while True:
        rows = await plumbing.database.statement(caller.account_id, store.STATUS_QUERY, own)
        if not rows:
            raise TransactionNotFound
        left = deadline - time.monotonic()
        if Status(rows[0]["status"]) in FINAL or left <= 0 or leaving.is_set():
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(leaving.wait(), min(pause, left))
        pause = min(pause * 1.5, LONGEST_PAUSE)


def summary(row: store.TransactionRow) -> TransactionSummary:
    """A row as a list shows it."""
    return TransactionSummary(
        transaction_id=row.transaction_id,
        customer_id=row.customer_id,
        external_customer_id=row.external_customer_id,
        transaction_type=TransactionType(row.transaction_type),
        status=Status(row.status),
        decision=_decision(row),
        issues=[ShownIssue.model_validate(issue) for issue in row.issues],
        created_at=row.created_at,
        started_at=row.started_at,
        submitted_at=row.submitted_at,
        completed_at=row.completed_at,
        expires_at=row.expires_at,
    )


def _decision(row: store.TransactionRow) -> ShownDecision | None:
    if row.outcome is None or row.decided_by is None or row.decided_at is None:
        return None
    return ShownDecision(outcome=row.outcome, decided_by=row.decided_by, decided_at=row.decided_at)


def change(row: store.WholeTransactionRow) -> TransactionChange:
    """Status, decision and times: what a token that may write and not read is told."""
    shown = summary(row).model_dump(exclude={"external_customer_id", "issues"})
    return TransactionChange(**shown, redacted_at=row.redacted_at)


async def whole(plumbing: Plumbing, row: store.WholeTransactionRow) -> ShownTransaction:
    """Everything, with what is sealed opened; what was erased or redacted is null."""
    key = None
    if row.data_key is not None and (row.sealed_dossier is not None or row.sealed_matching is not None):
        key = await plumbing.keys.open(row.data_key, row.account_id, row.customer_id)
    dossier = opened_dossier(key, row.sealed_dossier, row.transaction_id)
    matching = None
    if key and row.sealed_matching is not None:
        matching = key.open(row.sealed_matching, seals.data_matching(row.transaction_id))
    evidence = dossier.evidence if dossier else None
    has_selfie = dossier is not None and dossier.transaction_type.has_selfie
    config = with_matching(row.config, matching)
    return ShownTransaction(
        **dict(summary(row)),
        checks=[ShownCheck.model_validate(check) for check in row.checks],
        document=_document(evidence.document) if evidence and evidence.document else None,
        biometrics=_biometrics(evidence) if evidence and has_selfie else None,
        device=ShownDevice.model_validate(evidence.device.model_dump()) if evidence else None,
        config=_without_query(config) if row.data_key is None else config,
        media=[ShownMedia.model_validate(picture) for picture in row.media],
        engine=[ShownModel.model_validate(model) for model in row.engine or ()],
        redacted_at=row.redacted_at,
    )


def _without_query(config: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The config of an erased customer: what stands behind the `?` of the address is only still there to be told."""
    webhook = config.get("webhook")
    if not isinstance(webhook, dict):
        return config
    return {**config, "webhook": {**webhook, "url": str(webhook["url"]).partition("?")[0]}}


def opened_dossier(key: DataKey | None, sealed: bytes | None, transaction_id: UUID) -> Dossier | None:
    """The stored dossier, unless it was never made, redacted or erased."""
    if key is None or sealed is None:
        return None
    return Dossier.model_validate_json(key.open(sealed, seals.dossier(transaction_id)))


def _document(document: DocumentEvidence) -> ShownDocument:
    mrz = document.mrz
    quality: dict[Literal["front", "back"], list[QualityReason]] = {}
    if document.front:
        quality["front"] = list(document.front.quality.reasons)
    if document.back:
        quality["back"] = list(document.back.quality.reasons)
    return ShownDocument(
        recognised=document.recognised,
        reason=document.reason,
        country=document.country,
        issuer_code=document.issuer_code,
        type=document.type,
        fields={
            name.value: ShownField.model_validate(field.model_dump(mode="json"))
            for name, field in document.fields.items()
        },
        mrz=ShownMrz.model_validate(mrz.model_dump(exclude={"lines", "check_digits"})) if mrz else None,
        barcode_kind=document.barcode_kind,
        authenticity=None if document.authenticity is None else _signs(document.authenticity),
        quality=quality,
    )


def _signs(measured: Mapping[AuthenticitySign, float]) -> dict[AuthenticitySign, ShownSign]:
    return {
        sign: ShownSign(value=value, limit=limit.limit, speaks_against=limit.speaks(value), counts=limit.fails)
        for sign, value in measured.items()
        for limit in (LIMITS[sign],)
    }


def _biometrics(evidence: Evidence) -> ShownBiometrics:
    live, selfie = evidence.liveness, evidence.selfie
    return ShownBiometrics(
        liveness=ShownLiveness.model_validate(live.model_dump(exclude={"quality", "steps", "light"})) if live else None,
        comparisons={
            pair: ShownComparison.model_validate(found.model_dump()) for pair, found in evidence.face_similarity.items()
        },
        estimated_age=ShownAge(value=selfie.age, margin=selfie.age_margin) if selfie else None,
        estimated_gender=ShownGender(value=selfie.gender, confidence=selfie.gender_confidence) if selfie else None,
    )
