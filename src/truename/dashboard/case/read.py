"""Gather everything that stands on the page of one transaction; the reading is written down first."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from psycopg.rows import DictRow

from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.dashboard.case import store
from truename.dashboard.case.config import config_lines, without_query
from truename.dashboard.case.config import given as given_config
from truename.dashboard.case.model import Attempt, Case, Event, Frame, SampleVerdict
from truename.dashboard.case.shown import comparisons_of, device_of, fields_of, picture_of
from truename.dashboard.case.timeline import timeline_of
from truename.plumbing.crypto import seals
from truename.plumbing.errors import TransactionNotFound
from truename.plumbing.resources import Plumbing
from truename.reviews.answer import answers
from truename.reviews.decide import opinions
from truename.reviews.queue import leases
from truename.rules.dossier import Dossier
from truename.rules.explain import Explanation, explain
from truename.rules.issues import Issue, Severity
from truename.rules.results import CheckName, CheckResult, Outcome
from truename.rules.verdict import Decision, Verdict
from truename.transactions import store as transactions
from truename.transactions.create import with_matching
from truename.transactions.read import opened_dossier

JUDGED = frozenset({"APPROVED", "REJECTED", "IN_REVIEW"})


async def read_case(plumbing: Plumbing, account_id: UUID, transaction_id: UUID, *, actor: str) -> Case:
    """The whole case; raises TransactionNotFound. What was erased or redacted is missing, and said to be."""
    own = {"account_id": account_id, "transaction_id": transaction_id}
    async with plumbing.database.account(account_id) as connection:
        row = await (await connection.execute(transactions.WHOLE, own)).fetchone()
        beside = await (await connection.execute(store.BESIDE, own)).fetchone()
        if row is None or beside is None:
            raise TransactionNotFound
        events = await (await connection.execute(store.EVENTS, own)).fetchall()
        acts = await (await connection.execute(store.ACTS, {**own, "transaction_id": str(transaction_id)})).fetchall()
        given = await opinions(connection, plumbing, account_id, transaction_id)
        answered = await answers(connection, account_id, transaction_id)
        sample = beside["sample"]
        people = {one.reviewer for one in given} | {one.reviewer for one in answered}
        is_open = row["status"] == "IN_REVIEW" or (sample is not None and sample["state"] == "WAITING")
        held = await leases(connection, account_id, [transaction_id])
    subject, details = f"transaction:{transaction_id}", {"customer_id": str(row["customer_id"])}
    await record_reading(plumbing.database, Entry(account_id, actor, Action.TRANSACTION_READ, subject, details))
    key = await plumbing.keys.open(row["data_key"], account_id, row["customer_id"])
    sealed = row["sealed_dossier"]
    dossier = opened_dossier(key, None if sealed is None else bytes(sealed), transaction_id)
    matching = None
    if key is not None and row["sealed_matching"] is not None:
        matching = key.open(bytes(row["sealed_matching"]), seals.data_matching(transaction_id))
    pictures = [picture_of(one) for one in row["media"]]
    by_id = {picture.media_id: picture for picture in pictures}
    frames = [
        Frame(by_id[UUID(item["media_id"])], item.get("step") or "", item.get("at_ms") or 0)
        for item in (beside["frames"] or {}).get("media", ())
        if UUID(item["media_id"]) in by_id
    ]
    kept = {picture.kind: picture for picture in pictures if not picture.redacted}
    reference = picture_of(beside["reference"], "REFERENCE_IMAGE") if beside["reference"] else None
    faces = {"document": kept.get("DOCUMENT_PORTRAIT"), "live": kept.get("LIVENESS_FACE"), "reference": reference}
    shown_events = [_event(one) for one in events]
    return Case(
        transaction_id=transaction_id,
        customer_id=row["customer_id"],
        external_customer_id=row["external_customer_id"],
        customer_status=beside["customer_status"],
        transaction_type=row["transaction_type"],
        status=row["status"],
        outcome=row["outcome"],
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        created_at=row["created_at"],
        submitted_at=row["submitted_at"],
        completed_at=row["completed_at"],
        expires_at=row["expires_at"],
        redacted_at=row["redacted_at"],
        erased_at=beside["erased_at"],
        other_transactions=beside["others"],
        dossier=dossier,
        explanation=explained(row, dossier),
        pictures=pictures,
        reference=reference,
        frames=frames,
        challenge=(beside["frames"] or {}).get("challenge", ()),
        comparisons=comparisons_of(dossier, faces) if dossier else (),
        fields=fields_of(dossier) if dossier else (),
        device=device_of(dossier.evidence.device) if dossier else (),
        events=shown_events,
        timeline=timeline_of(row, beside, acts, shown_events, reader=actor if is_open else None),
        config=config_lines(with_matching(row["config"], matching), beside["config_sent"]),
        config_sent=given_config(beside["config_sent"]),
        engine=row["engine"] or (),
        opinions=[one for one in given if not is_open or one.reviewer == actor],
        answers=[one for one in answered if not is_open or one.reviewer == actor],
        others_answered=is_open and bool(people - {actor}),
        lease=held.get(transaction_id),
        sample_waits=sample is not None and sample["state"] == "WAITING",
        sample=_sample(sample),
    )


def _sample(stored: DictRow | None) -> SampleVerdict | None:
    if stored is None or stored["outcome"] is None:
        return None
    return SampleVerdict(stored["outcome"], stored["reviewer"], datetime.fromisoformat(stored["settled_at"]))


def explained(row: DictRow, dossier: Dossier | None) -> Explanation | None:
    """The explanation of what was stored; None before anything was judged."""
    if row["status"] not in JUDGED:
        return None
    return explain(stored_verdict(row["issues"], row["checks"]), dossier)


def stored_verdict(issues: Iterable[Mapping[str, object]], checks: Iterable[Mapping[str, object]]) -> Verdict:
    """The verdict as it was stored: rejected if and only if an issue rejects."""
    found = tuple(Issue.from_dict(issue) for issue in issues)
    results = tuple(check for stored in checks if (check := _check(stored)) is not None)
    rejected = any(issue.severity is Severity.REJECTION for issue in found)
    return Verdict(Decision.REJECTED if rejected else Decision.APPROVED, found, results)


def _check(stored: Mapping[str, object]) -> CheckResult | None:
    name = str(stored["check"])
    if name not in CheckName.__members__:
        return None
    score, threshold, reason = stored.get("score"), stored.get("threshold"), stored.get("reason")
    return CheckResult(
        CheckName(name),
        Outcome(str(stored["result"])),
        score if isinstance(score, (int, float)) else None,
        threshold if isinstance(threshold, (int, float)) else None,
        reason if isinstance(reason, str) else None,
    )


def _event(row: DictRow) -> Event:
    log = tuple(
        Attempt(
            one["number"],
            datetime.fromisoformat(one["at"]),
            one["took_ms"],
            one["status_code"],
            one["outcome"],
            one["error"],
        )
        for one in row["log"]
    )
    waits = row["next_attempt_at"] if row["state"] == "PENDING" else None
    return Event(row["event_id"], row["type"], without_query(row["url"]), row["state"], waits, row["created_at"], log)
