"""How the sandbox's part of the interface is described."""

from typing import Final

from truename.plumbing.http.operations import Answer, Operation
from truename.sandbox import endpoints
from truename.sandbox.answers import NewTime, ScenarioList, ShownClock
from truename.sandbox.endpoints import PATH
from truename.sandbox.model import Simulation
from truename.transactions.operations import CHANGED, TRANSACTION_ID

TAG: Final = "Sandbox"

operations: Final = (
    Operation(
        "POST",
        PATH + "/transaction/{transaction_id}/simulate",
        endpoints.post_simulate,
        summary="Simulate a capture",
        name="simulateTransaction",
        tag=TAG,
        scope="transactions:write",
        description="Sandbox accounts only; to a live one there is nothing here (404). Supplies evidence instead of "
        "captures; judgement, status changes, webhooks and the stored evidence are the real ones. Whatever is left out "
        "fits the transaction's config, so that an empty object is approved.",
        parameters=(TRANSACTION_ID,),
        body=Simulation,
        body_examples={
            "by name": {"value": {"scenario": "expired-document"}},
            "in detail": {
                "value": {
                    "document": {"country": "FR", "type": "PASSPORT", "fields": {"surnames": "SCHMIDT"}},
                    "liveness": {"score": 0.4, "signs": ["MOIRE"]},
                    "device": {"emulator": True},
                }
            },
        },
        answers={200: CHANGED},
        refusals=(404, 409),
    ),
    Operation(
        "GET",
        PATH + "/scenarios",
        endpoints.get_scenarios,
        summary="List scenarios",
        name="listScenarios",
        tag=TAG,
        scope="transactions:read",
        description="Sandbox accounts only. Ready simulations by name, each with the issues that it gives.",
        answers={200: Answer("Every scenario.", ScenarioList)},
        refusals=(404,),
    ),
    Operation(
        "GET",
        PATH + "/clock",
        endpoints.get_clock,
        summary="Read the clock",
        name="readClock",
        tag=TAG,
        scope="transactions:read",
        description="Sandbox accounts only.",
        answers={200: Answer("How far the account's time was moved.", ShownClock)},
        refusals=(404,),
    ),
    Operation(
        "POST",
        PATH + "/clock",
        endpoints.post_clock,
        summary="Let time pass",
        name="advanceClock",
        tag=TAG,
        scope="transactions:write",
        description="Sandbox accounts only. Everything that the account holds becomes so much older, and what is due "
        "then is done at once: expiry, attempts of webhooks, retention. SDK tokens end with their transaction; access "
        "tokens, and what was said already (bodies of webhooks, the audit log), keep their time.",
        body=NewTime,
        body_examples={"a day": {"value": {"advance_seconds": 86400}}},
        answers={200: Answer("How far the account's time was moved.", ShownClock)},
        refusals=(404,),
    ),
)
