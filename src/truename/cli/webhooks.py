"""`truename webhook …`: events on a developer's own machine."""

import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import orjson
import typer
from pydantic_core import PydanticCustomError

from truename.accounts.model import Account
from truename.accounts.store import account_settings, change_settings, find_account, list_accounts
from truename.accounts.webhook_secrets import secrets_in_force
from truename.audit.model import Action
from truename.audit.record import record
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import run, settings_of_command
from truename.plumbing.database.ids import new_id
from truename.plumbing.http.answers import encode
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.rules.config import TransactionType
from truename.rules.webhook_url import checked_url
from truename.sandbox.listener import Heard, Listener, is_loopback
from truename.webhooks.allowed import addresses_open_to, may_use_loopback
from truename.webhooks.outbox import ChangedStatus, event_of
from truename.webhooks.send import Attempt, shared_sender
from truename.webhooks.sign import signed_headers
from truename.wiring import wired

AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON for each event.")]
Named = Annotated[
    str | None,
    typer.Option("--account", help="Name or id; left out: the only sandbox or trial account."),
]
LAST_ADDRESS = "SELECT url FROM webhook_events WHERE account_id = %s ORDER BY event_id DESC LIMIT 1"


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    webhook = typer.Typer(no_args_is_help=True)
    webhook.command("listen")(listen)
    webhook.command("send-test")(send_test)
    app.add_typer(webhook, name="webhook", help="Webhooks on your own machine: listen to them, send a test event.")


def listen(
    forward_to: Annotated[
        str | None, typer.Option("--forward-to", help="Hand each event on, unchanged, to this address of this machine.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 0,
    account: Named = None,
    count: Annotated[int, typer.Option(min=0, help="End after so many events; 0 never ends.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Receive, verify and show the events of a sandbox or trial account, until Ctrl-C.

    While it runs, events of transactions that name no webhook of their own come here. Run it beside the service, in the
    folder of its data. What the program behind `--forward-to` answers is answered to the service.
    """
    try:
        run(_listen(settings_of_command(), account, forward_to, port, count, as_json))
    except (LookupError, ValueError) as error:
        raise complain(str(error)) from None
    except OSError as error:
        raise complain(f"Port {port} cannot be used: {error.strerror}.", code=ExitCode.NOT_REACHABLE) from None


def send_test(
    url: Annotated[
        str | None, typer.Option(help="Where to; left out: the listener, or where the account's last event went.")
    ] = None,
    account: Named = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Send a signed example event, and say what came of it. It tells of a transaction that does not exist."""
    try:
        where, attempt = run(_send_test(settings_of_command(), account, url))
    except LookupError as error:
        raise complain(str(error.args[0])) from None
    if as_json:
        told = {"url": where, "outcome": attempt.outcome, "status_code": attempt.status_code, "error": attempt.error}
        print(json.dumps(told))
    else:
        print(f"{where}: {attempt.outcome}" + (f" ({attempt.error})" if attempt.error else ""))
    if attempt.outcome != "DELIVERED":
        raise typer.Exit(ExitCode.NEGATIVE)


async def _listen(
    settings: Settings, named: str | None, forward_to: str | None, port: int, count: int, as_json: bool
) -> None:
    if not settings.opens_loopback:
        words = "The service is reached from elsewhere (TRUENAME_PUBLIC_URL), so nothing is sent to its own machine."
        raise LookupError(f"{words} TRUENAME_WEBHOOK_LOOPBACK=true allows it to sandbox and trial accounts.")
    async with wired(settings) as plumbing:
        account = await _account(plumbing, named)
        heard: asyncio.Queue[Heard] = asyncio.Queue()

        async def secrets() -> Sequence[str]:
            async with plumbing.database.account(account.account_id) as connection:
                return await secrets_in_force(connection, plumbing.vault, account.account_id)

        listener = Listener(secrets, heard.put, forward_to)
        address = await listener.start(port)
        await _point(plumbing, account, address)
        try:
            print(f"Listening at {address} for events of {account.name!r}. Ctrl-C ends.", file=sys.stderr, flush=True)
            number = 0
            while count == 0 or number < count:
                _show(await heard.get(), as_json)
                number += 1
        finally:
            await _point(plumbing, account, None, was=address)
            await listener.close()


def _show(heard: Heard, as_json: bool) -> None:
    try:
        event = orjson.loads(heard.body)
    except ValueError:
        event = None
    if as_json:
        told = {
            "event_id": heard.event_id,
            "verified": heard.verified,
            "event": event,
            "forwarded_to": heard.forwarded_to,
            "answered": heard.answered,
            "trouble": heard.trouble,
        }
        print(json.dumps(told), flush=True)
        return
    # Of what does not verify nothing is shown: whoever sent it would write on the terminal.
    known = heard.verified and isinstance(event, dict)
    kind, data = (event.get("type", "?"), event.get("data", {})) if known else ("?", {})
    proof = "verified" if heard.verified else "SIGNATURE WRONG, refused"
    moved = f"{data.get('previous_status', '?')} → {data.get('status', '?')}"
    print(f"{datetime.now(UTC):%H:%M:%S}  {kind:24} {data.get('transaction_id', '?')}  {moved}  {proof}", flush=True)
    if heard.forwarded_to is not None:
        print(f"          {heard.forwarded_to} → {heard.answered or heard.trouble}", flush=True)


async def _account(plumbing: Plumbing, named: str | None) -> Account:
    """The account that is named, or the only one that is for tests; raises LookupError with what to do."""
    async with plumbing.database.system() as connection:
        accounts = await list_accounts(connection)
    for_tests = [one for one in accounts if not one.livemode or one.settings.trial]
    if named is None:
        if len(for_tests) == 1:
            return for_tests[0]
        names = ", ".join(one.name for one in for_tests) or "none; `truename account create NAME --sandbox` makes one"
        raise LookupError(f"Say which account, by --account. Sandbox and trial accounts: {names}.")
    found = find_account(accounts, named)
    if found is None:
        raise LookupError(f"There is no account named {named!r}.")
    if found not in for_tests:
        raise LookupError(f"{named!r} is a live account: its events go by https to the address of each transaction.")
    return found


async def _point(plumbing: Plumbing, account: Account, address: str | None, *, was: str | None = None) -> None:
    """Let the account's events come here, or no more; another listener that came meanwhile is left alone."""
    async with plumbing.database.system() as connection:
        settings = await account_settings(connection, account.account_id)
        if address is None and settings.webhook_listener != was:
            return
        changed = settings.model_copy(update={"webhook_listener": address})
        await change_settings(connection, account.account_id, changed)
        await record(
            connection,
            account.account_id,
            actor="operator",
            action=Action.SETTINGS_CHANGED,
            subject=f"account:{account.account_id}",
            details={"settings": "webhook_listener"},
        )


async def _send_test(settings: Settings, named: str | None, url: str | None) -> tuple[str, Attempt]:
    async with wired(settings) as plumbing:
        async with plumbing.database.system() as connection:
            accounts = await list_accounts(connection)
        account = find_account(accounts, named) if named is not None else await _account(plumbing, None)
        if account is None:
            raise LookupError(f"There is no account named {named!r}.")
        async with plumbing.database.account(account.account_id) as connection:
            cursor = await connection.execute(LAST_ADDRESS, (account.account_id,))
            last = await cursor.fetchone()
            where = url or account.settings.webhook_listener or (last["url"] if last else None)
            if where is None:
                raise LookupError("There is no address to send to yet: give one by --url.")
            where = _as_address(where)
            may_be_plain = is_loopback(where) and await may_use_loopback(
                connection, plumbing.settings, account.account_id
            )
            if not where.startswith("https://") and not may_be_plain:
                raise LookupError("Events go by https; by http only to this machine, from sandbox and trial accounts.")
            secrets = await secrets_in_force(connection, plumbing.vault, account.account_id)
            allowed = await addresses_open_to(connection, plumbing.settings, account.account_id)
        event_id, body = f"evt_{new_id()}", encode(event_of(_example(account), "PROCESSING")).decode()
        headers = signed_headers(event_id, datetime.now(UTC), body, secrets)
        return where, await shared_sender(settings.webhook_ca_file).post(where, body, headers, allowed)


def _as_address(text: str) -> str:
    """As a transaction's config would take it; raises LookupError. One that is not https is refused in other words."""
    try:
        return checked_url(text, plain_loopback=True)
    except PydanticCustomError as fault:
        if fault.type == "webhook_url_not_https":
            return text
        raise LookupError(fault.message()) from None


def _example(account: Account) -> ChangedStatus:
    return ChangedStatus(
        account_id=account.account_id,
        transaction_id=new_id(),
        customer_id=new_id(),
        external_customer_id="test",
        transaction_type=TransactionType.DOCUMENT_AND_BIOMETRIC,
        status="APPROVED",
        sequence=3,
        changed_at=datetime.now(UTC),
        webhook_url=None,
        livemode=account.livemode,
    )
