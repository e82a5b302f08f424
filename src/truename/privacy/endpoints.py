"""The part of the interface that makes the service forget."""

from typing import Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.admission import admit
from truename.customers.endpoints import PATH as CUSTOMER
from truename.customers.model import ErasureReceipt
from truename.customers.operations import CUSTOMER_ID
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import Nothing
from truename.plumbing.http.operations import Answer, Operation
from truename.plumbing.http.queries import Query, path_id
from truename.plumbing.resources import Plumbing
from truename.privacy.erase import erase
from truename.privacy.redact import redact
from truename.transactions.endpoints import act_on_transaction
from truename.transactions.operations import CHANGED, ONE, TAG, TRANSACTION_ID
from truename.transactions.read import read_changed


async def delete_customer(request: Request) -> Response:
    """DELETE a customer: erase everything that is known of the person."""
    caller = await admit(request, "customers:write")
    plumbing: Plumbing = request.app.state.plumbing
    Query(request).refuse_faults()
    customer_id: UUID = path_id(request, "customer_id")
    async with plumbing.database.account(caller.account_id) as connection:
        erased = await erase(connection, caller.account_id, customer_id, actor=caller.actor)
    receipt = ErasureReceipt(
        receipt_id=erased.receipt_id,
        customer_id=customer_id,
        erased_at=erased.erased_at,
        media_deleted=erased.media_deleted,
        transactions_kept=erased.transactions_kept,
    )
    return json_answer(caller.marked(receipt))


async def post_redact(request: Request) -> Response:
    """POST redact: remove what one transaction holds of the person; answers the transaction as it is then."""
    caller, transaction_id, idempotent = await act_on_transaction(request, "transactions:write")
    plumbing: Plumbing = request.app.state.plumbing

    async def work(connection: Connection) -> Response:
        await redact(connection, caller.account_id, transaction_id, actor=caller.actor)
        return json_answer(await read_changed(connection, plumbing, caller, transaction_id))

    return await idempotent.run(work)


operations: Final = (
    Operation(
        "DELETE",
        CUSTOMER + "/{customer_id}",
        delete_customer,
        summary="Erase a customer",
        name="eraseCustomer",
        tag="Customers",
        scope="customers:write",
        description="Destroys the customer's data key, so that pictures, templates and extracted data can never be "
        "read again, deletes them, and answers with a receipt. Transactions stay as bare facts. What was answered "
        "about the customer is not answered again either: a POST that is repeated with its Idempotency-Key gets 410.",
        parameters=(CUSTOMER_ID,),
        answers={200: Answer("The customer was erased.", ErasureReceipt)},
    ),
    Operation(
        "POST",
        ONE + "/redact",
        post_redact,
        summary="Redact a transaction",
        name="redactTransaction",
        tag=TAG,
        scope="transactions:write",
        description="Deletes the pictures of a finished transaction and everything that was read from them. The "
        "customer's enrolled face and record stay.",
        parameters=(TRANSACTION_ID,),
        body=Nothing,
        body_required=False,
        answers={200: CHANGED},
        refusals=(409,),
    ),
)
