"""What a receipt says, and what an evidence file holds. No value of a person stands in a receipt."""

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from truename.rules.config import TransactionType
from truename.rules.issues import Severity
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision

MEDIA_TYPE: Final = "application/jose"
"""A JWS in its compact form (RFC 7515)."""
TYPE: Final = "truename-receipt+jws"
EVIDENCE_FORMAT: Final = "truename-evidence/1"
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Signed(BaseModel):
    """Base of every part of a receipt: frozen and closed, so that nothing unknown is taken for understood."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReceivedDecision(Signed):
    """What was decided, by whom and when."""

    outcome: Decision
    decided_by: Literal["ENGINE", "REVIEWER"]
    decided_at: datetime


class ReceivedIssue(Signed):
    """An issue without its details."""

    code: str
    severity: Severity


class ReceivedCheck(Signed):
    """A check without its score."""

    check: CheckName
    result: Outcome


class ReceivedModel(Signed):
    """A model that took part."""

    name: str
    version: str
    sha256: str


class Judge(Signed):
    """The code that judged: the version of Truename, and the hash of the very rules."""

    version: str
    rules_sha256: Hash


class Receipt(Signed):
    """The payload of the JWS."""

    receipt_version: Literal[1] = 1
    iss: str
    """The address of the service."""
    iat: int
    """When the receipt was made, in seconds: with the decision, or later for decisions from before there were any."""
    livemode: bool
    """False when the account is a sandbox: nothing that it decides is a real verification."""
    account_id: UUID
    transaction_id: UUID
    transaction_type: TransactionType
    created_at: datetime
    submitted_at: datetime | None
    decision: ReceivedDecision
    judgement: Decision
    """What the engine judged; a reviewer may have decided otherwise."""
    issues: tuple[ReceivedIssue, ...]
    checks: tuple[ReceivedCheck, ...]
    models: tuple[ReceivedModel, ...]
    judge: Judge | None
    """None when the receipt was made later than the judgement: which code judged then was not kept."""
    policy_sha256: Hash | None
    """SHA-256 of the policy: the config without webhook and without what it expects of the person."""
    config_hash: Hash | None
    """HMAC-SHA-256 of the whole config under the nonce of the evidence file."""
    evidence_hash: Hash | None
    """The same of all that the judgement knew. None when it was deleted before the receipt was made."""


class EvidenceFile(Signed):
    """All that the judgement knew, with the nonce that the hashes of the receipt are keyed with: personal data."""

    format: Literal["truename-evidence/1"] = EVIDENCE_FORMAT
    transaction_id: UUID
    nonce: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    dossier: dict[str, JsonValue]
