"""The person is done: is everything there?"""

from typing import Any

from truename.accounts.tokens import SdkClaims
from truename.capture import store
from truename.capture.access import Capture, open_capture
from truename.capture.consent import refuse_without_consent
from truename.capture.document import may_go_on
from truename.capture.signals import note_device
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState
from truename.plumbing.resources import Plumbing
from truename.rules.documents import needs_back
from truename.rules.evidence import DocumentType
from truename.rules.faults import Fault
from truename.transactions.submit import submit


async def submit_capture(
    connection: Connection, plumbing: Plumbing, claims: SdkClaims, address: str | None
) -> dict[str, Any]:
    """Close the capture and ask for the analysis, in one database transaction."""
    capture = await open_capture(connection, claims)
    await refuse_without_consent(connection, capture)
    takes = await store.captures_of(connection, capture.account_id, capture.transaction_id)
    missing = missing_steps(capture, takes)
    if not await store.device_reported(connection, capture):
        missing.insert(0, "device")
    if missing:
        faults = [Fault(f"/{step}", "capture_missing", "This part is missing.") for step in missing]
        raise WrongState("Not everything was captured.", code="capture_missing", errors=faults)
    await note_device(connection, plumbing, capture, None, address)
    await connection.execute(
        "UPDATE handoffs SET state = 'FINISHED' WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s AND state = 'CONNECTED'",
        capture.own,
    )
    await submit(connection, capture.account_id, capture.transaction_id)
    return {"status": "PROCESSING"}


def missing_steps(capture: Capture, takes: dict[str, Any]) -> list[str]:
    """Which parts are still to be captured?"""
    missing = []
    if capture.transaction_type.has_document:
        front, back = takes.get("DOCUMENT_FRONT"), takes.get("DOCUMENT_BACK")
        if not _good_enough(front):
            missing.append("document/front")
        if front and _needs_back(front) and not _good_enough(back):
            missing.append("document/back")
    live = takes.get("LIVENESS")
    if capture.transaction_type.has_selfie and not (live and live["usable"]):
        missing.append("liveness")
    return missing


def _good_enough(take: dict[str, Any] | None) -> bool:
    return take is not None and (take["usable"] or may_go_on(take["reasons"], take["takes"]))


def _needs_back(front: dict[str, Any]) -> bool:
    if front["back_needed"] is not None:
        return bool(front["back_needed"])
    chosen = front["chosen"]
    return bool(chosen.get("type")) and needs_back(chosen["country"], DocumentType(chosen["type"]))
