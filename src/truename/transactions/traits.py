"""Groups that transactions fall into (country and type of the document, age, kind of device), and what links people.

Of each only a keyed hash is kept, made as those of names are: whoever has only the database can neither read nor try
it. The pages of numbers make the hashes of all groups there are, and so know which is which. The rows go with the rest
of what tells of the person: at redaction, retention and erasure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from ipaddress import IPv6Network, ip_address
from typing import Final, LiteralString
from uuid import UUID

from truename.device.kind import DeviceKind, device_kind, device_looks
from truename.device.signals import DeviceSignals
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.pool import Connection
from truename.rules.countries import COUNTRIES
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentType, FieldName
from truename.transactions.search import HASH_BYTES, KeyKind

INSERT: LiteralString = """
INSERT INTO search_keys (account_id, transaction_id, customer_id, kind, key)
SELECT %(account_id)s, %(transaction_id)s, %(customer_id)s, kind, key
FROM unnest(%(kinds)s::text[], %(keys)s::bytea[]) AS n (kind, key) ON CONFLICT DO NOTHING
"""
AGES: Final = ((0, 17, "under 18"), (18, 24, "18–24"), (25, 34, "25–34"), (35, 49, "35–49"), (50, 64, "50–64"))
OLDEST: Final = "65 and over"


class Dimension(StrEnum):
    """By what transactions are grouped."""

    COUNTRY = "COUNTRY"
    TYPE = "TYPE"
    AGE = "AGE"
    DEVICE = "DEVICE"


@dataclass(frozen=True, slots=True)
class Trait:
    """One group of one dimension."""

    dimension: Dimension
    value: str

    @property
    def words(self) -> str:
        """As a person says it."""
        if self.dimension is Dimension.COUNTRY:
            return f"{COUNTRIES[self.value].name} ({self.value})"
        if self.dimension is Dimension.TYPE:
            return self.value.replace("_", " ").lower()
        return DeviceKind(self.value).words if self.dimension is Dimension.DEVICE else self.value


def every_trait() -> tuple[Trait, ...]:
    """All groups that there can be."""
    bands = [words for _, _, words in AGES] + [OLDEST]
    return (
        *(Trait(Dimension.COUNTRY, code) for code in COUNTRIES),
        *(Trait(Dimension.TYPE, kind.value) for kind in DocumentType),
        *(Trait(Dimension.AGE, words) for words in bands),
        *(Trait(Dimension.DEVICE, kind.value) for kind in DeviceKind),
    )


def age_band(born: date, today: date) -> str:
    """The band of somebody born on this day."""
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    return next((words for low, high, words in AGES if low <= years <= high), OLDEST)


def traits_of(dossier: Dossier) -> list[Trait]:
    """The groups that a judged transaction falls into by its document."""
    document = dossier.evidence.document
    if document is None:
        return []
    found = []
    if document.country in COUNTRIES:
        found.append(Trait(Dimension.COUNTRY, document.country))
    if document.type is not None:
        found.append(Trait(Dimension.TYPE, document.type.value))
    if (born := document.date(FieldName.DATE_OF_BIRTH)) is not None and born <= dossier.today:
        found.append(Trait(Dimension.AGE, age_band(born, dossier.today)))
    return found


def trait_key(vault: Vault, account_id: UUID, trait: Trait) -> bytes:
    """The hash under which a group is kept and found."""
    return _hash(vault, account_id, KeyKind.TRAIT, f"{trait.dimension}:{trait.value}")


async def remember_traits(
    connection: Connection, vault: Vault, account_id: UUID, customer_id: UUID, transaction_id: UUID, dossier: Dossier
) -> None:
    """Keep the groups of a judged transaction."""
    keys = [(KeyKind.TRAIT, trait_key(vault, account_id, trait)) for trait in traits_of(dossier)]
    await _keep(connection, account_id, customer_id, transaction_id, keys)


async def remember_device(
    connection: Connection,
    vault: Vault,
    account_id: UUID,
    customer_id: UUID,
    transaction_id: UUID,
    signals: DeviceSignals | None,
    address: str | None,
) -> None:
    """Keep the kind of the device, and what may link it to others: how it looks, and the address it came from."""
    keys: list[tuple[KeyKind, bytes]] = []
    if signals is not None:
        kind = Trait(Dimension.DEVICE, device_kind(signals).value)
        keys.append((KeyKind.TRAIT, trait_key(vault, account_id, kind)))
        if (looks := device_looks(signals)) is not None:
            keys.append((KeyKind.DEVICE, _hash(vault, account_id, KeyKind.DEVICE, looks)))
    if address and (line := one_line(address)) is not None:
        keys.append((KeyKind.ADDRESS, _hash(vault, account_id, KeyKind.ADDRESS, line)))
    await _keep(connection, account_id, customer_id, transaction_id, keys)


def one_line(address: str) -> str | None:
    """What stands for one connection: the address, or of IPv6 the network, whose rest devices change daily."""
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return str(found) if found.version == 4 else str(IPv6Network((int(found) >> 64 << 64, 64)))


async def _keep(
    connection: Connection,
    account_id: UUID,
    customer_id: UUID,
    transaction_id: UUID,
    keys: Sequence[tuple[KeyKind, bytes]],
) -> None:
    if keys:
        own = {"account_id": account_id, "customer_id": customer_id, "transaction_id": transaction_id}
        kinds: Iterable[str] = [kind.value for kind, _ in keys]
        await connection.execute(INSERT, {**own, "kinds": kinds, "keys": [key for _, key in keys]})


def _hash(vault: Vault, account_id: UUID, kind: KeyKind, value: str) -> bytes:
    return vault.keyed_hash(f"search by {kind.value.lower()} in {account_id}", value)[:HASH_BYTES]
