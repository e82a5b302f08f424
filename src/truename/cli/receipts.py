"""`truename receipt …`: show the receipt of a decision, verify one offline, hand out evidence and keys."""

import json
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import aiohttp
import typer

from truename.cli.addresses import refuse_plain_http
from truename.cli.exit_codes import ExitCode, complain, not_written
from truename.cli.running import run, settings_of_command
from truename.plumbing.errors import EvidenceNotFound, ReceiptNotFound, TransactionNotFound
from truename.plumbing.http.answers import encode
from truename.plumbing.private_files import private_draft
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.receipts.keys import published_keys, rotate_receipt_key
from truename.receipts.verify import ReceiptRefused, VerifiedReceipt, judge_again, verify_receipt
from truename.transactions.receipt import read_evidence, read_receipt
from truename.wiring import wired

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
IntoFile = Annotated[Path | None, typer.Option("--out", help="Write here instead of to the screen.")]
LONGEST_FETCH: Final = 10.0
LONGEST_KEYS: Final = 4 * 1024 * 1024
ACCOUNT_OF: Final = "SELECT account_id FROM transactions WHERE transaction_id = %s"


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    receipt = typer.Typer(no_args_is_help=True)
    receipt.command("show")(show)
    receipt.command("verify")(verify)
    receipt.command("evidence")(evidence)
    receipt.command("keys")(keys)
    receipt.command("rotate-key")(rotate_key)
    app.add_typer(receipt, name="receipt", help="Receipts of decisions: show, verify, evidence, keys, rotate-key.")


def show(transaction_id: UUID, out: IntoFile = None) -> None:
    """The signed receipt of a decision, as a compact JWS; `verify --json` shows what it says."""
    try:
        receipt = run(_receipt(settings_of_command(), transaction_id))
    except TransactionNotFound:
        raise complain(f"There is no transaction {transaction_id}.") from None
    except ReceiptNotFound as reason:
        raise complain(str(reason)) from None
    _write(receipt.encode(), out)


def evidence(transaction_id: UUID, out: IntoFile = None) -> None:
    """All that the judgement knew, as a file for `verify --evidence`: personal data. The reading is audited."""
    try:
        found = run(_evidence(settings_of_command(), transaction_id))
    except TransactionNotFound:
        raise complain(f"There is no transaction {transaction_id}.") from None
    except EvidenceNotFound as reason:
        raise complain(str(reason)) from None
    _write(found, out)


def keys(out: IntoFile = None) -> None:
    """Every public key that ever signed a receipt, as a JWK set for `verify --keys`."""
    _write(run(_keys(settings_of_command())), out)


def rotate_key() -> None:
    """Sign receipts with a new key from now on; those of the old one stay verifiable for ever."""
    print(f"Receipts are now signed with the key {run(_rotate(settings_of_command()))}.")


def verify(
    file: Annotated[Path, typer.Argument(help="The receipt.", exists=True, dir_okay=False, readable=True)],
    evidence: Annotated[
        Path | None,
        typer.Option(
            help="The evidence file: its hash is checked, and it is judged again.", exists=True, dir_okay=False
        ),
    ] = None,
    keys: Annotated[
        str | None,
        typer.Option(help="File or address of the published keys. Left out: those of the installation in this folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check who signed a receipt and what it says; with the evidence, judge again. Exit 1 when it does not hold."""
    published = _read_keys(keys) if keys else run(_keys(settings_of_command()))
    try:
        verified = verify_receipt(file.read_text("ascii", errors="replace"), published)
        verdict = judge_again(verified.receipt, evidence.read_bytes()) if evidence else None
    except ReceiptRefused as refused:
        if as_json:
            print(json.dumps({"valid": False, "reason": str(refused)}))
            raise typer.Exit(ExitCode.NEGATIVE) from None
        raise complain(f"The receipt does not hold. {refused}", code=ExitCode.NEGATIVE) from None
    if as_json:
        shown = {"valid": True, "kid": verified.kid, "judged_again": verdict is not None}
        print(json.dumps({**shown, "receipt": verified.receipt.model_dump(mode="json")}))
    else:
        _say(verified, judged=verdict is not None)


def _say(verified: VerifiedReceipt, *, judged: bool) -> None:
    receipt = verified.receipt
    decision = receipt.decision
    print(f"The receipt holds: signed by the key {verified.kid}.")
    sandbox = "" if receipt.livemode else " (a sandbox: no real verification)"
    print(f"Transaction {receipt.transaction_id} of account {receipt.account_id}{sandbox}")
    print(f"{decision.outcome.value} by {decision.decided_by}, {decision.decided_at.isoformat()}")
    for issue in receipt.issues:
        print(f"  {issue.severity.value:13} {issue.code}")
    if judged:
        print("The evidence is that of the receipt, and is judged the same today.")
    elif receipt.evidence_hash is not None:
        print("The evidence was not checked: give it with --evidence.")


def _write(content: bytes, out: Path | None) -> None:
    if out is None:
        print(content.decode())
        return
    try:
        if out.exists() and not out.is_file():  # a device, a pipe
            out.write_bytes(content + b"\n")
            return
        # Evidence is personal data: nobody else on the machine may read it. All of it is there, or what was before.
        with private_draft(out.resolve()) as draft:
            draft.write_bytes(content + b"\n")
            draft.replace(out.resolve())
    except OSError as error:
        raise not_written(out, error) from None


def _read_keys(where: str) -> bytes:
    if where.startswith(("https://", "http://")):
        refuse_plain_http(where)
        try:
            return run(_fetched(where))
        except (aiohttp.ClientError, TimeoutError) as error:
            words = f"The keys cannot be had from {where}: {type(error).__name__}."
            raise complain(words, code=ExitCode.NOT_REACHABLE) from None
    try:
        return Path(where).read_bytes()
    except OSError as error:
        raise complain(f"{where} cannot be read: {error.strerror}.") from None


async def _fetched(address: str) -> bytes:
    timeout = aiohttp.ClientTimeout(total=LONGEST_FETCH)
    async with (
        aiohttp.ClientSession(timeout=timeout, raise_for_status=True) as session,
        session.get(address, allow_redirects=False) as answer,  # a redirect could lead to plain http
    ):
        found = b""
        async for part in answer.content.iter_chunked(65536):
            found += part
            if len(found) > LONGEST_KEYS:
                raise aiohttp.ClientPayloadError
        return found


async def _account_of(plumbing: Plumbing, transaction_id: UUID) -> UUID:
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(ACCOUNT_OF, (transaction_id,))
        row = await cursor.fetchone()
    if row is None:
        raise TransactionNotFound
    account_id: UUID = row["account_id"]
    return account_id


async def _receipt(settings: Settings, transaction_id: UUID) -> str:
    async with wired(settings) as plumbing:
        return await read_receipt(plumbing, await _account_of(plumbing, transaction_id), transaction_id)


async def _evidence(settings: Settings, transaction_id: UUID) -> bytes:
    async with wired(settings) as plumbing:
        account_id = await _account_of(plumbing, transaction_id)
        return encode(await read_evidence(plumbing, account_id, transaction_id, actor="operator"))


async def _keys(settings: Settings) -> bytes:
    async with wired(settings) as plumbing:
        return encode(await published_keys(plumbing))


async def _rotate(settings: Settings) -> str:
    async with wired(settings) as plumbing:
        return await rotate_receipt_key(plumbing)
