"""Gather, look, judge, apply: one long look between two short database transactions."""

import asyncio
from collections.abc import Mapping
from functools import cache, partial
from typing import Final
from uuid import UUID

import structlog

from truename.analysis.apply import apply
from truename.analysis.gather import Case, CustomerErased, gather
from truename.face_search.search import search_faces
from truename.media.pictures import PictureAltered
from truename.plumbing.errors import WrongState
from truename.plumbing.jobs.engine import WorkerDied
from truename.plumbing.jobs.registry import Retry, job
from truename.plumbing.jobs.time_limit import within_time
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import NoSuchObject
from truename.rules.dossier import Dossier, FaceSearch
from truename.rules.evidence import Evidence
from truename.rules.searched_faces import SearchedFaces
from truename.rules.verdict import evaluate
from truename.transactions.lifecycle import Status, move
from truename.vision.captures import Examination
from truename.vision.decoding.pool import NotDecodedAgain
from truename.vision.decoding.time_slices import LONGEST, within_slice
from truename.vision.examine import examine

log = structlog.get_logger("truename.analysis")

REASONS: Final[Mapping[type[Exception], str]] = {
    WorkerDied: "WORKER_DIED",
    NoSuchObject: "PICTURE_MISSING",
    PictureAltered: "PICTURE_ALTERED",
    NotDecodedAgain: "PICTURE_NOT_DECODED",
    CustomerErased: "CUSTOMER_ERASED",
}


@cache
def _turns(at_once: int) -> asyncio.Semaphore:
    """The models use all threads they are given: more looks at once than set only get into each other's way."""
    return asyncio.Semaphore(at_once)


async def give_up(plumbing: Plumbing, *, account_id: str, transaction_id: str, error: Exception | None = None) -> None:
    """The last attempt has failed: the transaction is FAILED, never decided in silence."""
    try:
        async with plumbing.database.account(UUID(account_id)) as connection:
            await move(connection, UUID(account_id), UUID(transaction_id), Status.FAILED, reason=_why(error))
    except WrongState:
        log.info("analysis_was_concluded_already", transaction_id=transaction_id)
    else:
        log.error("analysis_failed", transaction_id=transaction_id, error=type(error).__name__)


def _why(error: Exception | None) -> str:
    """One word for the audit log; what an error says may quote a person's data."""
    return next((word for kind, word in REASONS.items() if isinstance(error, kind)), "ANALYSIS_ERROR")


@job("analysis.analyse", retry=Retry(attempts=4), on_exhausted=give_up)
async def analyse(plumbing: Plumbing, *, account_id: str, transaction_id: str) -> None:
    """Analyse a submitted transaction. Safe to repeat at any point: only one run can conclude it."""
    async with _turns(plumbing.settings.analyses):  # pictures are gathered within: who waits holds no megabytes
        try:
            gathered = await gather(plumbing, UUID(account_id), UUID(transaction_id))
        except CustomerErased as erased:
            await give_up(plumbing, account_id=account_id, transaction_id=transaction_id, error=erased)
            return
        if gathered is None:
            log.info("nothing_to_analyse", transaction_id=transaction_id)
            return
        decode = plumbing.decoders.in_thread(f"transaction:{transaction_id}", f"account:{account_id}")
        look = partial(examine, gathered.captures, gathered.reference, today=gathered.case.today, decode=decode)
        seconds, long = plumbing.settings.analysis_seconds, partial(within_slice, LONGEST, look)
        examination = await asyncio.to_thread(within_time, seconds, long, transaction_id=transaction_id)
    evidence = examination.evidence.model_copy(
        update={"device": gathered.device, "searched_faces": await _searched(plumbing, gathered.case, examination)}
    )
    dossier = dossier_of(gathered.case, evidence)
    try:
        await apply(plumbing, gathered.case, examination, dossier, evaluate(dossier))
    except WrongState:
        # Another run of this job was faster, or an operator stepped in: what it decided stands.
        log.info("analysis_was_concluded_already", transaction_id=transaction_id)


async def _searched(plumbing: Plumbing, case: Case, examination: Examination) -> SearchedFaces | None:
    """What the account's face search finds; None where it is off, or there is no live face to search for."""
    if case.settings.face_search == "off" or examination.liveness_template is None:
        return None
    return await search_faces(plumbing, case.account_id, case.customer_id, examination.liveness_template)


def dossier_of(case: Case, evidence: Evidence) -> Dossier:
    """Everything that the judgement may know, in the form that is stored."""
    return Dossier(
        transaction_type=case.transaction_type,
        config=case.config,
        evidence=evidence,
        customer_status=case.customer_status,
        earlier_record=case.earlier_record,
        has_reference_face=case.has_reference_face,
        today=case.today,
        face_search=FaceSearch(case.settings.face_search),
    )
