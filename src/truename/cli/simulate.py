"""`truename simulate`: whole captures with drawn documents and a drawn head, through the real SDK interface."""

import asyncio
import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated
from uuid import UUID

import aiohttp
import orjson
import typer
from pydantic import BaseModel, JsonValue

from truename.accounts.model import SCOPES
from truename.accounts.store import find_account, list_accounts
from truename.accounts.tokens import issue_access_token
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import run, settings_of_command
from truename.cli.welcome import address_of_service
from truename.plumbing.clock import date_at_utc_minus_12, now
from truename.plumbing.settings import Settings
from truename.rules.config import Config, TransactionType
from truename.wiring import wired

KYC = "/api/account/integration/kyc"
OWNER = "SELECT account_id FROM transactions WHERE transaction_id = %s"
DECIDED = ("APPROVED", "REJECTED", "IN_REVIEW")


class Trouble(Exception):
    """A sentence that ends one simulation."""


class Opened(BaseModel):
    """What creation, or a fresh token, answers."""

    transaction_id: UUID
    sdk_token: str


class Seen(BaseModel):
    """What is looked at of a transaction."""

    class Issue(BaseModel):
        code: str
        severity: str

    status: str
    issues: list[Issue]
    config: dict[str, JsonValue]


@dataclass(frozen=True)
class Told:
    """What came of one simulation."""

    transaction_id: str
    status: str
    issues: list[str]


def register(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("simulate")(simulate)


def simulate(
    transaction: Annotated[
        list[str] | None, typer.Option("--transaction", metavar="ID", help="A transaction; may be given several times.")
    ] = None,
    scenario: Annotated[str, typer.Option(help="What the camera sees; see docs/how-to/sandbox-in-ci.md.")] = "approved",
    count: Annotated[
        int, typer.Option(min=1, max=1000, help="Without --transaction: how many fresh customers are verified.")
    ] = 1,
    kind: Annotated[
        TransactionType, typer.Option("--type", help="Without --transaction: what is to be captured.")
    ] = TransactionType.DOCUMENT_AND_BIOMETRIC,
    config: Annotated[
        Path | None, typer.Option(help="Without --transaction: file of the config to create transactions with.")
    ] = None,
    server: Annotated[str | None, typer.Option(help="Address of the service; left out: that of this folder.")] = None,
    sdk_token: Annotated[str | None, typer.Option(help="The token of the one transaction; no other is needed.")] = None,
    client_id: Annotated[str | None, typer.Option(envvar="CLIENT_ID", help="Client of the sandbox account.")] = None,
    client_secret: Annotated[str | None, typer.Option(envvar="CLIENT_SECRET", help="Its secret.")] = None,
    account: Annotated[
        str | None, typer.Option(help="Beside the service, instead of a client: the sandbox account, by name or id.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each transaction.")] = False,
) -> None:
    """Verify people who do not exist: draw a document and a head that follows the challenge, and send them as an SDK.

    Sandbox accounts only. Each run draws anew. Ends with 0 when every transaction was decided, with 1 when one was not.
    """
    settings = settings_of_command()
    where = (server or address_of_service(settings)).rstrip("/")
    wanted = orjson.loads(config.read_bytes()) if config is not None and config.is_file() else None
    if config is not None and wanted is None:
        raise complain(f"There is no file {config}.")
    if sdk_token is not None and len(transaction or ()) > 1:
        raise complain("An SDK token is for one transaction only.")
    try:
        decided = run(
            _simulate(
                settings,
                where,
                Wanted(transaction or [], scenario, count, kind, wanted),
                Access(sdk_token, client_id, client_secret, account),
                as_json,
            )
        )
    except Trouble as trouble:
        raise complain(str(trouble)) from None
    except (aiohttp.ClientConnectionError, TimeoutError):
        raise complain(f"{where} does not answer.", code=ExitCode.NOT_REACHABLE) from None
    if not decided:
        raise typer.Exit(ExitCode.NEGATIVE)


@dataclass(frozen=True)
class Wanted:
    """What is to be simulated."""

    transactions: Sequence[str]
    scenario: str
    count: int
    kind: TransactionType
    config: JsonValue


@dataclass(frozen=True)
class Access:
    """By what right: one of these."""

    sdk_token: str | None
    client_id: str | None
    client_secret: str | None
    account: str | None


async def _simulate(settings: Settings, where: str, wanted: Wanted, access: Access, as_json: bool) -> bool:
    timeout = aiohttp.ClientTimeout(total=300)
    async with aiohttp.ClientSession(where, timeout=timeout) as http:
        token = None
        if access.sdk_token is None:
            token = await _access_token(settings, http, wanted, access)
        ids = wanted.transactions or [""] * (1 if access.sdk_token else wanted.count)
        every_one = True
        for number, transaction_id in enumerate(ids, 1):
            told = await _one(http, token, access.sdk_token, transaction_id, wanted, f"{number}/{len(ids)}")
            every_one = every_one and (told.status in DECIDED or wanted.scenario == "in-progress")
            issues = ", ".join(told.issues) or "no issues"
            line = json.dumps(asdict(told)) if as_json else f"{told.transaction_id}  {told.status}  {issues}"
            print(line, flush=True)
        return every_one


async def _one(
    http: aiohttp.ClientSession, token: str | None, sdk_token: str | None, transaction_id: str, wanted: Wanted, at: str
) -> Told:
    from truename.sandbox.performance import CannotDraw, perform  # brings the drawing and its libraries
    from truename.sandbox.visitor import NotASandbox, Refused, Visitor, accepted

    def say(words: str) -> None:
        print(f"{at}  {words}", file=sys.stderr, flush=True)

    config = None
    if token is not None:
        opened = await _opened(http, token, transaction_id, wanted)
        transaction_id, sdk_token = str(opened.transaction_id), opened.sdk_token
        config = Config.from_stored((await _seen(http, token, transaction_id)).config)
    visitor = Visitor(http, sdk_token or "", say)
    try:
        session = await visitor.session()
        seed, today = secrets.randbelow(2**31), date_at_utc_minus_12(now())
        performance = await asyncio.to_thread(perform, wanted.scenario, accepted(session), config, today, seed)
        submitted = await visitor.go_through(session, performance)
    except (CannotDraw, NotASandbox, Refused) as error:
        raise Trouble(str(error)) from None
    return await _told(http, token, str(session.transaction_id), submitted)


async def _told(http: aiohttp.ClientSession, token: str | None, transaction_id: str, submitted: bool) -> Told:
    """What came of it; a token of the SDK never reads a decision, so that without another it was only submitted."""
    if token is None:
        return Told(transaction_id, "PROCESSING" if submitted else "IN_PROGRESS", [])
    seen = await _seen(http, token, transaction_id)
    while submitted and seen.status == "PROCESSING":
        seen = await _seen(http, token, transaction_id, wait=30)
    return Told(transaction_id, seen.status, [f"{one.code} {one.severity}" for one in seen.issues])


async def _seen(http: aiohttp.ClientSession, token: str, transaction_id: str, wait: int = 0) -> Seen:
    path = f"{KYC}/transaction/{transaction_id}?wait={wait}"
    return Seen.model_validate_json(await _call(http, token, "GET", path))


async def _opened(http: aiohttp.ClientSession, token: str, transaction_id: str, wanted: Wanted) -> Opened:
    """A fresh token for a transaction that is there, or a fresh customer with a fresh transaction."""
    if transaction_id:
        path = f"{KYC}/transaction/{transaction_id}/sdk-token"
        return Opened.model_validate_json(await _call(http, token, "POST", path, {}))
    person: JsonValue = {"external_customer_id": f"simulated-{secrets.token_hex(8)}"}
    customer = orjson.loads(await _call(http, token, "POST", f"{KYC}/customer", person))
    body: dict[str, JsonValue] = {"customer_id": customer["customer_id"], "transaction_type": wanted.kind.value}
    if wanted.config is not None:
        body["config"] = wanted.config
    return Opened.model_validate_json(await _call(http, token, "POST", f"{KYC}/transaction", body))


async def _call(http: aiohttp.ClientSession, token: str, method: str, path: str, body: JsonValue = None) -> bytes:
    headers = {"Authorization": f"Bearer {token}"}
    async with http.request(method, path, json=body if method == "POST" else None, headers=headers) as answer:
        told = await answer.read()
        if answer.status >= 400:
            raise Trouble(f"{method} {path} was answered {answer.status}: {told.decode(errors='replace')}")
        return told


async def _access_token(settings: Settings, http: aiohttp.ClientSession, wanted: Wanted, access: Access) -> str:
    """By the client's secret; without one, straight from the database of this folder."""
    if access.client_id and access.client_secret:
        form = {
            "grant_type": "client_credentials",
            "client_id": access.client_id,
            "client_secret": access.client_secret,
        }
        async with http.post("/oauth/token", data=form) as answer:
            told = await answer.read()
            if answer.status != 200:
                raise Trouble(f"The client was refused: {told.decode(errors='replace')}")
            granted: str = orjson.loads(told)["access_token"]
            return granted
    running = settings.model_copy(update={"public_url": address_of_service(settings)})
    async with wired(running) as plumbing:
        async with plumbing.database.system() as connection:
            accounts = [one for one in await list_accounts(connection) if not one.livemode]
            named = access.account
            if named is None and wanted.transactions:
                cursor = await connection.execute(OWNER, (_uuid(wanted.transactions[0]),))
                row = await cursor.fetchone()
                named = str(row["account_id"]) if row else None
        found = find_account(accounts, named) if named else (accounts[0] if len(accounts) == 1 else None)
        if found is None:
            names = (
                ", ".join(one.name for one in accounts) or "none; `truename account create NAME --sandbox` makes one"
            )
            raise Trouble(f"Say which sandbox account (--account), or give a client. Sandbox accounts here: {names}.")
        return await issue_access_token(plumbing, found.account_id, "simulate", SCOPES, livemode=False)


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Trouble(f"{text!r} is no transaction's id.") from None
