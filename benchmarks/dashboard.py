"""How long does the server take for a page of the dashboard with a million transactions? One command, one table.

    python -m benchmarks.dashboard [--rows 1000000] [--times 30] [--json]

One server process with its real settings answers one signed-in operator, page by page, over one connection. Beside the
pages of numbers, lists and cases stands the time of their bare queries alone, sent by psql's own protocol to the same
database: what no page can beat. Every other page that has an address follows, with the limit for all of them.
"""

import argparse
import asyncio
import json
import secrets
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from uuid import UUID

import aiohttp
import psycopg
from rich.console import Console
from rich.table import Table
from tests.support.cases import a_case
from tests.support.dashboard import SESSION, a_session, an_operator
from tests.support.dashboard_numbers import CODES
from tests.support.dashboard_pages import every_page
from tests.support.waiting import free_port

from benchmarks.api_server import serve, settings_for
from benchmarks.dashboard_fill import fill, fill_logs
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.dashboard.case import store as case_store
from truename.dashboard.listing import store as list_store
from truename.dashboard.listing.filters import Filters
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.rules.issues import IssueCode
from truename.statistics import store as sums
from truename.statistics.model import APART
from truename.transactions.lifecycle import Status
from truename.wiring import database_url, wired

LIMIT_MS = {"home": 150, "list": 80, "case": 120, "review": 120, "any": 200}


FILTERED = (
    "/dashboard/transactions/count",
    "/dashboard/transactions/count?status=APPROVED",
    "/dashboard/transactions/count?views=1",
    "/dashboard/audit?action=operator.created",
    "/dashboard/audit?actor=nobody",
    "/dashboard/audit?looks=1",
    "/dashboard/developers?failed=1",
    "/dashboard/developers/webhooks?state=EXHAUSTED",
    "/dashboard/customers?status=BLOCKED",
)
"""Addresses with a filter that finds little or nothing: the worst case of a list."""


@dataclass(frozen=True)
class Page:
    """One page and what was measured of it, in milliseconds."""

    name: str
    p50: float
    p95: float
    bare: float | None
    """None for pages of which no query is sent alone."""
    limit: int
    kilobytes: float


def bare_time(connection: psycopg.Connection, account_id: UUID, queries: list, times: int) -> float:
    """The median of all queries of a page, one after another, as one account."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        with connection.transaction():
            connection.execute(f"SET LOCAL truename.account_id = '{account_id}'")
            for query, parameters in queries:
                connection.execute(query, parameters).fetchall()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


async def page_time(http: aiohttp.ClientSession, path: str, times: int) -> tuple[list[float], int]:
    """Milliseconds of each request after three to warm up, and the size of the page."""
    taken, size = [], 0
    for turn in range(times + 3):
        began = time.perf_counter()
        async with http.get(path) as answer:
            text = await answer.read()
            if answer.status not in (200, 404):  # a case in review has no receipt yet
                raise SystemExit(f"{path} answered {answer.status}")
        if turn >= 3:
            taken.append(1000 * (time.perf_counter() - began))
        size = len(text)
    return sorted(taken), size


def listed(account_id: UUID, filters: Filters) -> list:
    today = now().date()
    where, given = list_store.where(filters, "operator:x", today, "UTC")
    rare = filters.issue is IssueCode.SURNAME_MISMATCH
    rows = list_store.WITH_RARE_ISSUE if rare else list_store.ALL
    query = list_store.rows_query(list_store.WHOLE_ROW, where, filters, rows)
    given |= {"hours": [], "counted": now()} if rare else {}
    return [(query, {**given, **list_store.page_parameters(filters, 51), "account_id": account_id})]


async def measure(rows: int, times: int) -> list[Page]:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        settings = settings_for(Path(folder), port)
        async with database_url(settings, may_create=True) as url, wired(settings, may_create=True) as plumbing:
            chosen = AccountSettings(manual_review=True)
            account = await create_account(plumbing, f"benchmark {secrets.token_hex(3)}", settings=chosen)
            ana = await an_operator(plumbing, {account.account_id: Role.ADMIN})
            customer = await fill(plumbing, account, rows)
            case = await a_case(plumbing, account)
            with psycopg.connect(url, autocommit=True) as bare:
                await fill_logs(plumbing, bare, account, ana.operator_id)
                bare.execute("VACUUM ANALYZE")
                bare.execute("SET ROLE truename_app")
                token = await a_session(plumbing, ana)
                server = get_context("spawn").Process(target=serve, args=(folder, port, url))
                server.start()
                try:
                    return await _measure(bare, port, token, account.account_id, case, customer, times)
                finally:
                    server.terminate()
                    server.join()


async def _measure(
    bare: psycopg.Connection, port: int, token: str, account_id: UUID, case: UUID, customer: UUID, times: int
) -> list[Page]:
    today = now().date()
    week = today - timedelta(days=7)
    month = {"account_id": account_id, "since": today - timedelta(days=29), "until": today + timedelta(days=1)}
    by_day = {**month, "zone": "UTC", "apart": list(APART)}
    one = {"account_id": account_id, "transaction_id": case}
    rejected = Filters(status=(Status.REJECTED,))
    rare = Filters(issue=IssueCode.SURNAME_MISMATCH)
    common = Filters(issue=IssueCode[CODES[1]])
    days = Filters(ended_from=week, ended_to=week, status=(Status.APPROVED,))
    queries = {
        ("home", "/dashboard?days=30"): [(sums.BY_DAY, by_day), (sums.TOTALS, {**month, "measure": "ISSUE"})],
        ("home", "/dashboard?days=90"): [
            (sums.BY_DAY, {**by_day, "since": today - timedelta(days=89)}),
        ],
        ("list", "/dashboard/transactions"): listed(account_id, Filters()),
        ("list", "/dashboard/transactions?status=REJECTED"): listed(account_id, rejected),
        ("list", f"/dashboard/transactions?issue={CODES[1]}"): listed(account_id, common),
        ("list", "/dashboard/transactions?issue=SURNAME_MISMATCH"): listed(account_id, rare),
        ("list", f"/dashboard/transactions?{days.query()}"): listed(account_id, days),
        ("case", f"/dashboard/transactions/{case}"): [
            (case_store.BESIDE, one),
            (case_store.EVENTS, one),
            (case_store.ACTS, {**one, "transaction_id": str(case)}),
        ],
        ("review", "/dashboard/review"): listed(account_id, Filters(status=(Status.IN_REVIEW,), oldest_first=True)),
    }
    measured = {path for _, path in queries} | {"/dashboard", "/dashboard/sign-in"}
    others: dict[tuple[str, str], list] = {
        ("any", path): [] for path in (*every_page(customer, case), *FILTERED) if path not in measured
    }
    pages = []
    jar = aiohttp.CookieJar(unsafe=True)
    address = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession(address, cookie_jar=jar, cookies={SESSION: token}) as http:
        await _ready(http)
        for (kind, path), behind in (queries | others).items():
            taken, size = await page_time(http, path, times)
            alone = bare_time(bare, account_id, behind, times) if behind else None
            p95 = taken[min(len(taken) - 1, round(0.95 * len(taken)))]
            name = path.replace(str(case), "{id}").replace(str(customer), "{customer}")
            pages.append(Page(name, statistics.median(taken), p95, alone, LIMIT_MS[kind], size / 1000))
    return pages


async def _ready(http: aiohttp.ClientSession) -> None:
    for _ in range(600):
        try:
            async with http.get("/readyz"):
                return
        except aiohttp.ClientError:
            await asyncio.sleep(0.1)
    raise SystemExit("The server did not start.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    pages = asyncio.run(measure(given.rows, given.times))
    if given.json:
        print(json.dumps([asdict(page) for page in pages]))
    else:
        show(given.rows, pages)
    if slow := [page.name for page in pages if page.p50 > page.limit]:
        raise SystemExit(f"Slower than their limit: {', '.join(slow)}")


def show(rows: int, pages: list[Page]) -> None:
    """One table."""
    columns = ("page", "p50 ms", "p95 ms", "bare queries ms", "p50 / bare", "limit ms", "kB")
    table = Table(*columns, title=f"{rows:,} transactions")
    for page in pages:
        bare = (f"{page.bare:.1f}", f"{page.p50 / page.bare:.1f}") if page.bare else ("", "")
        figures = (f"{page.p50:.0f}", f"{page.p95:.0f}", *bare, str(page.limit))
        table.add_row(page.name, *figures, f"{page.kilobytes:.0f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
