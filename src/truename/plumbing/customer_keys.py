"""The data key of each customer: where its wrapped form is kept, and how it is opened.

It stands beside the customer, in `customers.data_key`. NULL there means that the customer was erased and the key
destroyed.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from truename.plumbing.crypto.vault import DataKey, Vault
from truename.plumbing.database.pool import Connection

OF_CUSTOMER: Final = "SELECT customer_id, data_key FROM customers WHERE account_id = %s AND customer_id = %s"
OF_TRANSACTION: Final = """
SELECT c.customer_id, c.data_key FROM transactions t JOIN customers c USING (account_id, customer_id)
WHERE t.account_id = %s AND t.transaction_id = %s
"""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made."""

    data_key: bytes
    """What goes into `customers.data_key`."""
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class OwnedKey:
    """A key, and whose it is."""

    customer_id: UUID
    key: DataKey


class CustomerKeys:
    """Makes and opens the keys of customers."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def make(self, account_id: UUID, customer_id: UUID) -> NewKey:
        """A fresh key for a customer that is about to be inserted."""
        wrapped = self._vault.new_customer_key(account_id, customer_id)
        return NewKey(wrapped, wrapped)

    def unwrapped(self, wrapped: bytes, account_id: UUID, customer_id: UUID) -> DataKey:
        return self._vault.customer_key(wrapped, account_id, customer_id)

    async def open(self, data_key: Any, account_id: UUID, customer_id: UUID) -> DataKey | None:
        """The key for what stands in `customers.data_key`; None when it was destroyed."""
        if data_key is None:
            return None
        return self._vault.customer_key(bytes(data_key), account_id, customer_id)

    async def of_customer(self, connection: Connection, account_id: UUID, customer_id: UUID) -> OwnedKey | None:
        """The key of a customer; None when there is no such customer, or it was erased."""
        return await self._found(connection, OF_CUSTOMER, account_id, customer_id)

    async def of_transaction(self, connection: Connection, account_id: UUID, transaction_id: UUID) -> OwnedKey | None:
        """The key of the customer of a transaction; None when there is no such transaction, or it was erased."""
        return await self._found(connection, OF_TRANSACTION, account_id, transaction_id)

    async def _found(self, connection: Connection, query: Any, account_id: UUID, identity: UUID) -> OwnedKey | None:
        cursor = await connection.execute(query, (account_id, identity))
        row = await cursor.fetchone()
        if row is None:
            return None
        key = await self.open(row["data_key"], account_id, row["customer_id"])
        return OwnedKey(row["customer_id"], key) if key else None
