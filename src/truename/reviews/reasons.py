"""THE LIST of reasons that a reviewer chooses from, each tied to the issue codes that it answers.

Approving says what was wrong with the machine's finding; rejecting says what a person saw. A reason to approve is
offered only where the transaction has an issue that it answers, or a document that contradicts itself.
"""
# ruff: noqa: E501 - a table is read by its columns

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truename.reviews.model import LONGEST_NOTE, SHORTEST_OTHER, Decided
from truename.rules.issues import Group, IssueCode, Severity
from truename.rules.results import CheckName

_FACES: Final = frozenset(
    {
        IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH,
        IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH,
        IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH,
    }
)
_LIVENESS: Final = frozenset({IssueCode.LIVENESS_LOW_CONFIDENCE})
_ESTIMATES: Final = frozenset({IssueCode.LIVENESS_AGE_OUT_OF_RANGE, IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED})
_KIND: Final = frozenset({IssueCode.DOCUMENT_TYPE_NOT_SUPPORTED, IssueCode.DOCUMENT_NOT_ELIGIBLE})
_EXPIRY: Final = frozenset({IssueCode.EXPIRED_DOCUMENT})
_DATA: Final = frozenset(code for code in IssueCode if code.group is Group.DATA_MATCHING)
_DEVICE: Final = frozenset(code for code in IssueCode if code.group is Group.DEVICE)
_CUSTOMER: Final = frozenset({IssueCode.CUSTOMER_SUSPICIOUS})
_SEARCH: Final = frozenset(
    {
        IssueCode.ANOTHER_CUSTOMER_REPEATED_FACE,
        IssueCode.INTERNAL_FACE_BLACKLIST_MATCH,
        IssueCode.GLOBAL_FACE_BLACKLIST_MATCH,
    }
)
_NONE: Final[frozenset[IssueCode]] = frozenset()


@dataclass(frozen=True, slots=True)
class Reason:
    """One row of the list."""

    name: str
    outcome: Decided
    codes: frozenset[IssueCode]
    words: str
    answers_doubt: bool = False
    """It answers a document that contradicts itself, for which there is no issue code."""
    always: bool = False
    """It is offered whatever the issues are."""
    when_clear: bool = False
    """It is offered where the engine found nothing that rejects or contradicts."""


# fmt: off
REASONS: Final[tuple[Reason, ...]] = (
    Reason("SAME_PERSON",            Decided.APPROVED, _FACES,     "The faces are of the same person"),
    Reason("LIVE_PERSON",            Decided.APPROVED, _LIVENESS,  "A living person was in front of the camera"),
    Reason("GENUINE_DOCUMENT",       Decided.APPROVED, _NONE,      "The document is genuine; what contradicts is explained in the note", answers_doubt=True),
    Reason("DOCUMENT_ACCEPTABLE",    Decided.APPROVED, _KIND,      "The document is of a kind that we accept"),
    Reason("DOCUMENT_VALID",         Decided.APPROVED, _EXPIRY,    "The document is valid: its date was read wrongly"),
    Reason("DATA_AGREES",            Decided.APPROVED, _DATA,      "The data agrees: it was read wrongly, or differs in spelling only"),
    Reason("ESTIMATE_WRONG",         Decided.APPROVED, _ESTIMATES, "The age or gender was estimated wrongly"),
    Reason("DEVICE_EXPLAINED",       Decided.APPROVED, _DEVICE,    "The device or the connection has a harmless explanation"),
    Reason("CUSTOMER_CLEARED",       Decided.APPROVED, _CUSTOMER,  "What made the customer suspicious was cleared up"),
    Reason("SEARCH_EXPLAINED",       Decided.APPROVED, _SEARCH,    "The face that the search found is another person's, or is known for a good reason"),
    Reason("NOTHING_AGAINST",        Decided.APPROVED, _NONE,      "Nothing speaks against it", when_clear=True),
    Reason("OTHER",                  Decided.APPROVED, _NONE,      "Another reason, given in the note", always=True),
    Reason("DIFFERENT_PERSON",       Decided.REJECTED, _FACES,     "The faces are of different people", always=True),
    Reason("NOT_LIVE",               Decided.REJECTED, _LIVENESS,  "A picture, a screen or a mask was held before the camera", always=True),
    Reason("DOCUMENT_FORGED",        Decided.REJECTED, _NONE,      "The document is forged, altered, a copy or shown on a screen", answers_doubt=True, always=True),
    Reason("DOCUMENT_NOT_ACCEPTED",  Decided.REJECTED, _KIND,      "The document is of a kind that we do not accept", always=True),
    Reason("DOCUMENT_EXPIRED",       Decided.REJECTED, _EXPIRY,    "The document has expired", always=True),
    Reason("DATA_DIFFERS",           Decided.REJECTED, _DATA,      "The data on the document is not that of the expected person", always=True),
    Reason("AGE_OR_GENDER",          Decided.REJECTED, _ESTIMATES, "The person is not of the expected age or gender"),
    Reason("DEVICE_NOT_TRUSTED",     Decided.REJECTED, _DEVICE,    "The device or the connection cannot be trusted"),
    Reason("CUSTOMER_NOT_TRUSTED",   Decided.REJECTED, _CUSTOMER,  "What made the customer suspicious stands"),
    Reason("KNOWN_FACE",             Decided.REJECTED, _SEARCH,    "The person is known under another name, or is on a blocklist"),
    Reason("CANNOT_TELL",            Decided.REJECTED, _NONE,      "It cannot be told from these pictures: they must be taken again", always=True),
    Reason("OTHER",                  Decided.REJECTED, _NONE,      "Another reason, given in the note", always=True),
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Findings:
    """What the machine found wrong with a transaction."""

    codes: frozenset[IssueCode]
    doubtful: bool
    """The document contradicts itself (`DOCUMENT_AUTHENTICITY` failed)."""
    rejects: bool = True
    """An issue rejects."""

    @property
    def clear(self) -> bool:
        """Nothing rejects or contradicts, as with approvals of the quality sample."""
        return not self.rejects and not self.doubtful


def findings_of(issues: Sequence[Mapping[str, object]], checks: Iterable[Mapping[str, object]]) -> Findings:
    """The findings of a transaction's stored `issues` and `checks`."""
    codes = frozenset(IssueCode[str(issue["code"])] for issue in issues)
    doubt = CheckName.DOCUMENT_AUTHENTICITY.value
    doubtful = any(check["check"] == doubt and check["result"] == "FAILED" for check in checks)
    return Findings(codes, doubtful, any(issue["severity"] == Severity.REJECTION for issue in issues))


def offered(findings: Findings, outcome: Decided) -> list[Reason]:
    """The reasons that can be chosen for this outcome, those that answer an issue first."""

    def answers(reason: Reason) -> bool:
        answered = bool(reason.codes & findings.codes) or (reason.answers_doubt and findings.doubtful)
        return answered or (reason.when_clear and findings.clear)

    possible = [one for one in REASONS if one.outcome is outcome and (one.always or answers(one))]
    return sorted(possible, key=lambda one: (one.name == "OTHER", not answers(one)))


def words_of(name: str, outcome: Decided) -> str:
    """A stored reason in words; its name when the list does not know it any more."""
    return next((one.words for one in REASONS if one.name == name and one.outcome is outcome), name)


class BadReason(ValueError):
    """The reason or its note cannot be accepted; the message says why, to the reviewer."""


def checked_note(findings: Findings, outcome: Decided, reason: str, note: str) -> str:
    """The note without blanks around it; raises BadReason when the reason is not offered or the note does not do."""
    note = note.strip()
    if reason not in {one.name for one in offered(findings, outcome)}:
        raise BadReason("Choose a reason from the list.")
    if reason == "OTHER" and len(note) < SHORTEST_OTHER:
        raise BadReason(f"Another reason needs a note of at least {SHORTEST_OTHER} characters.")
    if len(note) > LONGEST_NOTE:
        raise BadReason(f"A note has at most {LONGEST_NOTE} characters.")
    if any(not (character.isprintable() or character == "\n") for character in note.replace("\r\n", "\n")):
        raise BadReason("A note has no control characters.")
    return note.replace("\r\n", "\n")
