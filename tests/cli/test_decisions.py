"""Receipts and back-tests at the command line, on a real database."""

import asyncio
import json
from uuid import uuid4

import pytest
import typer
from typer.testing import CliRunner

from tests.support.dossiers import a_dossier
from tests.support.judged import a_judged
from tests.support.small_disk import a_small_disk
from truename.accounts.model import Account, AccountSettings
from truename.cli import app
from truename.cli.addresses import refuse_plain_http
from truename.cli.backtest import _only_account
from truename.cli.exit_codes import ExitCode
from truename.plumbing.clock import now


@pytest.fixture
def typed(plumbing, monkeypatch):
    """Type a command beside the running service."""
    settings = plumbing.settings
    monkeypatch.setenv("TRUENAME_DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("TRUENAME_MASTER_KEY", settings.master_key.get_secret_value())
    monkeypatch.setenv("TRUENAME_DATA_DIR", str(settings.data_dir))

    async def invoke(*words: object):
        return await asyncio.to_thread(CliRunner().invoke, app, [str(word) for word in words])

    return invoke


async def test_a_receipt_is_fetched_and_verified_with_its_evidence(typed, plumbing, an_account, tmp_path):
    transaction_id = await a_judged(plumbing, an_account, a_dossier(liveness=0.4))
    receipt, keys, evidence = tmp_path / "receipt.jws", tmp_path / "keys.json", tmp_path / "evidence.json"
    for words in (("show", transaction_id, "--out", receipt), ("keys", "--out", keys)):
        assert (await typed("receipt", *words)).exit_code == ExitCode.OK
    assert (await typed("receipt", "evidence", transaction_id, "--out", evidence)).exit_code == ExitCode.OK
    assert evidence.stat().st_mode & 0o777 == 0o600, "it is personal data"
    done = await typed("receipt", "verify", receipt, "--keys", keys, "--evidence", evidence)
    assert done.exit_code == ExitCode.OK
    assert "judged the same today" in done.stdout
    shown = json.loads((await typed("receipt", "verify", receipt, "--json")).stdout)
    assert (shown["valid"], shown["receipt"]["decision"]["outcome"]) == (True, "REJECTED")
    receipt.write_text(receipt.read_text().replace(".", ".A", 1))
    refused = await typed("receipt", "verify", receipt, "--keys", keys, "--json")
    assert refused.exit_code == ExitCode.NEGATIVE
    assert json.loads(refused.stdout)["valid"] is False
    assert (await typed("receipt", "verify", receipt, "--keys", tmp_path / "none.json")).exit_code == ExitCode.USAGE
    unreachable = await typed("receipt", "verify", receipt, "--keys", "http://127.0.0.1:1/")
    assert unreachable.exit_code == ExitCode.NOT_REACHABLE
    assert (await typed("receipt", "show", an_account.account_id)).exit_code == ExitCode.USAGE


async def test_a_full_disk_ends_no_file_in_its_middle(typed, plumbing, an_account):
    """Seen before: an empty file was left, and the code was that of a wrong call."""
    transaction_id = await a_judged(plumbing, an_account, a_dossier(liveness=0.4))
    with a_small_disk("64k") as disk:
        (disk / "rest").write_bytes(bytes(64 * 1024))
        done = await typed("receipt", "evidence", transaction_id, "--out", disk / "evidence.json")
        assert (done.exit_code, "No space left" in done.stderr) == (ExitCode.NOT_REACHABLE, True), done.stderr
        assert [file.name for file in disk.iterdir()] == ["rest"]


async def test_a_policy_is_back_tested(typed, plumbing, an_account, tmp_path):
    flipped = await a_judged(plumbing, an_account, a_dossier(liveness=0.87))
    policy, account = tmp_path / "new.json", ("--account", an_account.account_id)
    policy.write_text('{"biometric_policy": {"liveness_min_score": 0.9}}')
    done = await typed("backtest", "--config", policy, "--since", "2020-01-01", *account, "--json")
    assert json.loads(done.stdout)["to_rejected_by_code"] == {"LIVENESS_LOW_CONFIDENCE": 1}
    shown = await typed("backtest", "--config", policy, *account)
    assert "to REJECTED: 1 by LIVENESS_LOW_CONFIDENCE" in shown.stdout
    for line in ("by, or waiting for, a person", f"{flipped} APPROVED → REJECTED: LIVENESS_LOW_CONFIDENCE\n"):
        assert line in shown.stdout, "nothing is torn apart where a terminal is narrow"
    assert (await typed("backtest", "--config", policy, "--since", "soon", *account)).exit_code == ExitCode.USAGE
    empty = await typed("backtest", "--config", policy, "--since", "2026-02-01", "--until", "2026-01-01", *account)
    assert (empty.exit_code, "The range is empty" in empty.stderr) == (ExitCode.USAGE, True)
    assert (await typed("backtest", "--config", policy, "--account", "nobody")).exit_code == ExitCode.USAGE
    policy.write_text('{"biometric_policy": {"livenes_min_score": 0.9}}')
    wrong = await typed("backtest", "--config", policy, *account)
    assert wrong.exit_code == ExitCode.USAGE
    assert "Did you mean liveness_min_score?" in wrong.stderr


def test_a_back_test_takes_the_only_account_there_is_and_else_names_them(capsys):
    def account(name, *, live):
        return Account(uuid4(), name, AccountSettings(), now(), live)

    trial, shop, other = account("trial", live=False), account("shop", live=True), account("other", live=True)
    assert _only_account([trial]) is trial
    assert _only_account([trial, shop]) is shop, "the only live one"
    for accounts, words in (
        ([], "no account yet"),
        ([trial, shop, other], "trial (sandbox), shop (live), other (live)"),
    ):
        with pytest.raises(typer.Exit):
            _only_account(accounts)
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "address", ["http://verify.example.com/", "http://localhost.example.com/", "http:///", "ftp://x"]
)
def test_neither_a_secret_nor_trust_goes_over_plain_http(address, tmp_path):
    with pytest.raises(typer.Exit) as ended:
        refuse_plain_http(address)
    assert ended.value.exit_code == ExitCode.USAGE
    receipt = tmp_path / "receipt.jws"
    receipt.write_text("x")
    for call in (
        ["mcp", "--client-id", "x", "--client-secret", "y", "--server", address],
        ["simulate", "--client-id", "x", "--client-secret", "y", "--server", address],
        ["simulate", "--transaction", "x", "--sdk-token", "y", "--server", address],
        *([["receipt", "verify", str(receipt), "--keys", address]] if address.startswith("http") else []),
    ):
        done = CliRunner().invoke(app, call)
        assert (done.exit_code, "https://" in done.stderr) == (ExitCode.USAGE, True), call


def test_this_machine_and_https_may_be_called():
    for address in ("https://verify.example.com", "http://localhost:8000", "http://[::1]:80", "http://shop.localhost"):
        refuse_plain_http(address)
