"""The account's blocklist of faces, which a live face is compared with where the account searches for faces."""

from typing import Final
from uuid import UUID

from truename_client import arguments
from truename_client.answers import EntryList, RemovedEntry, ShownEntry
from truename_client.conversation import Call
from truename_client.customers import PATH as CUSTOMER
from truename_client.facade import AsyncResource, Pages, Resource, awaited, awaited_pages, blocking, blocking_pages

PATH: Final = "/api/account/integration/kyc/blocklist"


def add_face(
    face_image: bytes, reason: str, *, valid_days: int | None = None, idempotency_key: str | None = None
) -> Call[ShownEntry]:
    """Put the face of a picture on the list.

    face_image: the bytes of a JPEG or PNG file of at most 4 MB that shows one face. valid_days: after so many days the
    entry ends; without it, it stays until it is removed. Needs the scope `customers:write`.
    """
    body = {"face_image": arguments.picture("face_image", face_image), **_listing(reason, valid_days)}
    return Call("POST", PATH, ShownEntry, body=body, idempotency_key=idempotency_key)


def add_customer(
    customer_id: str | UUID, reason: str, *, valid_days: int | None = None, idempotency_key: str | None = None
) -> Call[ShownEntry]:
    """Put the face of a customer on the list; the entry goes when the customer is erased.

    Raises WrongState (`no_usable_face`) when no face of the customer is kept. Needs the scope `customers:write`.
    """
    path = f"{CUSTOMER}/{arguments.identifier('customer_id', customer_id)}/blocklist"
    return Call("POST", path, ShownEntry, body=_listing(reason, valid_days), idempotency_key=idempotency_key)


def list_entries(*, page_size: int = 100) -> Pages[ShownEntry]:
    """Iterate over the entries, newest first; pages are fetched as they are needed."""
    return Pages(Call("GET", PATH, EntryList, query={"limit": arguments.whole("page_size", page_size, 1, 100)}))


def remove_entry(entry_id: str | UUID) -> Call[RemovedEntry]:
    """Take a face off the list: what was kept of it is destroyed. Raises BlocklistEntryNotFound."""
    return Call("DELETE", f"{PATH}/{arguments.identifier('entry_id', entry_id)}", RemovedEntry)


def _listing(reason: str, valid_days: int | None) -> dict[str, object]:
    body: dict[str, object] = {"reason": arguments.text("reason", reason)}
    if valid_days is not None:
        body["valid_days"] = arguments.whole("valid_days", valid_days, 1, 36500)
    return body


class Blocklist(Resource):
    """`client.blocklist`."""

    add_face = blocking(add_face)
    add_customer = blocking(add_customer)
    list = blocking_pages(list_entries)
    remove = blocking(remove_entry)


class AsyncBlocklist(AsyncResource):
    """`client.blocklist`, awaited."""

    add_face = awaited(add_face)
    add_customer = awaited(add_customer)
    list = awaited_pages(list_entries)
    remove = awaited(remove_entry)
