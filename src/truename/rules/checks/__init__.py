"""One file per question, listed here: a new one is imported and added to `CHECKS`.

A check says which results it gives (`ASKS`), for which transaction types (`APPLIES_TO`) and how it finds them
(`check`). It never knows a severity.
"""

from collections.abc import Iterator
from typing import Final, Protocol

from truename.rules.answers import Answer, CheckName
from truename.rules.checks import (
    customer_status,
    device_signals,
    document_authenticity,
    document_consistency,
    document_data_matching,
    document_eligibility,
    document_expiry,
    face_comparison,
    face_search,
    liveness,
    selfie_age,
    selfie_gender,
)
from truename.rules.config import TransactionType
from truename.rules.dossier import Dossier


class Check(Protocol):
    ASKS: tuple[CheckName, ...]
    APPLIES_TO: frozenset[TransactionType]

    def check(self, dossier: Dossier) -> Iterator[Answer]: ...


CHECKS: Final[tuple[Check, ...]] = (
    customer_status,
    device_signals,
    document_consistency,
    document_data_matching,
    document_eligibility,
    document_expiry,
    document_authenticity,
    face_comparison,
    face_search,
    liveness,
    selfie_age,
    selfie_gender,
)
"""Every check, in the order in which their answers are shown."""
