"""By what right a command acts in a sandbox account: a client's secret, or the database of this folder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import aiohttp
import orjson

from truename.accounts.model import SCOPES
from truename.accounts.store import find_account, list_accounts
from truename.accounts.tokens import issue_access_token
from truename.cli.exit_codes import ExitCode
from truename.cli.welcome import address_of_service
from truename.plumbing.settings import Settings
from truename.wiring import wired

NOT_NOW = (429, 502, 503, 504)
"""Answers to a call that was right: the service, or what it stands on, cannot do it at the moment."""
PAST_IT = (409, 410)
"""Answers of a transaction that exists and can no longer be captured: it was submitted, cancelled, or has expired."""
OWNER = "SELECT account_id FROM transactions WHERE transaction_id = %s"


class Trouble(Exception):
    """A sentence that ends the command; `code` says how."""

    def __init__(self, sentence: str, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True)
class Access:
    """By what right: one of these."""

    sdk_token: str | None
    client_id: str | None
    client_secret: str | None
    account: str | None


async def access_token(
    settings: Settings, http: aiohttp.ClientSession, access: Access, transactions: Sequence[str]
) -> tuple[str, Access]:
    """A token by the client's secret; without one, straight from the database of this folder. Raises Trouble.

    With it comes the right by which to fetch the next one: for the same account, whatever others there are by then.
    """
    if access.client_id and access.client_secret:
        form = {
            "grant_type": "client_credentials",
            "client_id": access.client_id,
            "client_secret": access.client_secret,
        }
        async with http.post("/oauth/token", data=form) as answer:
            told = await answer.read()
            if answer.status != 200:
                words = "The service is not ready" if answer.status in NOT_NOW else "The client was refused"
                raise Trouble(f"{words}: {told.decode(errors='replace')}", ending(answer.status))
            granted: str = orjson.loads(told)["access_token"]
            return granted, access
    running = settings.model_copy(update={"public_url": address_of_service(settings)})
    async with wired(running) as plumbing:
        async with plumbing.database.system() as connection:
            accounts = [one for one in await list_accounts(connection) if not one.livemode]
            named = access.account
            if named is None and transactions:
                cursor = await connection.execute(OWNER, (_uuid(transactions[0]),))
                row = await cursor.fetchone()
                named = str(row["account_id"]) if row else None
        found = find_account(accounts, named) if named else (accounts[0] if len(accounts) == 1 else None)
        if found is None:
            names = (
                ", ".join(one.name for one in accounts) or "none; `truename account create NAME --sandbox` makes one"
            )
            raise Trouble(f"Say which sandbox account (--account), or give a client. Sandbox accounts here: {names}.")
        token = await issue_access_token(plumbing, found.account_id, "simulate", SCOPES, livemode=False)
        return token, replace(access, account=str(found.account_id))


def ending(status: int, *, begun: bool = False) -> ExitCode:
    """How a command ends whose call was answered so.

    Where a capture had begun, or the transaction is past it, the call was right and the transaction is not decided.
    """
    if status in NOT_NOW:
        return ExitCode.NOT_REACHABLE
    return ExitCode.NEGATIVE if begun or status in PAST_IT else ExitCode.USAGE


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Trouble(f"{text!r} is no transaction's id.") from None
