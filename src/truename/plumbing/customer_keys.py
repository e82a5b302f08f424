"""The data key of each customer: where its wrapped form is kept, and how it is opened.

It stands beside the customer, in `customers.data_key`, or in a database of keys (TRUENAME_KEYS_DATABASE_URL), and then
`customers.data_key` is empty. NULL there means that the customer was erased. Both forms may occur side by side, while
keys are moved from one to the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.keys_database import KeysDatabase, WrappedKey
from truename.plumbing.database.pool import Connection

OF_CUSTOMER: Final = "SELECT customer_id, data_key FROM customers WHERE account_id = %s AND customer_id = %s"
OF_TRANSACTION: Final = """
SELECT c.customer_id, c.data_key FROM transactions t JOIN customers c USING (account_id, customer_id)
WHERE t.account_id = %s AND t.transaction_id = %s
"""


ELSEWHERE: Final = b""
"""What stands in `customers.data_key` when the key is in the database of keys."""


class KeysElsewhere(Exception):
    """The keys are in a database that this process was not told of."""


class NewKey(NamedTuple):
    """A key that was just made."""

    data_key: bytes
    """What goes into `customers.data_key`."""
    wrapped: bytes
    key: DataKey


@dataclass(frozen=True, slots=True)
class OwnedKey:
    """A key, and whose it is."""

    customer_id: UUID
    key: DataKey


class CustomerKeys:
    """Makes and opens the keys of customers."""

    def __init__(self, vault: Vault, elsewhere: KeysDatabase | None = None) -> None:
        self._vault = vault
        self._elsewhere = elsewhere

    async def make(self, account_id: UUID, customer_id: UUID) -> NewKey:
        """A fresh key for a customer that is about to be inserted."""
        wrapped, key = self._vault.make_customer_key(account_id, customer_id)
        if self._elsewhere is None:
            return NewKey(wrapped, wrapped, key)
        # Durable before the customer is: a customer without a key could never be read.
        await self._elsewhere.insert(WrappedKey(customer_id, account_id, wrapped))
        return NewKey(ELSEWHERE, wrapped, key)

    async def open(self, data_key: bytes | None, account_id: UUID, customer_id: UUID) -> DataKey | None:
        """The key for what stands in `customers.data_key`; None when it was destroyed."""
        if data_key is None:
            return None
        wrapped = data_key
        if wrapped == ELSEWHERE:
            found = await self._keys_database().find(customer_id)
            if found is None:
                return None
            wrapped = found
        return self._vault.customer_key(wrapped, account_id, customer_id)

    async def open_many(self, data_keys: Mapping[UUID, bytes], account_id: UUID) -> dict[UUID, DataKey]:
        """The keys for what stands in `customers.data_key` of many customers, less those that were destroyed."""
        elsewhere = [customer_id for customer_id, wrapped in data_keys.items() if wrapped == ELSEWHERE]
        found = await self._keys_database().find_many(elsewhere) if elsewhere else {}
        return {
            customer_id: self._vault.customer_key(found.get(customer_id, wrapped), account_id, customer_id)
            for customer_id, wrapped in data_keys.items()
            if wrapped != ELSEWHERE or customer_id in found
        }

    async def destroy(self, customer_id: UUID) -> None:
        """Destroy the key of an erased customer wherever it is kept besides its row. Safe to repeat."""
        if self._elsewhere is not None:
            await self._elsewhere.delete([customer_id])

    def _keys_database(self) -> KeysDatabase:
        if self._elsewhere is None:
            raise KeysElsewhere("The keys of customers are in another database: set TRUENAME_KEYS_DATABASE_URL.")
        return self._elsewhere

    async def of_customer(self, connection: Connection, account_id: UUID, customer_id: UUID) -> OwnedKey | None:
        """The key of a customer; None when there is no such customer, or it was erased."""
        return await self._found(connection, OF_CUSTOMER, account_id, customer_id)

    async def of_transaction(self, connection: Connection, account_id: UUID, transaction_id: UUID) -> OwnedKey | None:
        """The key of the customer of a transaction; None when there is no such transaction, or it was erased."""
        return await self._found(connection, OF_TRANSACTION, account_id, transaction_id)

    async def _found(
        self, connection: Connection, query: LiteralString, account_id: UUID, identity: UUID
    ) -> OwnedKey | None:
        cursor = await connection.execute(query, (account_id, identity))
        row = await cursor.fetchone()
        if row is None:
            return None
        key = await self.open(row["data_key"], account_id, row["customer_id"])
        return OwnedKey(row["customer_id"], key) if key else None
