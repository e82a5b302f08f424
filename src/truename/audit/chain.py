"""The chain: each line is bound to the one before it, and the end of each chain is kept apart.

The hash of a line is an HMAC over its content and the hash before it, under a secret that the database holds only
sealed. So one who can write to the database but does not have the master key can neither alter a line, nor take one
out, put one in or move one, nor shorten the chain: the head says how many lines there are, under the same secret.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import orjson

from truename.audit.model import Detail, Line

BEGINNING: Final = b"\x00" * 32
"""What stands before the first line."""
SPOILED: Final = b"\x00" * 32
"""In the place of a head's MAC once it was found altered: no chain that goes on from there counts as whole."""


@dataclass(frozen=True)
class Head:
    """The end of a chain: how many lines there are, and the hash of the last."""

    account_id: UUID
    count: int
    hash: bytes
    mac: bytes

    def is_ours(self, key: bytes) -> bool:
        """Was this head written by who has the key of the chain?"""
        return hmac.compare_digest(self.mac, head_mac(key, self.account_id, self.count, self.hash))


def line_hash(
    key: bytes,
    before: bytes,
    *,
    account_id: UUID,
    sequence: int,
    audit_id: UUID,
    at: datetime,
    actor: str,
    action: str,
    subject: str,
    details: Mapping[str, Detail],
    sealed_reason: bytes | None,
) -> bytes:
    """The hash of one line, which covers everything that is stored of it and all that came before."""
    content = orjson.dumps(
        [
            str(account_id),
            sequence,
            str(audit_id),
            at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f"),
            actor,
            action,
            subject,
            dict(details),
            None if sealed_reason is None else hashlib.sha256(sealed_reason).hexdigest(),
        ],
        option=orjson.OPT_SORT_KEYS,
    )
    return hmac.new(key, b"line\x00" + before + content, hashlib.sha256).digest()


def hash_of(key: bytes, before: bytes, line: Line) -> bytes:
    """What the hash of a stored line should be."""
    return line_hash(
        key,
        before,
        account_id=line.account_id,
        sequence=line.sequence,
        audit_id=line.audit_id,
        at=line.at,
        actor=line.actor,
        action=line.action,
        subject=line.subject,
        details=line.details,
        sealed_reason=line.sealed_reason,
    )


def head_mac(key: bytes, account_id: UUID, count: int, last: bytes) -> bytes:
    """Proof that we ourselves put the end of the chain here."""
    return hmac.new(key, b"head\x00" + account_id.bytes + count.to_bytes(8, "big") + last, hashlib.sha256).digest()
