"""Sign a receipt and keep it: once for each transaction, never changed afterwards."""

from uuid import UUID

from joserfc import jws

from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.receipts.hashes import canonical
from truename.receipts.keys import ALGORITHM, signing_key
from truename.receipts.model import TYPE, Receipt


async def sign_receipt(connection: Connection, plumbing: Plumbing, receipt: Receipt) -> str:
    """The receipt as a compact JWS, stored on this connection; of two that sign at once, the first one's stands."""
    key = await signing_key(connection, plumbing)
    header = {"alg": ALGORITHM, "kid": key.kid, "typ": TYPE}
    signed = jws.serialize_compact(header, canonical(receipt.model_dump(mode="json")), key, [ALGORITHM])
    cursor = await connection.execute(
        """
        INSERT INTO receipts (transaction_id, account_id, jws, kid, issued_at)
        VALUES (%s, %s, %s, %s, to_timestamp(%s)) ON CONFLICT (transaction_id) DO NOTHING
        """,
        (receipt.transaction_id, receipt.account_id, signed, key.kid, receipt.iat),
    )
    if cursor.rowcount:
        return signed
    return await stored_receipt(connection, receipt.account_id, receipt.transaction_id) or signed


async def stored_receipt(connection: Connection, account_id: UUID, transaction_id: UUID) -> str | None:
    """The receipt of a transaction; None when there is none yet."""
    cursor = await connection.execute(
        "SELECT jws FROM receipts WHERE account_id = %s AND transaction_id = %s", (account_id, transaction_id)
    )
    row = await cursor.fetchone()
    return None if row is None else str(row["jws"])
