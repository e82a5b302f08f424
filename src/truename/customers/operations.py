"""How the customer's part of the interface is described."""

from typing import Final

from truename.customers import endpoints
from truename.customers.endpoints import PATH
from truename.customers.model import (
    ChangedCustomer,
    CustomerCreated,
    CustomerFields,
    CustomerList,
    NewCustomer,
    NewStatus,
    ShownCustomer,
)
from truename.plumbing.http.operations import LOCATION, UUID_SCHEMA, Answer, Operation, parameter

EXAMPLE_ID: Final = "019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b80"
CUSTOMER_ID: Final = parameter("customer_id", "path", UUID_SCHEMA, "As creation answered it.")
SHOWN_EXAMPLE: Final = {
    "customer_id": EXAMPLE_ID,
    "external_customer_id": "person-4711",
    "status": "ACTIVE",
    "email": "ana@example.com",
    "phone_number": None,
    "reference_face": None,
    "created_at": "2026-11-15T09:30:00.000000Z",
}

operations: Final = (
    Operation(
        "POST",
        PATH,
        endpoints.create_customer,
        summary="Create a customer",
        tag="Customers",
        scope="customers:write",
        description="Registers a person once; keep the `customer_id` for every transaction of that person. "
        "A second customer of the same `external_customer_id` is refused with `customer_already_exists` and the "
        "`customer_id` of the first.",
        body=NewCustomer,
        body_examples={
            "least": {"value": {"external_customer_id": "person-4711"}},
            "with contact": {
                "value": {
                    "external_customer_id": "person-4712",
                    "email": "ana@example.com",
                    "phone_number": "+5491123456789",
                }
            },
        },
        answers={
            201: Answer(
                "The customer was created.",
                CustomerCreated,
                example={
                    "customer_id": EXAMPLE_ID,
                    "external_customer_id": "person-4711",
                    "created_at": "2026-11-15T09:30:00.000000Z",
                },
                headers=LOCATION,
            )
        },
    ),
    Operation(
        "GET",
        PATH,
        endpoints.list_customers,
        summary="Find a customer by your own identifier",
        name="findCustomers",
        tag="Customers",
        scope="customers:read",
        parameters=(
            {
                **parameter(
                    "external_customer_id",
                    "query",
                    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[^\\u0000]+$"},
                    "Your own identifier of the person.",
                ),
                "required": True,
                "example": "person-4711",
            },
        ),
        answers={
            200: Answer(
                "None or one.", CustomerList, example={"data": [SHOWN_EXAMPLE], "has_more": False, "next_cursor": None}
            )
        },
    ),
    Operation(
        "GET",
        PATH + "/{customer_id}",
        endpoints.get_customer,
        summary="Read a customer",
        tag="Customers",
        scope="customers:read",
        parameters=(CUSTOMER_ID,),
        answers={200: Answer("The customer.", ShownCustomer, example=SHOWN_EXAMPLE)},
    ),
    Operation(
        "PATCH",
        PATH + "/{customer_id}",
        endpoints.patch_customer,
        summary="Change a customer",
        name="changeCustomer",
        tag="Customers",
        scope="customers:write",
        description="Changes the fields that are sent: one that is left out stays as it is, `null` takes it away. A "
        "new `face_reference_image` replaces the reference face and destroys the template of the image before; without "
        "one, the live face of the next approved transaction is enrolled. Transactions that were decided stay so.",
        parameters=(CUSTOMER_ID,),
        body=CustomerFields,
        body_examples={"new address": {"value": {"email": "ana.perez@example.com", "phone_number": None}}},
        answers={200: Answer("The customer as it is now.", ChangedCustomer, example=SHOWN_EXAMPLE)},
    ),
    Operation(
        "POST",
        PATH + "/{customer_id}/status",
        endpoints.post_status,
        summary="Change a customer's status",
        name="changeCustomerStatus",
        tag="Customers",
        scope="customers:write",
        description="`SUSPICIOUS` warns in every later transaction, `BLOCKED` rejects it. Each move is audited. "
        "Without `customers:read` the answer shows ids and status only.",
        parameters=(CUSTOMER_ID,),
        body=NewStatus,
        body_examples={"block": {"value": {"status": "BLOCKED", "reason": "Chargeback on 3 orders"}}},
        answers={200: Answer("The customer with its new status.", ChangedCustomer, example=SHOWN_EXAMPLE)},
    ),
)
