"""The end of an analysis or of a review: the decision, and what it means for the customer."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import orjson

from truename.accounts.store import account_settings
from truename.customers.change_status import change_status
from truename.media.face_vectors import enrol_for_search
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import CustomerStatus, Dossier, EarlierRecord
from truename.rules.evidence import FieldName
from truename.rules.issues import Issue
from truename.rules.results import CheckResult
from truename.rules.text import is_name
from truename.transactions.lifecycle import Status, move
from truename.transactions.read import opened_dossier
from truename.transactions.receipt import give_receipt

FRAUD_LIMIT: Final = 3
FRAUD_DAYS: Final = 30


async def conclude(
    connection: Connection,
    plumbing: Plumbing,
    account_id: UUID,
    transaction_id: UUID,
    status: Status,
    *,
    decided_by: str,
    after: Status,
    actor: str | None = None,
    issues: Sequence[Issue] | None = None,
    checks: Sequence[CheckResult] | None = None,
    fraud_signs: bool | None = None,
) -> None:
    """Move to the decided status; a decision gets its receipt in the same database transaction.

    An approval enrols face and document data; fraudulent rejections are counted.
    """
    changed = await move(
        connection,
        account_id,
        transaction_id,
        status,
        decided_by=decided_by,
        after=after,
        actor=actor,
        issues=issues,
        checks=checks,
        fraud_signs=fraud_signs,
    )
    if status is not Status.IN_REVIEW:
        await give_receipt(connection, plumbing, account_id, transaction_id)
    if status is Status.APPROVED:
        await _enrol(connection, plumbing, account_id, changed.customer_id, transaction_id)
    elif status is Status.REJECTED:
        await _suspect(connection, plumbing, account_id, changed.customer_id, transaction_id)


async def customer_standing(connection: Connection, account_id: UUID, transaction_id: UUID) -> CustomerStatus | None:
    """The status of the transaction's customer, which nobody changes until the commit; None without a transaction.

    Locks the transaction before its customer, as whatever locks both does.
    """
    own = (account_id, transaction_id)
    await connection.execute("SELECT 1 FROM transactions WHERE account_id = %s AND transaction_id = %s FOR UPDATE", own)
    cursor = await connection.execute(
        """
        SELECT c.status FROM customers c JOIN transactions t USING (account_id, customer_id)
        WHERE t.account_id = %s AND t.transaction_id = %s FOR UPDATE OF c
        """,
        own,
    )
    row = await cursor.fetchone()
    return CustomerStatus(row["status"]) if row is not None else None


async def _enrol(
    connection: Connection, plumbing: Plumbing, account_id: UUID, customer_id: UUID, transaction_id: UUID
) -> None:
    """Keep the live face as the identity reference when there is none, and the document's data as the record."""
    cursor = await connection.execute(
        """
        UPDATE customers c SET reference_face_id = coalesce(c.reference_face_id, (
            SELECT f.face_id FROM faces f WHERE f.account_id = c.account_id AND f.transaction_id = %(transaction_id)s
            AND f.origin = 'LIVENESS' AND f.usable ORDER BY f.created_at LIMIT 1))
        FROM examinations e
        WHERE c.account_id = %(account_id)s AND c.customer_id = %(customer_id)s AND c.erased_at IS NULL
          AND e.account_id = c.account_id AND e.transaction_id = %(transaction_id)s
        RETURNING c.data_key, e.sealed_dossier
        """,
        {"account_id": account_id, "customer_id": customer_id, "transaction_id": transaction_id},
    )
    row = await cursor.fetchone()
    if row is None:
        return
    key = await plumbing.keys.open(row["data_key"], account_id, customer_id)
    if key is None:
        return
    await enrol_for_search(connection, plumbing.vault, key, account_id, customer_id)
    dossier = opened_dossier(key, row["sealed_dossier"], transaction_id)
    record = record_of(dossier) if dossier else None
    if record is not None:
        await connection.execute(
            "UPDATE customers SET sealed_record = %s, record_transaction_id = %s "
            "WHERE account_id = %s AND customer_id = %s",
            (
                key.seal(orjson.dumps(record.model_dump(mode="json")), seals.DOCUMENT_RECORD),
                transaction_id,
                account_id,
                customer_id,
            ),
        )


def record_of(dossier: Dossier) -> EarlierRecord | None:
    """What later documents of this customer are compared with; None when nothing was read of a document.

    A field that this document does not show is not known; one of which nothing at all was read replaces no record.
    """
    document = dossier.evidence.document
    if document is None or not dossier.transaction_type.has_document:
        return None
    record = EarlierRecord(
        given_names=_name(document.value(FieldName.GIVEN_NAMES)),
        surnames=_name(document.value(FieldName.SURNAMES)),
        gender=document.value(FieldName.GENDER),
        date_of_birth=document.date(FieldName.DATE_OF_BIRTH),
    )
    return None if record == EarlierRecord() else record


def _name(value: str | None) -> str | None:
    """Marks alone are no name that a later one could be compared with."""
    return value if value is not None and is_name(value) else None


async def _suspect(
    connection: Connection, plumbing: Plumbing, account_id: UUID, customer_id: UUID, transaction_id: UUID
) -> None:
    """Three rejections with fraud signs within 30 days make an active customer suspicious, unless switched off.

    This one must be of the three: whom a person has cleared, an expired document does not make suspicious anew.
    One who was erased has no status any more: the case that waited is rejected all the same.
    """
    cursor = await connection.execute(
        """
        SELECT c.status, (SELECT count(*) FROM transactions t WHERE t.account_id = c.account_id
            AND t.customer_id = c.customer_id AND t.status = 'REJECTED' AND t.fraud_signs
            AND t.decided_at > now() - make_interval(days => %(days)s)) AS rejections
        FROM customers c WHERE c.account_id = %(account_id)s AND c.customer_id = %(customer_id)s
            AND c.erased_at IS NULL AND EXISTS (SELECT FROM transactions t WHERE t.account_id = c.account_id
                AND t.transaction_id = %(transaction_id)s AND t.fraud_signs) FOR UPDATE OF c
        """,
        {
            "account_id": account_id,
            "customer_id": customer_id,
            "transaction_id": transaction_id,
            "days": FRAUD_DAYS,
        },
    )
    row = await cursor.fetchone()
    if row is None or row["status"] != CustomerStatus.ACTIVE or row["rejections"] < FRAUD_LIMIT:
        return
    if not (await account_settings(connection, account_id)).suspicious_rule:
        return
    await change_status(
        connection,
        plumbing.keys,
        account_id,
        customer_id,
        CustomerStatus.SUSPICIOUS,
        actor="rule:three_fraud_rejections",
        reason=f"{row['rejections']} rejections with fraud signs within {FRAUD_DAYS} days",
    )
