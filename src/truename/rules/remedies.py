"""What would have spared one rejection: a change of the config, or of what was seen, each as a function of the dossier.

A remedy only claims to help; `what_if` judges again before it says so.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel

from truename.rules.config import Action, DocumentEligibility, FilterMode, TargetDocument
from truename.rules.countries import COUNTRIES
from truename.rules.dossier import Dossier
from truename.rules.issues import Issue, IssueCode
from truename.rules.score_words import shown_limit

LEAST_SCORE: Final = 0.1
"""No config may ask for less."""
LEFT_OUT: Final = "left out"
OF_THE_PERSON: Final = "a value of the person"


DossierChange = Callable[[Dossier], Dossier]


@dataclass(frozen=True, slots=True)
class Change:
    """One field that would have been different."""

    pointer: str
    """JSON pointer inside the config; inside the stored dossier where what was seen is meant."""
    was: str
    to: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change, as it may be shown to somebody who must not see the person's data, and what it does to a dossier."""

    change: Change
    blind: Change
    apply: DossierChange
    step: float = 0.0
    """How far a limit moves; of two remedies for one field the further one serves both."""


Model = TypeVar("Model", bound=BaseModel)


def with_field(model: Model, pointer: str, value: object) -> Model:
    """A copy in which the field at the pointer has this value."""
    name, _, rest = pointer.removeprefix("/").partition("/")
    inner = with_field(getattr(model, name), rest, value) if rest else value
    return model.model_copy(update={name: inner})


def set_in_config(pointer: str, value: object) -> DossierChange:
    """A function that sets one field of the config."""
    return lambda dossier: dossier.model_copy(update={"config": with_field(dossier.config, pointer, value)})


def _plain(pointer: str, was: object, to: object, value: object, step: float = 0.0) -> Remedy:
    change = Change(pointer, str(was), str(to))
    return Remedy(change, change, set_in_config(pointer, value), step)


def _personal(pointer: str, was: object, to: object, value: object, blind_to: str) -> Remedy:
    return Remedy(
        Change(pointer, str(was), str(to)), Change(pointer, OF_THE_PERSON, blind_to), set_in_config(pointer, value)
    )


def policy_remedies(dossier: Dossier, issue: Issue) -> Iterator[Remedy]:
    """The config changes that spare this issue, the smallest first; none where no config does."""
    if issue.policy is not None:
        yield _plain(issue.policy, Action.REJECT.value, Action.WARN.value, Action.WARN)
    elif issue.details.get("compared_with") == "CUSTOMER_RECORD":
        return
    elif issue.code in _FACES:
        if limit := _lower_limit(issue):
            yield _limit("/biometric_policy/face_comparison_min_score", issue, limit)
        yield _plain("/biometric_policy/require_face_comparison", "true", "false", False)
    elif issue.code is IssueCode.LIVENESS_LOW_CONFIDENCE:
        if limit := _lower_limit(issue):
            yield _limit("/biometric_policy/liveness_min_score", issue, limit)
    elif issue.code in _MATCHED:
        yield from _matching(dossier, issue)
    elif issue.code is IssueCode.LIVENESS_GENDER_MISMATCH_EXPECTED:
        expected = dossier.config.biometric_policy.expected_gender
        yield _personal("/biometric_policy/expected_gender", expected, "null", None, "null")
    elif issue.code is IssueCode.LIVENESS_AGE_OUT_OF_RANGE:
        yield from _ages(dossier, issue)
    elif issue.code in (IssueCode.DOCUMENT_NOT_ELIGIBLE, IssueCode.EXPIRED_DOCUMENT):
        yield from _eligibility(dossier, issue)


def _lower_limit(issue: Issue) -> float | None:
    score = issue.details.get("score")
    limit = math.floor(score * 100 + 1e-9) / 100 if score is not None else 0.0
    return limit if limit >= LEAST_SCORE else None


def _limit(pointer: str, issue: Issue, limit: float) -> Remedy:
    was: float = issue.details["threshold"]
    return _plain(pointer, shown_limit(was), shown_limit(limit), limit, was - limit)


def _matching(dossier: Dossier, issue: Issue) -> Iterator[Remedy]:
    field = _MATCHED[issue.code]
    pointer = f"/document_policy/data_matching/{field}"
    if field in ("given_names", "surnames") and (limit := _lower_limit(issue)):
        yield _limit(f"{pointer}/similarity_min_score", issue, limit)
    matching = dossier.config.document_policy.data_matching
    was = getattr(matching, field)
    yield _personal(pointer, getattr(was, "value", was), LEFT_OUT, None, LEFT_OUT)


def _ages(dossier: Dossier, issue: Issue) -> Iterator[Remedy]:
    policy, selfie = dossier.config.biometric_policy, dossier.evidence.selfie
    for name, reason in (("expected_min_age", "BELOW_RANGE"), ("expected_max_age", "ABOVE_RANGE")):
        was, pointer = getattr(policy, name), f"/biometric_policy/{name}"
        if selfie is not None and issue.details.get("reason") == reason:
            years = math.floor(selfie.age)
            yield _personal(pointer, was, years, years, "lower" if reason == "BELOW_RANGE" else "higher")
            return
    if selfie is None or not math.isfinite(selfie.age):

        def without_ages(judged: Dossier) -> Dossier:
            none = {"expected_min_age": None, "expected_max_age": None}
            biometric = judged.config.biometric_policy.model_copy(update=none)
            return judged.model_copy(update={"config": with_field(judged.config, "biometric_policy", biometric)})

        change = Change("/biometric_policy/expected_min_age and expected_max_age", "set", "null")
        yield Remedy(change, change, without_ages)


def _eligibility(dossier: Dossier, issue: Issue) -> Iterator[Remedy]:
    document = dossier.evidence.document
    if document is None or document.country is None or document.type is None:
        return
    if document.country not in COUNTRIES:
        return  # a zone may name what no list of a config can: Utopia, or an organisation
    country, kind, pointer = document.country, document.type, "/document_policy/document_eligibility"
    rule = dossier.config.document_policy.document_eligibility
    listed = rule.target_documents if rule else ()
    others = tuple(target for target in listed if (target.country, target.type) != (country, kind))
    own = next((target for target in listed if (target.country, target.type) == (country, kind)), None)
    expired = issue.code is IssueCode.EXPIRED_DOCUMENT
    if rule is not None and rule.filter_mode is FilterMode.REJECT and not expired:
        shown, mode, targets = f"without {kind.value} of {country}", FilterMode.REJECT, others
        hidden = "without this kind of document"
    else:
        allow_expired = expired or (own.allow_expired if own else False)
        shown = f"with {kind.value} of {country}" + (" and its allow_expired true" if expired else "")
        hidden = "with this kind of document" + (" and its allow_expired true" if expired else "")
        # A list of what is refused cannot accept anything: only one of what is allowed lets an expired one pass.
        kept = others if rule is not None and rule.filter_mode is FilterMode.ALLOW else ()
        mode, targets = (
            FilterMode.ALLOW,
            (*kept, TargetDocument(country=country, type=kind, allow_expired=allow_expired)),
        )
    was = f"{rule.filter_mode.value} of {len(listed)} listed" if rule else LEFT_OUT
    to = f"{mode.value} {shown}"
    apply = set_in_config(pointer, DocumentEligibility(filter_mode=mode, target_documents=targets))
    yield Remedy(Change(pointer, was, to), Change(pointer, was, f"{mode.value} {hidden}"), apply, step=float(expired))


_FACES: Final = frozenset(
    {
        IssueCode.DOCUMENT_VS_LIVENESS_FACE_MISMATCH,
        IssueCode.LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH,
        IssueCode.DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH,
    }
)
_MATCHED: Final = {
    IssueCode.NAME_MISMATCH: "given_names",
    IssueCode.SURNAME_MISMATCH: "surnames",
    IssueCode.GENDER_MISMATCH: "gender",
    IssueCode.EXPECTED_DOCUMENT_TYPE_MISMATCH: "document_type",
    IssueCode.DOCUMENT_ISSUING_COUNTRY_MISMATCH: "document_issuing_country",
    IssueCode.DOCUMENT_NUMBER_MISMATCH: "document_number",
    IssueCode.DATE_OF_BIRTH_MISMATCH: "date_of_birth",
}
