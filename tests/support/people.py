"""A person of whom everything is stored that can be: for tests of erasure, redaction and retention."""

from dataclasses import dataclass
from uuid import UUID

from tests.support.transactions import a_customer, a_transaction, submitted
from truename.accounts.model import NewAccount
from truename.media.faces import FaceOrigin, sealed_face
from truename.media.pictures import MediaKind, StoredPicture, store_picture
from truename.media.store import insert_face, insert_pictures
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.resources import Plumbing
from truename.rules.issues import Issue, IssueCode, Severity
from truename.transactions.lifecycle import Status, move
from truename.vision.captures import FaceTemplate

JPEG = b"\xff\xd8\xff picture of a person \xff\xd9"


@dataclass(frozen=True)
class Person:
    """A customer with one finished transaction."""

    customer_id: UUID
    transaction_id: UUID
    pictures: tuple[StoredPicture, ...]

    @property
    def object_keys(self) -> list[str]:
        return [picture.object_key for picture in self.pictures]


async def key_of(plumbing: Plumbing, account: NewAccount, customer_id: UUID) -> DataKey:
    async with plumbing.database.account(account.account_id) as connection:
        owned = await plumbing.keys.of_customer(connection, account.account_id, customer_id)
    assert owned is not None
    return owned.key


async def a_verified_person(
    plumbing: Plumbing, account: NewAccount, *, status: Status = Status.REJECTED, customer_id: UUID | None = None
) -> Person:
    """Pictures in the store, a live face that is not the reference, fingerprints of frames, dossier, device signals."""
    customer_id = customer_id or await a_customer(plumbing, account, email="ana@example.com")
    transaction_id = await a_transaction(plumbing, account, customer_id)
    await submitted(plumbing, account, transaction_id)
    key = await key_of(plumbing, account, customer_id)
    own = account.account_id, customer_id, transaction_id
    pictures = [
        await store_picture(plumbing.objects, key, *own, kind, JPEG, 1, 1)
        for kind in (MediaKind.DOCUMENT_FRONT, MediaKind.LIVENESS_FRAME, MediaKind.LIVENESS_FACE)
    ]
    template = FaceTemplate((0.5, 0.5), "ab" * 32)
    async with plumbing.database.account(account.account_id) as connection:
        await insert_pictures(connection, pictures)
        await insert_face(connection, sealed_face(key, *own, FaceOrigin.LIVENESS, pictures[2].media_id, template))
        await connection.execute(
            "INSERT INTO seen_frames (fingerprint, account_id, customer_id, transaction_id) VALUES (%s, %s, %s, %s)",
            (b"f" * 32, account.account_id, customer_id, transaction_id),
        )
        await connection.execute(
            "INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier) "
            "VALUES (%s, %s, %s, %s)",
            (transaction_id, account.account_id, customer_id, key.seal(b"{}", seals.dossier(transaction_id))),
        )
        await connection.execute(
            "INSERT INTO device_signals (transaction_id, account_id, reported, sealed) VALUES (%s, %s, true, %s)",
            (transaction_id, account.account_id, key.seal(b"{}", seals.device_signals(transaction_id))),
        )
        await connection.execute(
            """INSERT INTO captures (transaction_id, account_id, slot, usable, chosen)
               VALUES (%s, %s, 'DOCUMENT_FRONT', true, '{"country": "AR", "type": "PASSPORT"}')""",
            (transaction_id, account.account_id),
        )
        details = {"gps_country": "AR", "ip_country": "UY", "reason": "FAR"}
        issue = Issue(
            IssueCode.GEO_IP_MISMATCH, Severity.WARNING, "/device_policy/on_gps_ip_location_mismatch", details
        )
        await move(
            connection, account.account_id, transaction_id, status, decided_by="ENGINE", issues=[issue], checks=[]
        )
    return Person(customer_id, transaction_id, tuple(pictures))


async def left_of(plumbing: Plumbing, account: NewAccount, person: Person) -> set[str]:
    """The tables that still have a row that tells of this person's transaction, and "objects" if one is left."""
    left = set()
    async with plumbing.database.account(account.account_id) as connection:
        for table in ("faces", "seen_frames", "examinations", "device_signals", "captures", "challenges", "handoffs"):
            cursor = await connection.execute(
                f"SELECT 1 FROM {table} WHERE transaction_id = %s",
                (person.transaction_id,),  # type: ignore[arg-type,unused-ignore]
            )
            if await cursor.fetchone() is not None:
                left.add(table)
    async for chunk in plumbing.objects.list(f"{account.account_id}/{person.customer_id}"):
        if {found.key for found in chunk} & set(person.object_keys):
            left.add("objects")
    return left
