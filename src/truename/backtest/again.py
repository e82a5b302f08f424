"""Judge the same dossier many times under changing policies: what a changed policy cannot touch is not asked again.

A property test holds it to `evaluate`, for any dossier and any policy.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from truename.rules.checks import (
    Check,
    document_data_matching,
    document_eligibility,
    document_expiry,
    face_comparison,
    face_search,
    liveness,
    selfie_age,
    selfie_gender,
)
from truename.rules.config import Config, TransactionType
from truename.rules.dossier import Dossier
from truename.rules.issues import AGAINST_THE_RECORD, Severity
from truename.rules.results import CheckName, CheckResult, Finding, Outcome
from truename.rules.verdict import evaluate

Ask = Callable[[Dossier], Iterable[CheckResult]]
READ_DOCUMENT_POLICY: Final[tuple[Check, ...]] = (document_data_matching, document_eligibility, document_expiry)
READ_BIOMETRIC_POLICY: Final[tuple[Check, ...]] = (face_comparison, face_search, liveness, selfie_age, selfie_gender)
"""The checks whose findings depend on a part of the config; all others find the same under any."""


def _asked(checks: tuple[Check, ...]) -> dict[TransactionType, tuple[Ask, ...]]:
    return {kind: tuple(check.check for check in checks if kind in check.APPLIES_TO) for kind in TransactionType}


_OF_DOCUMENT, _OF_FACE = _asked(READ_DOCUMENT_POLICY), _asked(READ_BIOMETRIC_POLICY)
_NAMES_OF_DOCUMENT: Final = frozenset(name for check in READ_DOCUMENT_POLICY for name in check.ASKS)
_NAMES_OF_FACE: Final = frozenset(name for check in READ_BIOMETRIC_POLICY for name in check.ASKS)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was found in a dossier under its own config, by the part of the config that could change it."""

    dossier: Dossier
    in_document: tuple[Finding, ...]
    in_face: tuple[Finding, ...]
    elsewhere: tuple[Finding, ...]
    doubtful: bool
    """The check of the document's authenticity fails, whatever the config says."""

    def rejected_by(self, judged: Dossier) -> list[str]:
        """The codes that reject the same dossier under another config, in the order of the catalogue."""
        config, own = judged.config, self.dossier.config
        kind = judged.transaction_type
        in_document, in_face = self.in_document, self.in_face
        if config.document_policy is not own.document_policy:
            in_document = _found(_OF_DOCUMENT[kind], judged)
        if config.biometric_policy is not own.biometric_policy:
            in_face = _found(_OF_FACE[kind], judged)
        codes = [one.code for part in (in_document, in_face, self.elsewhere) for one in part if _rejects(one, config)]
        return [code.name for code in sorted(codes, key=lambda code: code.place)]


def prepared(dossier: Dossier) -> Prepared:
    """Judge once under its own config, and keep what was found."""
    parts: tuple[list[Finding], list[Finding], list[Finding]] = ([], [], [])
    verdict = evaluate(dossier)
    for result in verdict.checks:
        if result.finding is not None:
            of_face, of_document = result.check in _NAMES_OF_FACE, result.check in _NAMES_OF_DOCUMENT
            parts[1 if of_face else 0 if of_document else 2].append(result.finding)
    doubtful = verdict.outcome(CheckName.DOCUMENT_AUTHENTICITY) is Outcome.FAILED
    return Prepared(dossier, tuple(parts[0]), tuple(parts[1]), tuple(parts[2]), doubtful)


def _found(asks: tuple[Ask, ...], dossier: Dossier) -> tuple[Finding, ...]:
    return tuple([result.finding for ask in asks for result in ask(dossier) if result.finding is not None])


def _rejects(finding: Finding, config: Config) -> bool:
    severity = AGAINST_THE_RECORD[finding.code] if finding.against_the_record else finding.code.severity
    return severity.in_config(config) is Severity.REJECTION
