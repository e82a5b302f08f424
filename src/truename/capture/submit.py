"""The person is done: is everything there?"""

from truename.accounts.tokens import SdkClaims
from truename.capture import store
from truename.capture.access import Capture, open_capture
from truename.capture.answers import Submitted
from truename.capture.consent import refuse_without_consent
from truename.capture.document import may_go_on
from truename.capture.signals import note_device
from truename.capture.takes import Take, Takes
from truename.plumbing.clock import now
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState
from truename.plumbing.resources import Plumbing
from truename.rules.faults import Fault
from truename.transactions.submit import submit


async def submit_capture(
    connection: Connection, plumbing: Plumbing, claims: SdkClaims, address: str | None
) -> Submitted:
    """Close the capture and ask for the analysis, in one database transaction."""
    capture = await open_capture(connection, claims)
    await refuse_without_consent(connection, capture)
    takes = await store.takes_of(connection, capture)
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
    wait = await submit(connection, capture.account_id, capture.transaction_id)
    late = wait is not None and wait.total_seconds() >= plumbing.settings.late_result_seconds
    return Submitted(status="PROCESSING", result_expected_at=now() + wait if wait is not None and late else None)


def missing_steps(capture: Capture, takes: Takes) -> list[str]:
    """Which parts are still to be captured?"""
    missing = []
    if capture.transaction_type.has_document:
        if not _good_enough(takes.front):
            missing.append("document/front")
        if takes.front and takes.front.document_needs_back and not _good_enough(takes.back):
            missing.append("document/back")
    if capture.transaction_type.has_selfie and not (takes.live and takes.live.usable):
        missing.append("liveness")
    return missing


def _good_enough(take: Take | None) -> bool:
    return take is not None and (take.usable or may_go_on(take.reasons, take.takes))
