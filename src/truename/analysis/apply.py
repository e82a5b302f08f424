"""Apply: store what was seen and judged, and conclude, in one short database transaction."""

import secrets
from uuid import UUID

from psycopg.types.json import Jsonb

from truename.analysis.gather import Case
from truename.media.faces import FaceOrigin, sealed_face
from truename.media.pictures import MediaKind, StoredPicture, store_picture
from truename.media.store import insert_face, insert_pictures
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.jobs.queue import enqueue
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import Dossier
from truename.rules.issues import IssueCode, has_fraud_signs
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import Decision, Verdict, evaluate
from truename.transactions.conclude import conclude, customer_standing
from truename.transactions.lifecycle import Status
from truename.transactions.search import remember
from truename.transactions.traits import remember_traits
from truename.vision.captures import Examination, FaceTemplate
from truename.vision.decoding.header import inspect


async def apply(plumbing: Plumbing, case: Case, examination: Examination, dossier: Dossier, verdict: Verdict) -> None:
    """Conclude the transaction. Raises WrongState, with nothing written, when it was concluded already.

    The look takes seconds: a customer whose status was changed meanwhile is judged with the one that holds now.
    """
    pictures = await _store_pictures(plumbing, case, examination)
    done = False
    try:
        async with plumbing.database.account(case.account_id) as connection:
            # Locked before a row refers to them: two runs that hold each a share would wait for each other for ever.
            await customer_standing(connection, case.account_id, case.transaction_id)
            await insert_pictures(connection, pictures)
            for origin, template, portrayed in (
                (FaceOrigin.DOCUMENT, examination.document_template, MediaKind.DOCUMENT_PORTRAIT),
                (FaceOrigin.LIVENESS, examination.liveness_template, MediaKind.LIVENESS_FACE),
            ):
                if template is not None:
                    media_id = next((one.media_id for one in pictures if one.kind is portrayed), None)
                    await _keep_face(connection, case, origin, template, media_id)
            await decide(connection, plumbing, case, dossier, verdict)
            done = True
    finally:
        # Failed after the work was done: whether it committed is not known, so every picture stays.
        if not done:
            await plumbing.objects.discard(picture.object_key for picture in pictures)


async def decide(connection: Connection, plumbing: Plumbing, case: Case, dossier: Dossier, verdict: Verdict) -> None:
    """Store the dossier and conclude with its verdict, on the caller's connection; raises WrongState when too late.

    The face that an approval enrols must have been stored before.
    """
    standing = await customer_standing(connection, case.account_id, case.transaction_id)
    if standing not in (None, dossier.customer_status):
        dossier = dossier.model_copy(update={"customer_status": standing})
        verdict = evaluate(dossier)
    await _keep_dossier(connection, case, dossier)
    own = case.account_id, case.customer_id, case.transaction_id
    await remember(connection, plumbing.vault, *own, dossier)
    await remember_traits(connection, plumbing.vault, *own, dossier)
    status = status_of(verdict, case.settings.manual_review)
    await conclude(
        connection,
        plumbing,
        case.account_id,
        case.transaction_id,
        status,
        decided_by="ENGINE",
        after=Status.PROCESSING,
        issues=verdict.issues,
        checks=verdict.checks,
        fraud_signs=has_fraud_signs(verdict.issues),
    )
    if status is Status.APPROVED and secrets.randbelow(100) < case.settings.review_quality_percent:
        arguments = {"account_id": str(case.account_id), "transaction_id": str(case.transaction_id)}
        await enqueue(connection, "reviews.sample", arguments)


def status_of(verdict: Verdict, manual_review: bool) -> Status:
    """Where manual review is on, rejections and documents that contradict themselves wait for a person.

    Warnings never do, and a blocked customer is rejected without one: no review could approve him.
    """
    blocked = any(issue.code is IssueCode.CUSTOMER_BLOCKED for issue in verdict.issues)
    doubtful = verdict.outcome(CheckName.DOCUMENT_AUTHENTICITY) is Outcome.FAILED
    if manual_review and not blocked and (verdict.decision is Decision.REJECTED or doubtful):
        return Status.IN_REVIEW
    return Status.APPROVED if verdict.decision is Decision.APPROVED else Status.REJECTED


async def _store_pictures(plumbing: Plumbing, case: Case, examination: Examination) -> list[StoredPicture]:
    stored = []
    for kind, data in (
        (MediaKind.DOCUMENT_PORTRAIT, examination.portrait),
        (MediaKind.DOCUMENT_FRONT_RECTIFIED, examination.document_front_rectified),
        (MediaKind.LIVENESS_FACE, examination.liveness_face),
    ):
        if data is None:
            continue
        header = inspect(data)
        own = case.account_id, case.customer_id, case.transaction_id
        stored.append(await store_picture(plumbing.objects, case.key, *own, kind, data, header.width, header.height))
    return stored


async def _keep_dossier(connection: Connection, case: Case, dossier: Dossier) -> None:
    sealed = case.key.seal(dossier.model_dump_json().encode(), seals.dossier(case.transaction_id))
    engine = [model.model_dump() for model in dossier.evidence.engine]
    await connection.execute(
        """
        INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier, engine)
        VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (transaction_id) DO UPDATE
        SET sealed_dossier = excluded.sealed_dossier, engine = excluded.engine, judged_at = now()
        """,
        (case.transaction_id, case.account_id, case.customer_id, sealed, Jsonb(engine)),
    )


async def _keep_face(
    connection: Connection, case: Case, origin: FaceOrigin, template: FaceTemplate, media_id: UUID | None
) -> None:
    own = case.account_id, case.customer_id, case.transaction_id
    await insert_face(connection, sealed_face(case.key, *own, origin, media_id, template))
