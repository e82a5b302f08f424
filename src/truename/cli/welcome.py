"""What a newcomer sees: credentials once, lines that work when pasted, and where to look next.

Secrets are printed to a terminal only. What goes elsewhere is kept: by the journal, by a container's log, in a file
that others may read. There the secrets go into a file that only we may read, and the lines to paste take them from it.
"""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings, NewAccount
from truename.api import guide
from truename.plumbing.private_files import private_folder, write_private
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings

LOCK = 0x6669_7273
TRIAL = (
    "It is a sandbox: the whole service, marked `livemode: false`, with webhooks to this machine. "
    "For real people: truename account create NAME"
)
ADDRESS = "address"
FIRST_ACCOUNT = "first-account.json"


async def first_account(plumbing: Plumbing) -> NewAccount | None:
    """A default account if there is none at all. Of several processes that start at once, one makes it."""
    async with plumbing.database.system() as alone:
        await alone.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        cursor = await alone.execute("SELECT 1 FROM accounts LIMIT 1")
        if await cursor.fetchone() is not None:
            return None
        settings = AccountSettings(trial=True)
        return await create_account(plumbing, "default", actor="truename", settings=settings, livemode=False)


def greeting(plumbing: Plumbing, made: NewAccount | None, *, on_trial: bool, on_terminal: bool) -> Iterator[str]:
    """The lines to print; `on_trial`: there is an account that the demo may use."""
    base = plumbing.settings.base_url
    if made is not None and on_terminal:
        yield from _credentials(made)
        yield from _first_steps(base, f"{made.client_id}:{made.client_secret}")
    elif made is not None:
        path = (plumbing.settings.data_dir / FIRST_ACCOUNT).resolve()
        write_private(path, json.dumps(made.credentials()) + "\n")
        yield from _where_credentials_are(made, path)
        picked = """sed 's/.*"client_id": "\\([^"]*\\)".*"client_secret": "\\([^"]*\\)".*/\\1:\\2/'"""
        yield from _first_steps(base, f'"$({picked} {shlex.quote(str(path))})"')
    yield f"API         {base}"
    if guide.was_built():
        yield f"Guide       {base}/docs/guide/   (tutorial, how-to, reference)"
    yield f"API docs    {base}/docs   (OpenAPI: {base}/openapi.json)"
    yield f"Dashboard   {base}/dashboard   (to sign in: truename operator create you@example.com --role ACCOUNT=admin)"
    if on_trial:
        yield f"Demo        {base}/demo   (try the capture page and see what your server would receive)"
    if on_trial and made is None:
        yield "Accounts    shown once, at their creation; another: truename account create NAME"


def remember_address(settings: Settings) -> None:
    """Write down where the service answers, so that `truename demo` need not be told the port again."""
    private_folder(settings.data_dir)
    (settings.data_dir / ADDRESS).write_text(settings.base_url + "\n")


def address_of_service(settings: Settings) -> str:
    """Where the service answers: as set, else where it last did."""
    if settings.model_fields_set & {"port", "public_url"}:
        return settings.base_url
    try:
        return (settings.data_dir / ADDRESS).read_text().strip() or settings.base_url
    except OSError:
        return settings.base_url


def _credentials(made: NewAccount) -> Iterator[str]:
    yield ""
    yield "A default account was created. Its secrets are shown only now:"
    yield f"  account_id      {made.account_id}"
    yield f"  client_id       {made.client_id}"
    yield f"  client_secret   {made.client_secret}"
    yield f"  webhook_secret  {made.webhook_secret}"
    yield TRIAL


def _where_credentials_are(made: NewAccount, path: Path) -> Iterator[str]:
    yield ""
    yield f"A default account was created. Its secrets are in {path}, for your eyes only: keep them, then delete it."
    yield f"  account_id      {made.account_id}"
    yield f"  client_id       {made.client_id}"
    yield TRIAL


def _first_steps(base: str, login: str) -> Iterator[str]:
    kyc = f"{base}/api/account/integration/kyc"
    bearer = '-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"'

    def pick(field: str) -> str:
        return f"""sed 's/.*"{field}":"\\([^"]*\\)".*/\\1/'"""

    yield ""
    yield "Paste these lines: a token, a customer, a transaction with the token for the SDK."
    yield (f"TOKEN=$(curl -s {base}/oauth/token -u {login} -d grant_type=client_credentials | {pick('access_token')})")
    yield (
        f"CUSTOMER=$(curl -s {kyc}/customer {bearer} "
        f"""-d '{{"external_customer_id": "person-1"}}' | {pick("customer_id")})"""
    )
    yield (
        f"curl -s {kyc}/transaction {bearer} "
        f"""-d '{{"customer_id": "'$CUSTOMER'", "transaction_type": "DOCUMENT_AND_BIOMETRIC"}}'"""
    )
    yield ""
