"""What erasure, redaction and retention have in common: the rows of a transaction that tell of its person.

What stays of a transaction are bare facts (type, status, codes, scores, times): an integrator must be able to show that
a check took place.
"""
# ruff: noqa: S608 - every part that is put together here is a constant of this house

from typing import Final, LiteralString
from uuid import UUID

from truename.plumbing.database.pool import Connection

KEPT_DETAILS: Final = ("score", "threshold", "reason", "compared_with", "filter_mode", "signs")
"""Details of an issue that tell of the check, not of the person: countries, ages and the like are dropped."""

BARE: LiteralString = """
    sealed_matching = NULL,
    redacted_at = coalesce(redacted_at, now()),
    issues = (
        SELECT coalesce(jsonb_agg(jsonb_set(issue, '{details}', coalesce((
            SELECT jsonb_object_agg(detail.key, detail.value) FROM jsonb_each(issue -> 'details') AS detail
            WHERE detail.key = ANY(%(kept_details)s)), '{}')) ORDER BY place), '[]')
        FROM jsonb_array_elements(issues) WITH ORDINALITY AS every (issue, place)),
    config = CASE WHEN config -> 'biometric_policy' IS NULL THEN config ELSE jsonb_set(
        config, '{biometric_policy}', (config -> 'biometric_policy')
        || '{"expected_gender": null, "expected_min_age": null, "expected_max_age": null}') END,
    config_sent = config_sent #- '{biometric_policy,expected_gender}' #- '{biometric_policy,expected_min_age}'
        #- '{biometric_policy,expected_max_age}'
"""
"""The columns of a transaction without what tells of a person."""

TELLING: Final[tuple[LiteralString, ...]] = (
    "examinations",
    "device_signals",
    "captures",
    "challenges",
    "handoffs",
    "search_keys",
)
"""Tables whose rows tell of the person of one transaction and are deleted with it."""


async def forget_transactions(connection: Connection, account_id: UUID, transaction_ids: list[UUID]) -> None:
    """Reduce transactions to bare facts. Safe to repeat."""
    own = {"account_id": account_id, "ids": transaction_ids, "kept_details": list(KEPT_DETAILS)}
    await connection.execute(
        f"UPDATE transactions SET {BARE} WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s)", own
    )
    for table in TELLING:
        await connection.execute(
            f"DELETE FROM {table} WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s)", own
        )
    await connection.execute(
        "UPDATE consents SET language = 'und' WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s)", own
    )
    await connection.execute(
        "UPDATE review_opinions SET sealed_note = NULL "
        "WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s)",
        own,
    )
    # By customer, which has an index; a transaction has but one customer.
    for table in ("seen_frames", "faces"):
        await connection.execute(
            f"""
            DELETE FROM {table} WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s) AND customer_id IN (
                SELECT customer_id FROM transactions
                WHERE account_id = %(account_id)s AND transaction_id = ANY(%(ids)s))
            """
            + (
                "AND NOT EXISTS (SELECT 1 FROM customers c WHERE c.account_id = faces.account_id "
                "AND c.customer_id = faces.customer_id AND c.reference_face_id = faces.face_id)"
                if table == "faces"
                else ""
            ),
            own,
        )


async def redact_pictures(connection: Connection, account_id: UUID, transaction_ids: list[UUID]) -> int:
    """Mark the pictures of transactions as redacted; says how many there were. Their objects are deleted by a job."""
    cursor = await connection.execute(
        "UPDATE media SET redacted_at = now() WHERE account_id = %s AND transaction_id = ANY(%s) "
        "AND redacted_at IS NULL",
        (account_id, transaction_ids),
    )
    return cursor.rowcount
