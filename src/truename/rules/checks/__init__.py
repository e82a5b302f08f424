"""One file per question. A new file is listed here, by import, and the judgement asks it.

A check says which results it gives (`ASKS`), for which transaction types (`APPLIES_TO`) and how it finds them
(`check`). It never knows a severity.
"""

from collections.abc import Iterator
from typing import Final, Protocol

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
from truename.rules.results import CheckName, CheckResult


class Check(Protocol):
    """What each module of this folder offers."""

    @property
    def ASKS(self) -> tuple[CheckName, ...]: ...

    @property
    def APPLIES_TO(self) -> frozenset[TransactionType]: ...

    def check(self, dossier: Dossier) -> Iterator[CheckResult]:
        """The results of these questions for one dossier."""
        ...


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
"""Every check, in the order in which the results are shown."""
