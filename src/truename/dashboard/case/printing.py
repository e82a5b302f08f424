"""One case on paper: the sections that somebody chose, which their browser remembers; pictures only when asked for."""

import hashlib
from typing import Final
from uuid import UUID

from starlette.responses import Response

from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.dashboard import cookies
from truename.dashboard.case.model import Case
from truename.dashboard.cookies import Cookie
from truename.dashboard.visit import Visit
from truename.plumbing.clock import now
from truename.transactions.receipt import read_receipt

SECTIONS: Final = {
    "issues": "Issues",
    "fields": "What was read",
    "faces": "Faces",
    "checks": "Checks",
    "device": "Device and place",
    "timeline": "Timeline",
    "config": "Config",
}
REMEMBERED_SECONDS: Final = 365 * 86_400


async def printed(visit: Visit, case: Case, values: dict[str, object]) -> Response:
    """The page; with pictures it is an export, and written down as one before it is handed out."""
    query = visit.request.query_params
    pictures = query.get("pictures") == "1"
    chosen = [name for name in SECTIONS if name in query.getlist("section")]
    if not chosen:
        chosen = _remembered(visit)
    if pictures:
        subject, details = f"transaction:{case.transaction_id}", {"customer_id": str(case.customer_id)}
        entry = Entry(visit.account_id, visit.actor, Action.TRANSACTION_EXPORTED, subject, details)
        await record_reading(visit.plumbing.database, entry)
    values |= {
        "sections": SECTIONS,
        "chosen": chosen,
        "with_pictures": pictures,
        "printed_at": now(),
        "receipt_sha256": await _receipt_sha256(visit, case.transaction_id) if case.outcome else None,
    }
    response = visit.page("case_print.html", 200, **values)
    remembered = ".".join(chosen)
    cookies.put(response, visit.plumbing.settings, Cookie.PRINTED, remembered, seconds=REMEMBERED_SECONDS)
    return response


def _remembered(visit: Visit) -> list[str]:
    """The sections of the last time; all of them at first. Pictures are never remembered."""
    sent = (cookies.read(visit.request, visit.plumbing.settings, Cookie.PRINTED) or "").split(".")
    return [name for name in SECTIONS if name in sent] or list(SECTIONS)


async def _receipt_sha256(visit: Visit, transaction_id: UUID) -> str:
    text = await read_receipt(visit.plumbing, visit.account_id, transaction_id)
    return hashlib.sha256(text.encode()).hexdigest()
