"""The timeline of a transaction: from its creation to the last attempt of its last webhook, in order."""

from collections.abc import Sequence
from typing import Final

from psycopg.rows import DictRow

from truename.dashboard.case.model import Event, Moment

MOVED: Final = {
    "IN_PROGRESS": "The person opened the capture",
    "PROCESSING": "Submitted for analysis",
    "APPROVED": "Approved",
    "REJECTED": "Rejected",
    "IN_REVIEW": "Waits for a person",
    "FAILED": "The analysis could not be finished",
    "EXPIRED": "Time ran out",
    "CANCELLED": "Cancelled",
}
ACTS: Final = {
    "transaction.redacted": "Pictures and data were deleted",
    "review.taken": "Taken for review",
    "review.taken_over": "Taken over from another reviewer",
    "review.released": "Put back into the queue",
    "review.answered": "A question was answered",
    "review.decided": "Decided, held before it is final",
    "review.undone": "The decision was taken back",
    "transaction.reviewed": "The decision became final",
}
ATTEMPTED: Final = {
    "DELIVERED": "delivered",
    "REFUSED_BY_RECEIVER": "refused by the receiver",
    "GONE": "the receiver is gone (410)",
    "TIMED_OUT": "timed out",
    "ADDRESS_FORBIDDEN": "the address is forbidden",
    "TLS_FAILED": "TLS failed",
    "UNREACHABLE": "unreachable",
    "NO_SECRET": "not sent, the account had no secret to sign with",
}
FORGOTTEN_LANGUAGE: Final = "und"
"""What erasure and redaction leave of the language in which the person was asked."""


def timeline_of(
    row: DictRow, beside: DictRow, acts: Sequence[DictRow], events: Sequence[Event], *, reader: str | None
) -> list[Moment]:
    """Every moment that is known, the oldest first. A `reader` of an open case is not told what other reviewers did."""
    moments = [Moment(row["created_at"], "Created")]
    if beside["consent_at"] is not None:
        moments.append(_consent(beside))
    if beside["judged_at"] is not None:
        moments.append(Moment(beside["judged_at"], "Analysed"))
    moments += [_act(act, hidden=reader is not None and act["actor"] != reader) for act in acts]
    for event in events:
        for attempt in event.log:
            code = f", status {attempt.status_code}" if attempt.status_code else ""
            took = f", {attempt.took_ms} ms" if attempt.took_ms is not None else ""
            outcome = ATTEMPTED.get(attempt.outcome, attempt.outcome.lower())
            moments.append(Moment(attempt.at, f"Webhook {event.type}, attempt {attempt.number}: {outcome}{code}{took}"))
    return sorted(moments, key=lambda moment: moment.at)


def _consent(beside: DictRow) -> Moment:
    """What the person answered, and to which words: the record that a controller must be able to show."""
    language = "" if beside["consent_language"] == FORGOTTEN_LANGUAGE else f", {beside['consent_language']}"
    words = "consented" if beside["consent_given"] else "declined"
    return Moment(beside["consent_at"], f"The person {words} (text {beside['consent_text']}{language})")


def _act(act: DictRow, *, hidden: bool) -> Moment:
    """What was done, and by whom; `hidden`: neither which reviewer it was nor what they think (four eyes)."""
    details = act["details"]
    if act["action"] == "transaction.status_changed":
        return Moment(act["at"], MOVED.get(str(details.get("to")), str(details.get("to"))), act["actor"])
    words = ACTS.get(act["action"], str(act["action"]))
    if hidden:
        return Moment(act["at"], words)
    if act["action"] == "review.decided" and details.get("outcome"):
        words = f"{words}: {str(details['outcome']).lower()}"
    return Moment(act["at"], words, act["actor"])
