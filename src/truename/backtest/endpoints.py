"""POST …/policy/backtest and GET …/policy/backtest/{backtest_id}."""

from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.accounts.authentication import Caller
from truename.audit.model import Action
from truename.audit.record import record
from truename.backtest.jobs import AT_ONCE, ask, read_backtest, refuse_too_many
from truename.backtest.model import BEGINNING, NewBacktest, OtherConfig, ShownBacktest, policy_of
from truename.backtest.stored import Range
from truename.plumbing.clock import now
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import ScopeMissing
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import read_body
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.operations import LOCATION, UUID_SCHEMA, Answer, Operation, parameter
from truename.plumbing.http.queries import Query, instant_of, path_id
from truename.plumbing.resources import Plumbing
from truename.transactions.create import refuse_bad_webhook

PATH: Final = "/api/account/integration/kyc/policy/backtest"
MAX_BODY: Final = 256 * 1024
TAG: Final = "Policy"


async def post_backtest(request: Request) -> Response:
    """Judge stored transactions again under another policy: at once where they are few, otherwise by a job."""
    caller = await admit(request, "explanations:read")
    plumbing: Plumbing = request.app.state.plumbing
    new, body = await read_body(request, NewBacktest, MAX_BODY)
    if new.config.document_policy.document_eligibility is not None:
        _refuse_without_reading(caller)
    since = _moment(new.since, BEGINNING)
    range_ = Range(caller.account_id, since, _moment(new.until, now()), new.transaction_type)
    policy = policy_of(new.config, new.mode, blind=True)
    await refuse_bad_webhook(plumbing, caller, new.config.webhook)  # a config is good or bad, whoever is asked
    idempotent = IdempotentRequest(request, plumbing, caller.account_id, caller.client_id, body)
    # First: the repetition of a call waits for nothing, and may be one of the many.
    if (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    await refuse_too_many(plumbing, caller.account_id)
    said: dict[str, object] = policy.config.model_dump(mode="json", exclude_unset=True)

    async def work(connection: Connection) -> Response:
        asked = await ask(connection, plumbing, range_, policy, said)
        await record(
            connection,
            caller.account_id,
            actor=caller.actor,
            action=Action.POLICY_BACKTESTED,
            subject=f"backtest:{asked.shown.backtest_id}",
            details={"count": asked.shown.total},
        )
        headers = {"Location": f"{PATH}/{asked.shown.backtest_id}"}
        return json_answer(caller.marked(asked.shown), 200 if asked.finished else 202, headers)

    return await idempotent.run(work)


async def get_backtest(request: Request) -> Response:
    """A back-test as it is at this moment."""
    caller = await admit(request, "explanations:read")
    Query(request).refuse_faults()
    backtest_id = path_id(request, "backtest_id")
    found = await read_backtest(request.app.state.plumbing, caller.account_id, backtest_id)
    if OtherConfig.model_validate(found.config).document_policy.document_eligibility is not None:
        _refuse_without_reading(caller)
    return json_answer(caller.marked(found))


def _refuse_without_reading(caller: Caller) -> None:
    """Refuse (403) who may not read transactions: which of them flip with a kind of document tells each one's kind."""
    if not caller.may("transactions:read"):
        raise ScopeMissing("transactions:read", "with document_eligibility the flips tell each person's document")


def _moment(text: str | None, otherwise: datetime) -> datetime:
    return (instant_of(text) if text else None) or otherwise


operations: Final = (
    Operation(
        "POST",
        PATH,
        post_backtest,
        name="createBacktest",
        summary="Back-test a policy",
        tag=TAG,
        scope="explanations:read",
        description="Judges stored transactions again under another policy and says which decisions would have been "
        f"others, by direction and by code. Up to {AT_ONCE:,} transactions are answered at once (200); more are judged "
        "by a job (202): read it at the address in `Location`. Whom each transaction expects (`data_matching`, "
        "`expected_gender`) stays its own; a gender and ages that the config expects decide nothing here, or the flips "
        "would tell them of each person. For the same reason a config with `document_eligibility` needs the scope "
        "`transactions:read`, too. Nothing is changed and nothing is sent. No personal data is answered.",
        body=NewBacktest,
        body_examples={
            "one limit, all else as it was": {
                "value": {"mode": "CHANGE", "config": {"biometric_policy": {"liveness_min_score": 0.9}}}
            },
            "a whole policy, since November": {
                "value": {"config": {"device_policy": {"on_emulator": "WARN"}}, "since": "2026-11-01T00:00:00Z"}
            },
        },
        answers={
            200: Answer("The back-test, done.", ShownBacktest, headers=LOCATION),
            202: Answer("The back-test, queued.", ShownBacktest, headers=LOCATION),
        },
    ),
    Operation(
        "GET",
        PATH + "/{backtest_id}",
        get_backtest,
        name="getBacktest",
        summary="Read a back-test",
        tag=TAG,
        scope="explanations:read",
        description="How far it is and, once `status` is DONE, its result.",
        parameters=(parameter("backtest_id", "path", UUID_SCHEMA, "As creation answered it."),),
        answers={200: Answer("The back-test.", ShownBacktest)},
    ),
)
