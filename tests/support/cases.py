"""Analysed transactions with real pictures, made from evidence that a test gives instead of a long look."""

from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any
from uuid import UUID

from tests.support.dossiers import a_document, a_dossier
from tests.support.faces import framed_still
from tests.support.sdk import photographed
from tests.support.transactions import a_customer, a_transaction, store_capture, submitted
from truename.accounts.model import NewAccount
from truename.analysis.apply import apply
from truename.analysis.gather import gather
from truename.plumbing.resources import Plumbing
from truename.rules.dossier import Dossier
from truename.rules.evidence import FacePair
from truename.rules.verdict import evaluate
from truename.sandbox.drawing import documents
from truename.vision.captures import Examination
from truename.vision.document.read import DocumentReading, read_document
from truename.vision.images import encode_jpeg

STEPS = ("LOOK_STRAIGHT", "TURN_LEFT", "LOOK_STRAIGHT", "TURN_RIGHT", "LOOK_STRAIGHT", "MOVE_CLOSER")


@cache
def page() -> bytes:
    """The front of a passport, laid flat."""
    return encode_jpeg(documents.passport().front)


@cache
def photo() -> bytes:
    """The same, photographed."""
    return encode_jpeg(photographed(documents.passport().front))


@cache
def face() -> bytes:
    """The one face that may be shown."""
    return encode_jpeg(framed_still())


def mismatch(score: float = 0.62, **changes: Any) -> Dossier:
    """Everything in order, but that the live face is not the one on the document."""
    faces = {FacePair.DOCUMENT_AND_LIVENESS: score}
    return a_dossier(document=a_document(country="DE"), face_similarity=faces, today=date(2026, 11, 15), **changes)


async def a_case(
    plumbing: Plumbing,
    account: NewAccount,
    dossier: Dossier | None = None,
    *,
    config: dict[str, Any] | None = None,
    customer_id: UUID | None = None,
    pictures: bool = True,
    flat: bytes | None = None,
    **customer: Any,
) -> UUID:
    """A transaction whose captures were judged as this dossier says, with the account's own settings of now."""
    owner = customer_id or await a_customer(plumbing, account, **customer)
    transaction_id = await a_transaction(plumbing, account, owner, config=config)
    if pictures:
        own = plumbing, account, owner, transaction_id
        await store_capture(*own, "DOCUMENT_FRONT", [(photo(), None, 0)])
        frames: list[tuple[bytes, str | None, int]] = [(face(), step, place * 700) for place, step in enumerate(STEPS)]
        await store_capture(*own, "LIVENESS", frames, ["TURN_LEFT", "TURN_RIGHT", "MOVE_CLOSER"])
    await submitted(plumbing, account, transaction_id)
    gathered = await gather(plumbing, account.account_id, transaction_id)
    assert gathered is not None
    seen = dossier or mismatch()
    case = gathered.case
    seen = seen.model_copy(update={"config": case.config, "customer_status": case.customer_status})
    looked = Examination(seen.evidence)
    if pictures:
        looked = replace(looked, portrait=face(), document_front_rectified=flat or page(), liveness_face=face())
    await apply(plumbing, case, looked, seen, evaluate(seen))
    return transaction_id


@cache
def read_page() -> DocumentReading:
    """A drawn passport, photographed and truly read, with the places of its values."""
    return read_document(photographed(documents.passport().front), None, date(2026, 11, 15))


async def seen_case(plumbing: Plumbing, account: NewAccount, score: float = 0.62, **more: Any) -> UUID:
    """A case whose document was truly read, so that its pictures, fields and places agree."""
    reading = read_page()
    assert reading.front_rectified is not None
    faces = {FacePair.DOCUMENT_AND_LIVENESS: score}
    dossier = a_dossier(document=reading.evidence, face_similarity=faces, today=date(2026, 11, 15), **more)
    return await a_case(plumbing, account, dossier, flat=encode_jpeg(reading.front_rectified))
