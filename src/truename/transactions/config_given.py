"""Where each field of a transaction's config comes from: sent, the account's default policy, or the interface."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from uuid import UUID

from pydantic import JsonValue

from truename.plumbing.database.pool import Connection
from truename.rules.config import Config, without_nulls


class ConfigOrigin(StrEnum):
    """Who said what a field has."""

    SENT = "SENT"
    """The integrator, with this transaction."""
    ACCOUNT = "ACCOUNT"
    """The default policy of the account at that moment."""
    INTERFACE = "INTERFACE"
    """Nobody: it has the interface's default."""

    @property
    def words(self) -> str:
        """As a page says it."""
        return {"SENT": "sent", "ACCOUNT": "account's default policy", "INTERFACE": "default"}[self.value]


async def read_config_origins(
    connection: Connection, account_id: UUID, transaction_id: UUID
) -> Mapping[str, ConfigOrigin] | None:
    """Who said each field of the config, by JSON pointer; None for a transaction from before this was kept.

    Fields of `data_matching` are not among them: they are always sent.
    """
    cursor = await connection.execute(
        "SELECT config, config_sent FROM transactions WHERE account_id = %s AND transaction_id = %s",
        (account_id, transaction_id),
    )
    row = await cursor.fetchone()
    return None if row is None or row["config_sent"] is None else origins(row["config"], row["config_sent"])


def origins(effective: Mapping[str, JsonValue], sent: Mapping[str, JsonValue]) -> dict[str, ConfigOrigin]:
    """Who said each field: what was sent, what else differs from the interface's default, and the rest."""
    said = {pointer for pointer, _ in leaves(sent)}
    usual = dict(leaves(Config().model_dump(mode="json")))
    found = {}
    for pointer, value in leaves(effective):
        if pointer in said:
            found[pointer] = ConfigOrigin.SENT
        else:
            same = without_nulls(value) == without_nulls(usual.get(pointer))
            found[pointer] = ConfigOrigin.INTERFACE if same else ConfigOrigin.ACCOUNT
    return found


def leaves(config: Mapping[str, JsonValue], under: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Each field of a config by its JSON pointer; a list counts as one field."""
    for name, value in config.items():
        pointer = f"{under}/{name}"
        if isinstance(value, Mapping) and value and name != "document_eligibility":
            yield from leaves(value, pointer)
        else:
            yield pointer, value
