"""THE LIST of what is sealed: the name that binds each sealed value to its record.

The name goes into the associated data beside account and customer, so that a value that was moved to another row or
column does not open. Names are never changed: what was sealed under the old one would be lost. Outside this module
nobody makes a `Seal`.
"""

from typing import Final, NewType
from uuid import UUID

Seal = NewType("Seal", str)
"""The name of one sealed record."""

# ── under the customer's own key: they die with it ───────────────────────────────────────────────────────────
PROFILE: Final = Seal("profile")
"""customers.sealed_profile: e-mail and phone number."""
DOCUMENT_RECORD: Final = Seal("record")
"""customers.sealed_record: what the last approved document said."""


def picture(media_id: UUID) -> Seal:
    """The bytes of a stored picture, in the store of objects."""
    return Seal(f"media:{media_id}")


def face_template(face_id: UUID) -> Seal:
    """faces.sealed_template and .sealed_next_template, blocklist_entries.sealed_template; inside stands which model
    made it."""
    return Seal(f"face:{face_id}")


def data_matching(transaction_id: UUID) -> Seal:
    """transactions.sealed_matching: who the integrator expects."""
    return Seal(f"data_matching:{transaction_id}")


def dossier(transaction_id: UUID) -> Seal:
    """examinations.sealed_dossier: everything that the judgement knew."""
    return Seal(f"dossier:{transaction_id}")


def receipt_nonce(transaction_id: UUID) -> Seal:
    """Not a sealed column: the derived secret under which a receipt hashes what may hold something of a person."""
    return Seal(f"receipt_nonce:{transaction_id}")


def device_signals(transaction_id: UUID) -> Seal:
    """device_signals.sealed: what the device reported and where it connected from."""
    return Seal(f"device_signals:{transaction_id}")


def audit_reason(audit_id: UUID) -> Seal:
    """audit_log.sealed_reason: free text about what was done to a customer."""
    return Seal(f"audit-reason:{audit_id}")


def review_note(opinion_id: UUID) -> Seal:
    """review_opinions.sealed_note: what a reviewer wrote about the person."""
    return Seal(f"review-note:{opinion_id}")


def handoff_origin(handoff_hash: bytes) -> Seal:
    """handoffs.sealed_origin: the device that began the capture, as the person sees it on the phone."""
    return Seal(f"handoff_origin:{handoff_hash.hex()}")


def idempotent_answer(client_id: str, key: str) -> Seal:
    """idempotent_answers.sealed: under the customer's key when the answer is about one, else under a key of the day."""
    return Seal(f"idempotent_answer:{client_id}:{key}")


# ── under the key of an entry of a blocklist: they die with it ──────────────────────────────────────────────────
def blocklist_reason(entry_id: UUID) -> Seal:
    """blocklist_entries.sealed_reason: why the face is on the list. Its template is sealed as a face's is."""
    return Seal(f"blocklist_reason:{entry_id}")


def blocklist_picture(entry_id: UUID) -> Seal:
    """blocklist_entries.sealed_picture: the face, so that templates by another recipe can be made of it."""
    return Seal(f"blocklist_picture:{entry_id}")


# ── under keys of the account or of the service ──────────────────────────────────────────────────────────────
def webhook_secret(secret_id: UUID) -> Seal:
    """webhook_secrets.sealed."""
    return Seal(f"webhook-secret/{secret_id}")


def signing_key(kid: str) -> Seal:
    """signing_keys.sealed."""
    return Seal(f"signing-key/{kid}")


def receipt_key(kid: str) -> Seal:
    """receipt_keys.sealed."""
    return Seal(f"receipt-key/{kid}")


def system_secret(name: str) -> Seal:
    """system_secrets.sealed."""
    return Seal(f"system-secret/{name}")


def operator_totp(operator_id: UUID) -> Seal:
    """operators.totp_sealed: the secret from which an operator's one-time codes are made."""
    return Seal(f"operator-totp/{operator_id}")
