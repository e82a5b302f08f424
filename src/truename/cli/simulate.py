"""`truename simulate`: whole captures with drawn documents and a drawn head, through the real SDK interface."""

import asyncio
import json
import math
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated
from uuid import UUID

import aiohttp
import orjson
import typer
from pydantic import BaseModel, JsonValue

from truename.cli.addresses import refuse_plain_http
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import run, settings_of_command
from truename.cli.sandbox_access import Access, Trouble, access_token, ending
from truename.cli.welcome import address_of_service
from truename.plumbing.clock import date_at_utc_minus_12, now
from truename.plumbing.settings import Settings
from truename.rules.config import Config, TransactionType

KYC = "/api/account/integration/kyc"
DECIDED = ("APPROVED", "REJECTED", "IN_REVIEW")
RENEWED_AFTER = 1200.0
"""Seconds: a thousand simulations take longer than an access token lives."""
SEEDS = 2**31
"""So many people can be drawn."""


class RefusedOnTheWay(Trouble):
    """The service refused a step of one capture; another may go through."""


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
    patience: Annotated[
        int, typer.Option(min=1, max=3600, help="Seconds to wait for each decision once it was submitted.")
    ] = 300,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=SEEDS - 1, help="Draw the people of an earlier run again; it said theirs."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each transaction.")] = False,
) -> None:
    """Verify people who do not exist: draw a document and a head that follows the challenge, and send them as an SDK.

    Sandbox accounts only. Each run draws anew, unless --seed names one; the service chooses the
    challenge by chance. Ends with 0 when every transaction was decided, with 1 when one was not.
    """
    if sdk_token is not None and (len(transaction or ()) > 1 or count > 1):
        raise complain("An SDK token is for one transaction only.")
    if transaction and (count > 1 or config is not None):
        raise complain("--count and --config are for fresh customers: leave them out where --transaction is given.")
    wanted = _config_in(config)
    settings = settings_of_command()
    where = (server or address_of_service(settings)).rstrip("/")
    refuse_plain_http(where)
    try:
        decided = run(
            _simulate(
                settings,
                where,
                Wanted(transaction or [], scenario, count, kind, wanted, patience, seed),
                Access(sdk_token, client_id, client_secret, account),
                as_json,
            )
        )
    except Trouble as trouble:
        raise complain(str(trouble), code=trouble.code) from None
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
    patience: int = 300
    seed: int | None = None
    """Of the first person; each further one has the next. Left out: by chance."""


def _config_in(file: Path | None) -> JsonValue:
    if file is None:
        return None
    try:
        read: JsonValue = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise complain(f"{file} is no JSON that can be read: {error}.") from None
    return read


async def _simulate(settings: Settings, where: str, wanted: Wanted, access: Access, as_json: bool) -> bool:
    """All of them; says whether every one was decided. What the service refuses of one does not end the others."""
    from truename.sandbox.performance import CannotDraw, act_of  # brings the drawing and its libraries

    try:
        act_of(wanted.scenario)
    except CannotDraw as error:
        raise Trouble(str(error)) from None
    timeout = aiohttp.ClientTimeout(total=300)
    async with aiohttp.ClientSession(where, timeout=timeout) as http:
        token, fetched_at = None, 0.0
        ids = wanted.transactions or [""] * (1 if access.sdk_token else wanted.count)
        decided = 0
        first = secrets.randbelow(SEEDS) if wanted.seed is None else wanted.seed
        for number, transaction_id in enumerate(ids, 1):
            if access.sdk_token is None and (token is None or time.monotonic() > fetched_at + RENEWED_AFTER):
                token, access = await access_token(settings, http, access, wanted.transactions)
                fetched_at = time.monotonic()
            at, seed = f"{number}/{len(ids)}", (first + number - 1) % SEEDS
            try:
                told = await _one(http, token, access.sdk_token, transaction_id, wanted, seed, at)
            except RefusedOnTheWay as refused:
                if len(ids) == 1 or (number == 1 and not wanted.transactions):
                    raise  # what is refused of the first fresh one would be refused of each
                _say(at, str(refused))
                continue
            decided += told.status in DECIDED or wanted.scenario == "in-progress"
            issues = ", ".join(told.issues) or "no issues"
            line = json.dumps(asdict(told)) if as_json else f"{told.transaction_id}  {told.status}  {issues}"
            print(line, flush=True)
        if len(ids) > 1:
            _say("in all", f"{decided} of {len(ids)} came to their end")
        return decided == len(ids)


def _say(at: str, words: str) -> None:
    print(f"{at}  {words}", file=sys.stderr, flush=True)


async def _one(
    http: aiohttp.ClientSession,
    token: str | None,
    sdk_token: str | None,
    transaction_id: str,
    wanted: Wanted,
    seed: int,
    at: str,
) -> Told:
    from truename.sandbox.performance import CannotDraw, perform
    from truename.sandbox.visitor import NotASandbox, Refused, Visitor, accepted

    config = None
    if token is not None:
        opened = await _opened(http, token, transaction_id, wanted)
        transaction_id, sdk_token = str(opened.transaction_id), opened.sdk_token
        config = Config.from_stored((await _seen(http, token, transaction_id)).config)
    visitor = Visitor(http, sdk_token or "", partial(_say, at))
    begun = False
    try:
        session = await visitor.session()
        begun = True
        today = date_at_utc_minus_12(now())
        _say(at, f"a person drawn by seed {seed}")
        performance = await asyncio.to_thread(perform, wanted.scenario, accepted(session), config, today, seed)
        submitted = await visitor.go_through(session, performance)
    except (CannotDraw, NotASandbox) as error:
        raise Trouble(str(error)) from None
    except Refused as error:
        raise RefusedOnTheWay(str(error), ending(error.status, begun=begun)) from None
    told = await _told(http, token, str(session.transaction_id), submitted, wanted.patience)
    if submitted and token is not None and told.status == "PROCESSING":
        _say(at, f"not decided after {wanted.patience} seconds; does a worker run? (--patience)")
    return told


async def _told(
    http: aiohttp.ClientSession, token: str | None, transaction_id: str, submitted: bool, patience: int
) -> Told:
    """What came of it; a token of the SDK never reads a decision, so that without another it was only submitted."""
    if token is None:
        return Told(transaction_id, "PROCESSING" if submitted else "IN_PROGRESS", [])
    seen = await _seen(http, token, transaction_id)
    until = time.monotonic() + patience
    while submitted and seen.status == "PROCESSING" and (left := until - time.monotonic()) > 0:
        seen = await _seen(http, token, transaction_id, wait=min(30, math.ceil(left)))
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
            words = f"{method} {path} was answered {answer.status}: {told.decode(errors='replace')}"
            raise RefusedOnTheWay(words, ending(answer.status))
        return told
