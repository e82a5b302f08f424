"""Find transactions by a name or a document number, of which only keyed hashes are kept.

The hash is made under a secret of the installation, for one account and one kind of value: equal names of two accounts
have different hashes, and whoever has only the database can neither read nor try them. The rows go with the dossier
that they were made from: at redaction, retention and erasure.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, LiteralString
from uuid import UUID

from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.pool import Connection
from truename.rules.dossier import Dossier
from truename.rules.evidence import FieldName
from truename.rules.text import normal_name, normal_number

HASH_BYTES: Final = 16
MOST_WORDS: Final = 12

INSERT: LiteralString = """
INSERT INTO search_keys (account_id, transaction_id, customer_id, kind, key)
SELECT %(account_id)s, %(transaction_id)s, %(customer_id)s, kind, key
FROM unnest(%(kinds)s::text[], %(keys)s::bytea[]) AS n (kind, key) ON CONFLICT DO NOTHING
"""


class KeyKind(StrEnum):
    """What a keyed hash was made of; rows of old, of which that was not kept, are WORD."""

    WORD = "WORD"
    NAME = "NAME"
    NUMBER = "NUMBER"
    TRAIT = "TRAIT"
    """A group: country, type, age band, kind of device (`traits.py`)."""
    DEVICE = "DEVICE"
    ADDRESS = "ADDRESS"


def keys_of(vault: Vault, account_id: UUID, dossier: Dossier) -> dict[bytes, KeyKind]:
    """The hashes under which a transaction is found: each word of the names, and the numbers of the document."""
    document = dossier.evidence.document
    if document is None:
        return {}
    names = (document.value(FieldName.GIVEN_NAMES), document.value(FieldName.SURNAMES))
    numbers = (document.value(FieldName.DOCUMENT_NUMBER), document.value(FieldName.PERSONAL_NUMBER))
    words = {word for name in names if name for word in normal_name(name).split()}
    found = {normal_number(number) for number in numbers if number} - {""}
    return {
        **dict.fromkeys(sorted(_hashes(vault, account_id, "name", words)), KeyKind.NAME),
        **dict.fromkeys(sorted(_hashes(vault, account_id, "number", found)), KeyKind.NUMBER),
    }


async def remember(
    connection: Connection, vault: Vault, account_id: UUID, customer_id: UUID, transaction_id: UUID, dossier: Dossier
) -> None:
    """Make a judged transaction findable, in the database transaction that keeps its dossier."""
    keys = keys_of(vault, account_id, dossier)
    own = {"account_id": account_id, "customer_id": customer_id, "transaction_id": transaction_id}
    if keys:
        kinds = [kind.value for kind in keys.values()]
        await connection.execute(INSERT, {**own, "kinds": kinds, "keys": list(keys)})


def keys_for(vault: Vault, account_id: UUID, typed: str) -> list[tuple[bytes, ...]]:
    """What somebody typed, as hashes: a transaction is found that has all hashes of one of the answers.

    First as one number, then as words of a name.
    """
    number = normal_number(typed)
    words = normal_name(typed).split()[:MOST_WORDS]
    wanted = []
    if number:
        wanted.append(tuple(_hashes(vault, account_id, "number", [number])))
    if words:
        wanted.append(tuple(_hashes(vault, account_id, "name", sorted(set(words)))))
    return wanted


async def find(connection: Connection, account_id: UUID, keys: Sequence[bytes], limit: int = 1) -> list[UUID]:
    """Transactions that have all of these keys, the newest first: identifiers grow with time."""
    cursor = await connection.execute(
        """
        SELECT k.transaction_id FROM search_keys k WHERE k.account_id = %(account_id)s AND k.key = ANY(%(keys)s)
        GROUP BY k.transaction_id HAVING count(*) = %(wanted)s ORDER BY k.transaction_id DESC LIMIT %(limit)s
        """,
        {"account_id": account_id, "keys": list(keys), "wanted": len(set(keys)), "limit": limit},
    )
    return [row["transaction_id"] for row in await cursor.fetchall()]


def _hashes(vault: Vault, account_id: UUID, kind: str, values: Iterable[str]) -> list[bytes]:
    return [vault.keyed_hash(f"search by {kind} in {account_id}", value)[:HASH_BYTES] for value in values]
