"""Customers: the persistent record of one person, created once and used for every transaction of that person."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, get_args
from uuid import UUID

from truename_client import arguments
from truename_client.answers import ChangedCustomer, CustomerCreated, CustomerList, ErasureReceipt, ShownCustomer
from truename_client.conversation import Call, Retry, Steps
from truename_client.errors import BadArgument
from truename_client.facade import AsyncResource, Resource, awaited, blocking
from truename_client.words import CustomerStatus

PATH: Final = "/api/account/integration/kyc/customer"
CHANGED: Final[Any] = ChangedCustomer


class Keep(Enum):
    """Stands for a field that is to stay as it is."""

    KEEP = "KEEP"


KEEP: Final = Keep.KEEP


def create_customer(
    external_customer_id: str,
    *,
    email: str | None = None,
    phone_number: str | None = None,
    face_reference_image: bytes | None = None,
    idempotency_key: str | None = None,
) -> Call[CustomerCreated]:
    """Register a person once; keep the `customer_id`.

    external_customer_id: your own identifier of the person. phone_number: in E.164 form. face_reference_image: the
    bytes of a JPEG or PNG file of at most 4 MB, which enrols the reference face. Raises CustomerAlreadyExists, whose
    `customer_id` is the one to use, when the account has this external_customer_id.
    """
    body: dict[str, object] = {"external_customer_id": arguments.text("external_customer_id", external_customer_id)}
    body |= _given(email=email, phone_number=phone_number)
    if face_reference_image is not None:
        body["face_reference_image"] = arguments.picture("face_reference_image", face_reference_image)
    return Call("POST", PATH, CustomerCreated, body=body, idempotency_key=idempotency_key)


def get_customer(customer_id: str | UUID) -> Call[ShownCustomer]:
    """Read a customer. Raises CustomerNotFound."""
    return Call("GET", _one(customer_id), ShownCustomer)


@dataclass(frozen=True)
class Found:
    """Ends with the customer of an external id, or None."""

    call: Call[CustomerList]

    def steps(self, retry: Retry) -> Steps[ShownCustomer | None]:
        """One call."""
        found = yield from self.call.steps(retry)
        return found.data[0] if found.data else None


def find_customer(external_customer_id: str) -> Found:
    """The customer whom you call by this identifier, or None."""
    wanted = arguments.text("external_customer_id", external_customer_id)
    return Found(Call("GET", PATH, CustomerList, query={"external_customer_id": wanted}))


def change_customer(
    customer_id: str | UUID,
    *,
    email: str | Keep | None = KEEP,
    phone_number: str | Keep | None = KEEP,
    face_reference_image: bytes | Keep | None = KEEP,
    idempotency_key: str | None = None,
) -> Call[ChangedCustomer]:
    """Change what is given; None takes a field away. The answer is whole only if the client may read customers."""
    texts = {"email": email, "phone_number": phone_number}
    body: dict[str, object] = {name: value for name, value in texts.items() if value is not KEEP}
    if face_reference_image is not KEEP:
        body["face_reference_image"] = None
        if face_reference_image is not None and not isinstance(face_reference_image, Keep):
            body["face_reference_image"] = arguments.picture("face_reference_image", face_reference_image)
    if not body:
        raise BadArgument("Nothing is to be changed: give email, phone_number or face_reference_image.")
    return Call("PATCH", _one(customer_id), CHANGED, body=body, idempotency_key=idempotency_key)


def set_status(
    customer_id: str | UUID, status: CustomerStatus, reason: str, *, idempotency_key: str | None = None
) -> Call[ChangedCustomer]:
    """Move a customer to ACTIVE, SUSPICIOUS or BLOCKED; the reason is kept in the audit log."""
    body: dict[str, object] = {
        "status": arguments.word("status", status, get_args(CustomerStatus)),
        "reason": arguments.text("reason", reason),
    }
    return Call("POST", _one(customer_id) + "/status", CHANGED, body=body, idempotency_key=idempotency_key)


def erase_customer(customer_id: str | UUID) -> Call[ErasureReceipt]:
    """Erase a person for good: the key is destroyed, pictures are deleted, transactions stay as bare facts."""
    return Call("DELETE", _one(customer_id), ErasureReceipt)


def _one(customer_id: str | UUID) -> str:
    return f"{PATH}/{arguments.identifier('customer_id', customer_id)}"


def _given(**values: str | None) -> dict[str, object]:
    check: Callable[[str, str], str] = arguments.text
    return {name: check(name, value) for name, value in values.items() if value is not None}


class Customers(Resource):
    """`client.customers`."""

    create = blocking(create_customer)
    get = blocking(get_customer)
    find = blocking(find_customer)
    change = blocking(change_customer)
    set_status = blocking(set_status)
    erase = blocking(erase_customer)


class AsyncCustomers(AsyncResource):
    """`client.customers`, awaited."""

    create = awaited(create_customer)
    get = awaited(get_customer)
    find = awaited(find_customer)
    change = awaited(change_customer)
    set_status = awaited(set_status)
    erase = awaited(erase_customer)
