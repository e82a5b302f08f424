"""What does an approval leave in the customer's record? (E5)"""

from uuid import UUID

from tests.support.dossiers import a_document, a_dossier
from tests.support.people import key_of
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.plumbing.crypto import seals
from truename.rules.dossier import Dossier, EarlierRecord
from truename.transactions.conclude import conclude
from truename.transactions.lifecycle import Status

NOTHING_READ = a_document().model_copy(update={"fields": {}})


async def approved(plumbing, account, customer_id: UUID, dossier: Dossier) -> UUID:
    transaction_id = await a_transaction(plumbing, account, customer_id)
    await submitted(plumbing, account, transaction_id)
    key = await key_of(plumbing, account, customer_id)
    sealed = key.seal(dossier.model_dump_json().encode(), seals.dossier(transaction_id))
    async with plumbing.database.account(account.account_id) as connection:
        await connection.execute(
            "INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier) "
            "VALUES (%s, %s, %s, %s)",
            (transaction_id, account.account_id, customer_id, sealed),
        )
        await conclude(
            connection,
            plumbing,
            account.account_id,
            transaction_id,
            Status.APPROVED,
            decided_by="ENGINE",
            after=Status.PROCESSING,
        )
    return transaction_id


async def record_of_customer(plumbing, account, customer_id: UUID) -> tuple[EarlierRecord | None, UUID | None]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT sealed_record, record_transaction_id FROM customers WHERE customer_id = %s", (customer_id,)
        )
        row = await cursor.fetchone()
    if row["sealed_record"] is None:
        return None, row["record_transaction_id"]
    opened = (await key_of(plumbing, account, customer_id)).open(bytes(row["sealed_record"]), seals.DOCUMENT_RECORD)
    return EarlierRecord.model_validate_json(opened), row["record_transaction_id"]


async def test_a_document_of_which_nothing_was_read_replaces_no_record(plumbing, an_account):
    customer_id = await a_customer(plumbing, an_account)
    first = await approved(plumbing, an_account, customer_id, a_dossier())
    record, source = await record_of_customer(plumbing, an_account, customer_id)
    assert record is not None
    assert (record.surnames, source) == ("PEREZ O'NEILL", first)
    await approved(plumbing, an_account, customer_id, a_dossier(document=NOTHING_READ))
    assert await record_of_customer(plumbing, an_account, customer_id) == (record, first)


async def test_a_first_document_of_which_nothing_was_read_makes_no_record(plumbing, an_account):
    customer_id = await a_customer(plumbing, an_account)
    await approved(plumbing, an_account, customer_id, a_dossier(document=NOTHING_READ))
    assert await record_of_customer(plumbing, an_account, customer_id) == (None, None)


async def test_marks_alone_are_no_name_of_the_record(plumbing, an_account):
    customer_id = await a_customer(plumbing, an_account)
    await approved(plumbing, an_account, customer_id, a_dossier(document=a_document(surnames="---")))
    record, _ = await record_of_customer(plumbing, an_account, customer_id)
    assert record is not None
    assert record.surnames is None


async def test_the_last_document_that_was_read_is_the_record(plumbing, an_account):
    customer_id = await a_customer(plumbing, an_account)
    await approved(plumbing, an_account, customer_id, a_dossier())
    last = await approved(plumbing, an_account, customer_id, a_dossier(document=a_document(surnames="NUEVA")))
    record, source = await record_of_customer(plumbing, an_account, customer_id)
    assert record is not None
    assert (record.surnames, source) == ("NUEVA", last)
