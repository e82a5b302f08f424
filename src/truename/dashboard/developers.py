"""For developers: what was asked of us lately, and what became of each request."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from psycopg.rows import class_row
from starlette.responses import Response

from truename.dashboard.guard import Screen
from truename.dashboard.patience import bounded
from truename.dashboard.visit import Visit
from truename.operators.model import Role
from truename.plumbing.errors import NotFound
from truename.plumbing.http.queries import Query

PATH: Final = "/dashboard/developers"
PAGE: Final = 100
LIST: Final = """
SELECT request_id, at, method, path, status, took_ms, client, code, subject, sent, answered FROM request_log
WHERE account_id = %(account_id)s
  AND (%(request_id)s::text IS NULL OR request_id = %(request_id)s)
  AND (%(failed)s::boolean IS NOT TRUE OR status >= 400)
  AND (%(client)s::text IS NULL OR client = %(client)s)
  AND (%(path)s::text IS NULL OR strpos(path, %(path)s) > 0)
  AND (%(before)s::timestamptz IS NULL OR at < %(before)s)
ORDER BY at DESC LIMIT %(limit)s
"""
SHAPES: Final = {"string": '"…"', "number": "0", "boolean": "true", "null": "null", "object": "{}"}


@dataclass(frozen=True)
class ShownRequest:
    """One request of the log."""

    request_id: str
    at: datetime
    method: str
    path: str
    status: int
    took_ms: float
    client: str
    code: str | None
    subject: str | None
    sent: str | None
    answered: str | None

    @property
    def transaction_id(self) -> str | None:
        """The transaction that the address named."""
        kind, _, identity = (self.subject or "").partition(":")
        return identity if kind == "transaction" else None


async def show_requests(visit: Visit) -> Response:
    """The newest requests that fit."""
    query = Query(visit.request, ("request_id", "failed", "client", "path", "before"))
    wanted = {name: (query.text(name) or "").strip()[:200] or None for name in ("request_id", "client", "path")}
    before, failed = query.instant("before"), query.text("failed") == "1"
    query.refuse_faults()
    async with visit.connection() as connection, bounded(connection):
        cursor = await connection.cursor(row_factory=class_row(ShownRequest)).execute(
            LIST,
            {**wanted, "account_id": visit.account_id, "failed": failed, "before": before, "limit": PAGE + 1},
        )
        found = await cursor.fetchall()
    return visit.page(
        "requests.html",
        requests=found[:PAGE],
        more=found[PAGE - 1].at.isoformat().replace("+00:00", "Z") if len(found) > PAGE else None,
        wanted=wanted,
        failed=failed,
        kept=visit.request.url.remove_query_params("before").query,
        days=visit.plumbing.settings.request_log_days,
    )


async def show_request(visit: Visit) -> Response:
    """One request: shapes of its bodies, its transaction, and how to send it again."""
    request_id = visit.request.path_params["request_id"]
    own = {"account_id": visit.account_id, "request_id": request_id, "limit": 1}
    others = dict.fromkeys(("failed", "client", "path", "before"))
    async with visit.connection() as connection:
        cursor = await connection.cursor(row_factory=class_row(ShownRequest)).execute(LIST, {**others, **own})
        found = await cursor.fetchone()
    if found is None:
        raise NotFound("The log of this account has no such request; it is kept for a few days.")
    return visit.page("request.html", one=found, curl=_curl(visit, found))


def _curl(visit: Visit, request: ShownRequest) -> str:
    """The request as a command, with a place for the token and for each value."""
    path = request.path
    if request.subject:
        kind, _, identity = request.subject.partition(":")
        path = path.replace(f"{{{kind}_id}}", identity)
    lines = [f"curl -X {request.method} '{visit.plumbing.settings.base_url}{path}'"]
    lines.append('-H "Authorization: Bearer $TRUENAME_TOKEN"')
    if request.sent:
        body = request.sent
        for kind, example in SHAPES.items():
            body = body.replace(f':"{kind}"', f":{example}").replace(f'["{kind}"', f"[{example}")
        lines += ["-H 'Content-Type: application/json'", f"-d '{body}'"]
    return " \\\n  ".join(lines)


screens: Final = (
    Screen("GET", PATH, show_requests, Role.ADMIN),
    Screen("GET", PATH + "/requests/{request_id}", show_request, Role.ADMIN),
)
