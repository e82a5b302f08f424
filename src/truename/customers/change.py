"""Change a customer's e-mail, phone number or reference face."""

from dataclasses import dataclass
from uuid import UUID

from truename.accounts.authentication import Caller
from truename.audit.model import Action, Entry
from truename.audit.record import write
from truename.customers import store
from truename.customers.enrol import enrol_face
from truename.customers.model import ContactData, CustomerFields
from truename.media.face_vectors import enrol_for_search
from truename.media.faces import StoredFace
from truename.media.pictures import StoredPicture
from truename.media.store import drop_reference_face, insert_face, insert_pictures
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import CustomerNotFound
from truename.plumbing.resources import Plumbing


@dataclass(frozen=True)
class PreparedChange:
    """A change that is ready to be written: a new picture was decoded, described and stored before."""

    customer_id: UUID
    wanted: CustomerFields
    key: DataKey
    face: StoredFace | None = None
    picture: StoredPicture | None = None


async def prepare(plumbing: Plumbing, caller: Caller, customer_id: UUID, wanted: CustomerFields) -> PreparedChange:
    """Do what takes time before the database is written. Raises CustomerNotFound, or Invalid for a bad picture."""
    async with plumbing.database.account(caller.account_id) as connection:
        row = await store.find(connection, caller.account_id, customer_id)
    key = await plumbing.keys.open(row.data_key, caller.account_id, customer_id) if row else None
    if key is None:
        raise CustomerNotFound
    if wanted.face_reference_image is None:
        return PreparedChange(customer_id, wanted, key)
    picture, face = await enrol_face(plumbing, caller, customer_id, key, wanted.face_reference_image)
    return PreparedChange(customer_id, wanted, key, face, picture)


async def change(connection: Connection, vault: Vault, caller: Caller, prepared: PreparedChange) -> list[str]:
    """Write the fields that were sent; answers where pictures lie that are no longer known, to be deleted after it.

    Raises CustomerNotFound when the customer was erased meanwhile.
    """
    account_id, customer_id, sent = caller.account_id, prepared.customer_id, prepared.wanted.model_fields_set
    row = await store.lock(connection, account_id, customer_id)
    if row is None:
        raise CustomerNotFound
    if contact := sent & {"email", "phone_number"}:
        before = ContactData()
        if row.sealed_profile is not None:
            before = ContactData.model_validate_json(prepared.key.open(row.sealed_profile, seals.PROFILE))
        after = before.model_copy(update={name: getattr(prepared.wanted, name) for name in contact})
        await store.set_profile(connection, account_id, customer_id, after.sealed_by(prepared.key))
    left: list[str] = []
    if "face_reference_image" in sent:
        if prepared.picture and prepared.face:
            await insert_pictures(connection, [prepared.picture])
            await insert_face(connection, prepared.face)
        face_id = prepared.face.face_id if prepared.face else None
        await store.set_reference_face(connection, account_id, customer_id, face_id)
        left = await drop_reference_face(connection, account_id, customer_id, keep=face_id)
        await enrol_for_search(connection, vault, prepared.key, account_id, customer_id)
    details = {"fields": ", ".join(sorted(sent))}
    write(connection, Entry(account_id, caller.actor, Action.CUSTOMER_CHANGED, f"customer:{customer_id}", details))
    return left
