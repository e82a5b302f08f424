"""`truename simulate`: whole captures through the SDK interface, of people who do not exist."""

import asyncio
import json
from datetime import date
from pathlib import Path
from random import Random
from uuid import uuid4

import aiohttp
import psycopg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from typer.testing import CliRunner

from tests.support.api import TRANSACTION, a_transaction
from tests.support.jobs import working
from truename.capture import challenge
from truename.cli import app, simulate
from truename.cli.exit_codes import ExitCode
from truename.cli.sandbox_access import Access, Trouble, access_token, ending
from truename.cli.simulate import Wanted, _simulate
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.worker import run_pending
from truename.rules.config import Config, TransactionType
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.performance import ACTS, CannotDraw, Performance, perform
from truename.sandbox.scenarios import BY_NAME
from truename.sandbox.visitor import Visitor
from truename.vision.captures import Step
from truename.wiring import load_jobs

TODAY = date(2026, 11, 15)
ANY = [("ES", DocumentType.NATIONAL_ID), ("PL", DocumentType.PASSPORT)]
KIND = TransactionType.DOCUMENT_AND_BIOMETRIC


def wanted(scenario: str = "approved", *transactions: str, count: int = 1, config=None, seed=None) -> Wanted:
    return Wanted(list(transactions), scenario, count, KIND, config, seed=seed)


def by_client(account) -> Access:
    return Access(None, account.client_id, account.client_secret, None)


def printed(out: str) -> list[dict]:
    """What the command told, among the lines that the service in the same process logs."""
    return [json.loads(line) for line in out.splitlines() if line.startswith('{"transaction_id"')]


def test_every_act_is_a_scenario_of_the_list():
    assert set(ACTS) <= set(BY_NAME)


def test_the_document_says_what_the_config_expects_and_is_one_that_is_accepted():
    matching = {
        "given_names": {"value": "Ana", "similarity_min_score": 1.0},
        "surnames": {"value": "Pérez", "similarity_min_score": 1.0},
        "gender": "F",
        "document_type": "PASSPORT",
        "document_issuing_country": "PL",
        "document_number": "AB123456",
        "date_of_birth": "1990-05-17",
    }
    config = Config.model_validate({"document_policy": {"data_matching": matching}})
    drawn = perform("approved", ANY, config, TODAY, 1).document
    assert (drawn.country, drawn.type) == ("PL", DocumentType.PASSPORT)
    assert drawn.fields[FieldName.SURNAMES] == "Pérez"
    assert drawn.fields[FieldName.DOCUMENT_NUMBER] == "AB123456"
    assert drawn.fields[FieldName.DATE_OF_BIRTH] == "1990-05-17"
    assert drawn.fields[FieldName.DATE_OF_EXPIRY] > TODAY.isoformat()
    other = perform("surname-mismatch", ANY, config, TODAY, 1).document
    assert other.fields[FieldName.SURNAMES] == "SCHMIDT"
    assert perform("expired-document", ANY, None, TODAY, 1).document.fields[FieldName.DATE_OF_EXPIRY] == "2019-04-30"


@pytest.mark.parametrize("scenario", ["approved", "expired-document"])
@pytest.mark.parametrize("seed", range(1, 7))
def test_the_document_was_issued_before_today_and_for_as_many_years_as_its_kind_is(scenario, seed):
    drawn = perform(scenario, [("CA", DocumentType.DRIVER_LICENSE)], None, TODAY, seed).document.fields
    issued, ends = (date.fromisoformat(drawn[name]) for name in (FieldName.DATE_OF_ISSUE, FieldName.DATE_OF_EXPIRY))
    assert issued <= TODAY
    assert 0 < ends.year - issued.year <= 8


def test_each_run_shows_somebody_else_and_says_what_it_cannot_show():
    one, two = (perform("approved", ANY, None, TODAY, seed) for seed in (1, 2))
    assert one.document.fields != two.document.fields
    assert one.photographs()[0] != two.photographs()[0]
    with pytest.raises(CannotDraw, match="cannot be shown to a camera"):
        perform("global-blocklist", ANY, None, TODAY, 1)
    with pytest.raises(CannotDraw, match="can be drawn"):
        perform("approved", [("JP", DocumentType.PASSPORT)], None, TODAY, 1)


@pytest.mark.slow
def test_the_head_follows_any_challenge_in_its_order():
    steps = [Step.LOOK_STRAIGHT, Step.MOVE_AWAY, Step.TURN_RIGHT]
    frames = perform("approved", ANY, None, TODAY, 3).frames(steps)
    assert list(dict.fromkeys(frame.step for frame in frames)) == steps
    assert len({frame.image for frame in frames}) == len(frames)


async def test_a_live_account_is_left_alone_and_what_is_wrong_is_said(
    client, live_server, plumbing, an_account, sandbox_client, a_sandbox
):
    made = await a_transaction(client)
    settings = plumbing.settings
    with pytest.raises(Trouble, match="live account"):
        await _simulate(settings, live_server, wanted(), Access(made["sdk_token"], None, None, None), False)
    with pytest.raises(Trouble, match="live account"):
        await _simulate(settings, live_server, wanted("approved", made["transaction_id"]), by_client(an_account), False)
    with pytest.raises(Trouble, match="refused"):
        await _simulate(settings, live_server, wanted(), Access(None, "client_x", "wrong", None), False)
    with pytest.raises(Trouble, match="404"):
        await _simulate(settings, live_server, wanted("approved", made["transaction_id"]), by_client(a_sandbox), False)
    with pytest.raises(Trouble, match="which sandbox account"):
        await _simulate(settings, live_server, wanted(), Access(None, None, None, "nobody"), False)
    opened = await a_transaction(sandbox_client)
    only_the_app = Access(opened["sdk_token"], None, None, None)
    assert await _simulate(settings, live_server, wanted("in-progress"), only_the_app, True)


async def test_a_wrong_call_is_one_sentence_and_leaves_nothing_behind(
    tmp_path, live_server, plumbing, a_sandbox, sandbox_client
):
    (tmp_path / "broken.json").write_text("{", "utf-8")
    for call, words in (
        (("--config", "missing.json"), "missing.json is no JSON that can be read"),
        (("--config", str(tmp_path / "broken.json")), "is no JSON that can be read"),
        (("--sdk-token", "x", "--count", "2"), "for one transaction only"),
        (("--transaction", "x", "--count", "2"), "for fresh customers"),
    ):
        done = CliRunner().invoke(app, ["simulate", *call])
        assert (done.exit_code, words in done.stderr, "Traceback" in done.stderr) == (2, True, False), done.stderr
    with pytest.raises(Trouble, match="cannot be shown to a camera"):
        await _simulate(plumbing.settings, live_server, wanted("no-such"), by_client(a_sandbox), False)
    async with sandbox_client.get(TRANSACTION) as answer:
        assert (await answer.json())["data"] == []


@pytest.mark.slow
async def test_a_service_that_is_not_ready_is_no_wrong_call(live_server, plumbing, a_sandbox, sandbox_client):
    opened = (await a_transaction(sandbox_client, "DOCUMENT_ONLY"))["transaction_id"]
    folder = Path(plumbing.settings.media_url)
    folder.rename(folder.with_name("elsewhere"))
    folder.touch()  # nothing can be written below a file
    try:
        with pytest.raises(Trouble, match="answered 503") as stopped:
            await _simulate(plumbing.settings, live_server, wanted("approved", opened), by_client(a_sandbox), False)
    finally:
        folder.unlink()
        folder.with_name("elsewhere").rename(folder)
    assert stopped.value.code == ExitCode.NOT_REACHABLE
    with pytest.raises(Trouble, match="answered 404") as stopped:
        await _simulate(plumbing.settings, live_server, wanted("approved", str(uuid4())), by_client(a_sandbox), False)
    assert stopped.value.code == ExitCode.USAGE


async def test_a_transaction_that_can_no_longer_be_captured_was_not_decided_which_is_no_wrong_call(
    live_server, plumbing, a_sandbox, sandbox_client
):
    """Seen before: of one among several 1, and of one alone 2, as if an option were misspelt."""
    opened = (await a_transaction(sandbox_client, "DOCUMENT_ONLY"))["transaction_id"]
    async with sandbox_client.post(f"{TRANSACTION}/{opened}/cancel", json={}) as answer:
        assert answer.status == 200
    with pytest.raises(Trouble, match="answered 409") as stopped:
        await _simulate(plumbing.settings, live_server, wanted("approved", opened), by_client(a_sandbox), False)
    assert stopped.value.code == ExitCode.NEGATIVE


@pytest.mark.parametrize(
    ("status", "begun", "code"),
    [
        (401, False, ExitCode.USAGE),
        (401, True, ExitCode.NEGATIVE),
        (410, False, ExitCode.NEGATIVE),
        (503, True, ExitCode.NOT_REACHABLE),
        (422, False, ExitCode.USAGE),
    ],
)
def test_how_the_command_ends_says_whether_the_call_or_the_transaction_was_at_fault(status, begun, code):
    assert ending(status, begun=begun) is code


async def test_who_asks_for_a_token_too_early_is_told_so_and_not_that_the_secret_is_wrong(plumbing, monkeypatch):
    async def not_yet(_: web.Request) -> web.Response:
        return web.Response(status=503, headers={"Retry-After": "1"})

    starting = web.Application()
    starting.router.add_post("/oauth/token", not_yet)
    async with TestServer(starting) as server:
        monkeypatch.setenv("TRUENAME_DATA_DIR", str(plumbing.settings.data_dir))
        call = ["simulate", "--server", str(server.make_url("")), "--client-id", "client_x", "--client-secret", "y"]
        done = await asyncio.to_thread(CliRunner().invoke, app, call)
    assert done.exit_code == ExitCode.NOT_REACHABLE
    assert "The service is not ready" in done.stderr


async def test_what_is_refused_of_one_does_not_end_the_others_and_the_token_is_renewed(
    live_server, plumbing, a_sandbox, sandbox_client, capsys, monkeypatch
):
    fetched = []

    async def fetch(*given):
        fetched.append(given)
        return await access_token(*given)

    monkeypatch.setattr(simulate, "access_token", fetch)
    monkeypatch.setattr(simulate, "RENEWED_AFTER", -1.0)
    gone, open_one = [(await a_transaction(sandbox_client))["transaction_id"] for _ in range(2)]
    assert (await sandbox_client.post(f"{TRANSACTION}/{gone}/cancel")).status == 200
    what = wanted("in-progress", gone, open_one)
    assert not await _simulate(plumbing.settings, live_server, what, by_client(a_sandbox), True)
    told = capsys.readouterr()
    assert [one["transaction_id"] for one in printed(told.out)] == [open_one]
    assert "was answered 409" in told.err
    assert "1 of 2 came to their end" in told.err
    assert len(fetched) == 2


async def test_a_token_is_renewed_for_the_account_that_was_meant(plumbing, a_sandbox, sandbox_client):
    transaction_id = (await a_transaction(sandbox_client))["transaction_id"]
    nobody = Access(None, None, None, None)
    async with aiohttp.ClientSession() as http:
        _, again = await access_token(plumbing.settings, http, nobody, [transaction_id])
        token, _ = await access_token(plumbing.settings, http, again, [])  # whatever other sandboxes there are by then
    assert (again.account, bool(token)) == (str(a_sandbox.account_id), True)


@pytest.mark.slow
async def test_whoever_draws_longer_than_a_challenge_lasts_asks_for_another(live_server, plumbing, sandbox_client):
    drawn: list[object] = []
    told: list[str] = []

    class Slow(Performance):
        def frames(self, steps):
            drawn.append(steps)
            with psycopg.connect(plumbing.settings.database_url.get_secret_value()) as connection:
                connection.execute("UPDATE challenges SET expires_at = now() WHERE transaction_id = %s", (opened,))
            return super().frames(steps)

    made = await a_transaction(sandbox_client, "BIOMETRIC_ONLY")
    opened = made["transaction_id"]
    performance = perform("approved", ANY, None, TODAY, 4)
    performance = Slow(performance.act, performance.document, performance.seed)
    async with aiohttp.ClientSession(live_server) as http:
        visitor = Visitor(http, made["sdk_token"], told.append)
        assert await visitor.go_through(await visitor.session(), performance)
    assert len(drawn) == 1, "the same steps were asked for again"
    assert "asked for another" in told[-3]
    assert told[-2].endswith("usable")


@pytest.mark.slow
async def test_people_who_do_not_exist_are_decided_one_after_another(
    live_server, plumbing, a_sandbox, capsys, monkeypatch
):
    # Of drawn living heads one in fifteen is refused, by what is asked of them; here it is always the same.
    monkeypatch.setattr(challenge, "_chance", Random(1))
    load_jobs()

    said = []

    async def simulated(what: Wanted) -> list[dict]:
        all_decided = await _simulate(plumbing.settings, live_server, what, by_client(a_sandbox), True)
        told = capsys.readouterr()
        said.append(told.err)
        assert all_decided, told.err
        return printed(told.out)

    begun = await simulated(wanted("in-progress", count=2))
    assert [one["status"] for one in begun] == ["IN_PROGRESS"] * 2
    async with working(plumbing, {Queue.ANALYSIS: 1}):
        (approved,) = await simulated(wanted(seed=11))
        (still,) = await simulated(Wanted([], "challenge-failed", 1, TransactionType.BIOMETRIC_ONLY, None, seed=12))
        (other,) = await simulated(wanted("face-mismatch", seed=13))
    assert "2/2  a person drawn by seed " in said[0]
    assert "1/1  a person drawn by seed 11\n" in said[1]
    assert (approved["status"], approved["issues"]) == ("APPROVED", []), said
    assert still["issues"] == ["LIVENESS_LOW_CONFIDENCE REJECTION"], said
    assert other["issues"] == ["DOCUMENT_VS_LIVENESS_FACE_MISMATCH REJECTION"], said


@pytest.mark.slow
async def test_who_waits_in_vain_is_told_why(live_server, plumbing, a_sandbox, capsys):
    what = Wanted([], "approved", 1, TransactionType.DOCUMENT_ONLY, None, patience=1)
    assert not await _simulate(plumbing.settings, live_server, what, by_client(a_sandbox), True)
    told = capsys.readouterr()
    assert [one["status"] for one in printed(told.out)] == ["PROCESSING"]
    assert "not decided after 1 seconds; does a worker run?" in told.err
    load_jobs()
    await run_pending(plumbing)
