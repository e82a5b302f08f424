"""Why a transaction was decided so, the receipt of the decision, and the evidence that it rests on."""

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Field, JsonValue, WithJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.audit.model import Action, Entry
from truename.audit.reads import record_reading
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import Shown
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.http.queries import Query, path_id
from truename.plumbing.resources import Plumbing
from truename.receipts.model import MEDIA_TYPE
from truename.transactions.explanation import explain_transaction
from truename.transactions.explanation_answers import ShownExplanation, shown_explanation
from truename.transactions.operations import ONE, TAG, TRANSACTION_ID
from truename.transactions.receipt import read_evidence, read_receipt


class ShownEvidence(Shown):
    """All that the judgement knew, for `truename receipt verify --evidence`."""

    format: Literal["truename-evidence/1"]
    """The form of this file."""
    transaction_id: UUID
    """Identifier of the transaction."""
    nonce: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """The key of the receipt's hashes, in hex."""
    dossier: Annotated[dict[str, JsonValue], WithJsonSchema({"type": "object", "additionalProperties": True})]
    """Evidence, config, customer's status and earlier record, and the day: as they were stored."""


async def get_explanation(request: Request) -> Response:
    """Why it was decided so, without a value of the person."""
    caller = await admit(request, "explanations:read")
    Query(request).refuse_faults()
    plumbing: Plumbing = request.app.state.plumbing
    transaction_id = path_id(request, "transaction_id")
    found = await explain_transaction(plumbing, caller.account_id, transaction_id, blind=True)
    subject = f"transaction:{transaction_id}"
    entry = Entry(caller.account_id, caller.actor, Action.TRANSACTION_EXPLAINED, subject)
    await record_reading(plumbing.database, entry)
    return json_answer(shown_explanation(found, livemode=caller.livemode))


async def get_receipt(request: Request) -> Response:
    """The signed receipt; 404 before there is a decision."""
    caller = await admit(request, "transactions:read")
    Query(request).refuse_faults()
    transaction_id = path_id(request, "transaction_id")
    receipt = await read_receipt(request.app.state.plumbing, caller.account_id, transaction_id)
    headers = {"Content-Disposition": f'attachment; filename="receipt-{transaction_id}.jws"'}
    return Response(receipt, 200, headers, MEDIA_TYPE)


async def get_evidence(request: Request) -> Response:
    """The evidence file; 404 where nothing is stored, or not any more."""
    caller = await admit(request, "transactions:read")
    Query(request).refuse_faults()
    plumbing: Plumbing = request.app.state.plumbing
    transaction_id = path_id(request, "transaction_id")
    return json_answer(await read_evidence(plumbing, caller.account_id, transaction_id, actor=caller.actor))


operations: Final = (
    Operation(
        "GET",
        ONE + "/explanation",
        get_explanation,
        name="getExplanation",
        summary="Why a transaction was decided so",
        tag=TAG,
        scope="explanations:read",
        description="The decision in sentences, with measured value, limit and the config fields behind each issue, "
        "the checks that did not run, and what would have changed the decision: found by judging again. Holds no value "
        "of the person, so that it can be shown to people and assistants who may not know who it was.",
        parameters=(TRANSACTION_ID,),
        answers={200: Answer("The explanation.", ShownExplanation)},
    ),
    Operation(
        "GET",
        ONE + "/receipt",
        get_receipt,
        name="getReceipt",
        summary="The signed receipt of a decision",
        tag=TAG,
        scope="transactions:read",
        description="A compact JWS (RFC 7515) over decision, issues, checks, hashes and times, without personal data. "
        "Every APPROVED and REJECTED transaction has one, made with the decision; before that the answer is 404. "
        "Verify it with the keys of `/.well-known/receipt-keys.json`, for example by `truename receipt verify`.",
        parameters=(TRANSACTION_ID,),
        answers={200: Answer("The receipt.", media_type=MEDIA_TYPE)},
    ),
    Operation(
        "GET",
        ONE + "/evidence",
        get_evidence,
        name="getEvidence",
        summary="All that the judgement knew",
        tag=TAG,
        scope="transactions:read",
        description="With this file `truename receipt verify --evidence` checks the hashes of the receipt and judges "
        "again. It holds what was read of the document and is worth the same care. Each reading is audited. 404 before "
        "the analysis, and once the transaction was redacted or its customer erased.",
        parameters=(TRANSACTION_ID,),
        answers={200: Answer("The evidence.", ShownEvidence)},
    ),
)
