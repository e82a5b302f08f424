"""Apply: store what was seen and judged, and conclude, in one short database transaction."""

from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb

from truename.analysis.gather import Gathered
from truename.customers.create import media_key, sealed_template
from truename.customers.store import insert_media
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import Dossier
from truename.rules.issues import has_fraud_signs
from truename.rules.verdict import Decision, Verdict
from truename.transactions.conclude import conclude
from truename.transactions.lifecycle import Status
from truename.vision import images
from truename.vision.captures import Examination, FaceTemplate

DOCUMENT_PORTRAIT: Final = "DOCUMENT_PORTRAIT"
LIVENESS_FACE: Final = "LIVENESS_FACE"


async def apply(
    plumbing: Plumbing, gathered: Gathered, examination: Examination, dossier: Dossier, verdict: Verdict
) -> None:
    """Conclude the transaction. Raises WrongState, with nothing written, when it was concluded already."""
    pictures = await _store_pictures(plumbing, gathered, examination)
    kept = False
    try:
        async with plumbing.database.account(gathered.account_id) as connection:
            await _keep_dossier(connection, gathered, dossier)
            for row in pictures:
                await insert_media(connection, row)
            for origin, template, portrayed in (
                ("DOCUMENT", examination.document_template, DOCUMENT_PORTRAIT),
                ("LIVENESS", examination.liveness_template, LIVENESS_FACE),
            ):
                if template is not None:
                    media = next((row["media_id"] for row in pictures if row["kind"] == portrayed), None)
                    await _keep_face(connection, gathered, origin, template, media)
            await conclude(
                connection,
                plumbing,
                gathered.account_id,
                gathered.transaction_id,
                status_of(verdict, gathered.settings.manual_review),
                decided_by="ENGINE",
                after=Status.PROCESSING,
                issues=[issue.as_dict() for issue in verdict.issues],
                checks=[answer.as_dict() for answer in verdict.checks],
                fraud_signs=has_fraud_signs(verdict.issues),
            )
        kept = True
    finally:
        if not kept:
            for row in pictures:
                await plumbing.objects.delete(row["storage_key"])


def status_of(verdict: Verdict, manual_review: bool) -> Status:
    """Rejections wait for a person only where the account has switched that on; warnings change nothing."""
    if verdict.decision is Decision.APPROVED:
        return Status.APPROVED
    return Status.IN_REVIEW if manual_review else Status.REJECTED


async def _store_pictures(plumbing: Plumbing, gathered: Gathered, examination: Examination) -> list[dict[str, Any]]:
    rows = []
    for kind, data in (
        (DOCUMENT_PORTRAIT, examination.portrait),
        ("DOCUMENT_FRONT_RECTIFIED", examination.document_front_rectified),
        (LIVENESS_FACE, examination.liveness_face),
    ):
        if data is None:
            continue
        media_id = new_id()
        header = images.inspect(data)
        row = {
            "media_id": media_id,
            "account_id": gathered.account_id,
            "customer_id": gathered.customer_id,
            "transaction_id": gathered.transaction_id,
            "kind": kind,
            "content_type": "image/jpeg",
            "size": len(data),
            "width": header.width,
            "height": header.height,
            "storage_key": media_key(gathered.account_id, gathered.customer_id, media_id),
        }
        await plumbing.objects.put(str(row["storage_key"]), gathered.key.seal(data, f"media:{media_id}"))
        rows.append(row)
    return rows


async def _keep_dossier(connection: Connection, gathered: Gathered, dossier: Dossier) -> None:
    sealed = gathered.key.seal(dossier.model_dump_json().encode(), f"dossier:{gathered.transaction_id}")
    engine = [model.model_dump() for model in dossier.evidence.engine]
    await connection.execute(
        """
        INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier, engine)
        VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (transaction_id) DO UPDATE
        SET sealed_dossier = excluded.sealed_dossier, engine = excluded.engine, judged_at = now()
        """,
        (gathered.transaction_id, gathered.account_id, gathered.customer_id, sealed, Jsonb(engine)),
    )


async def _keep_face(
    connection: Connection, gathered: Gathered, origin: str, template: FaceTemplate, media_id: UUID | None
) -> None:
    face_id = new_id()
    await connection.execute(
        """
        INSERT INTO faces (face_id, account_id, customer_id, transaction_id, origin, media_id, usable, model_sha256,
                           sealed_template)
        VALUES (%s, %s, %s, %s, %s, %s, true, %s, %s)
        """,
        (
            face_id,
            gathered.account_id,
            gathered.customer_id,
            gathered.transaction_id,
            origin,
            media_id,
            template.model_sha256,
            gathered.key.seal(sealed_template(template), f"face:{face_id}"),
        ),
    )
