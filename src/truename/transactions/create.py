"""Open a transaction for a customer, with the token that the SDK will use."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import orjson
from pydantic import BaseModel, JsonValue, ValidationError

from truename.accounts.authentication import Caller
from truename.plumbing.crypto import seals
from truename.plumbing.database.batching import Batcher
from truename.plumbing.database.ids import id_text, new_id
from truename.plumbing.database.pool import Connection, Database
from truename.plumbing.database.prepared import moments_by_id
from truename.plumbing.errors import CustomerNotFound, Invalid
from truename.plumbing.resources import Plumbing
from truename.rules.config import PLAIN_LOOPBACK, Config, Webhook, as_sent
from truename.rules.faults import Fault
from truename.rules.webhook_url import NOT_HTTPS, PLAIN
from truename.transactions.default_policy import policy_for
from truename.transactions.model import DEFAULT_CONFIG, NewTransaction
from truename.transactions.store import INSERT, INSERT_MANY
from truename.webhooks.addresses import AddressForbidden, allow_list, refuse_forbidden_host
from truename.webhooks.allowed import addresses_open_to, may_use_loopback


class Prepared(NamedTuple):
    """A transaction that is ready to be inserted."""

    transaction_id: UUID
    account_id: UUID
    customer_id: UUID
    transaction_type: str
    config: str
    """JSON, without what is sealed."""
    config_sent: str
    """What the integrator said of it, likewise."""
    sealed_matching: bytes | None
    minutes: int
    """How long the capture may take."""


async def prepare(plumbing: Plumbing, caller: Caller, new: NewTransaction) -> Prepared:
    """Check where the webhook leads and seal what names a person."""
    await refuse_bad_webhook(plumbing, caller, new.config.webhook)
    transaction_id, customer_id = new_id(), UUID(new.customer_id)
    effective = (await policy_for(plumbing, caller.account_id)).filled(new.config)
    config, sealed = stored_config(effective), None
    if new.config.document_policy.data_matching is not None:
        matching = new.config.document_policy.data_matching.model_dump_json()
        sealed = await _sealed_matching(plumbing, caller, customer_id, transaction_id, matching.encode())
    return Prepared(
        transaction_id,
        caller.account_id,
        customer_id,
        new.transaction_type.value,
        config,
        sent_config(new.config),
        sealed,
        effective.transaction_ttl_minutes,
    )


async def refuse_bad_webhook(plumbing: Plumbing, caller: Caller, webhook: Webhook | None) -> None:
    """Raise Invalid when a config's webhook leads where this account's events may not go."""
    if webhook is None:
        return
    faults = await webhook_faults(plumbing, caller, webhook.url)
    if faults:
        if webhook.url.startswith(PLAIN):
            raise Invalid(faults)
        raise Invalid(faults, code="webhook_address_not_allowed")


def stored_config(config: Config) -> str:
    """The effective config as it is stored: without the person's data, which is sealed beside it."""
    if config is DEFAULT_CONFIG or config == DEFAULT_CONFIG:
        return _DEFAULT_JSON
    return config.model_dump_json(exclude={"document_policy": {"data_matching"}})


def sent_config(config: Config) -> str:
    """What was said of a config, as it is stored: without defaults, and without the person's data."""
    if config is DEFAULT_CONFIG:
        return "{}"
    return config.model_dump_json(exclude_unset=True, exclude={"document_policy": {"data_matching"}})


_DEFAULT_JSON: Final = DEFAULT_CONFIG.model_dump_json(exclude={"document_policy": {"data_matching"}})


async def _sealed_matching(
    plumbing: Plumbing, caller: Caller, customer_id: UUID, transaction_id: UUID, matching: bytes
) -> bytes:
    rows = await plumbing.database.statement(
        caller.account_id,
        "SELECT data_key FROM customers WHERE account_id = %s AND customer_id = %s AND erased_at IS NULL",
        (caller.account_id, customer_id),
    )
    if not rows:
        raise no_such_customer()
    key = await plumbing.keys.open(rows[0]["data_key"], caller.account_id, customer_id)
    if key is None:
        raise no_such_customer()
    return key.seal(matching, seals.data_matching(transaction_id))


def no_such_customer() -> CustomerNotFound:
    """Unknown, erased and another account's: all the same to the caller."""
    return CustomerNotFound(errors=[Fault("/customer_id", "customer_not_found", CustomerNotFound.words)])


class _SentConfig(BaseModel):
    webhook: Webhook


class _SentWebhook(BaseModel):
    """The one part of a body that is wrong elsewhere which is looked at none the less."""

    config: _SentConfig


def webhook_in(sent: JsonValue) -> str | None:
    """The address of the webhook in a body that is wrong elsewhere; None when there is none that could be called."""
    try:
        return _SentWebhook.model_validate(sent, context={PLAIN_LOOPBACK: True}).config.webhook.url
    except ValidationError:
        return None


async def webhook_faults(plumbing: Plumbing, caller: Caller, url: str | None) -> list[Fault]:
    """The fault of an address that leads where no webhook of this account may go, if it does."""
    if url is None:
        return []
    if url.startswith(PLAIN):
        async with plumbing.database.account(caller.account_id) as connection:
            if not await may_use_loopback(connection, plumbing.settings, caller.account_id):
                return [Fault("/config/webhook/url", "webhook_url_not_https", NOT_HTTPS)]
    try:
        refuse_forbidden_host(url, allow_list(plumbing.settings.webhook_allow))
    except AddressForbidden:
        async with plumbing.database.account(caller.account_id) as connection:
            opened = await addresses_open_to(connection, plumbing.settings, caller.account_id)
        try:
            refuse_forbidden_host(url, opened)
        except AddressForbidden as forbidden:
            return [Fault("/config/webhook/url", "webhook_address_not_allowed", str(forbidden))]
    return []


async def insert(connection: Connection, prepared: Prepared) -> datetime:
    """Insert the transaction; answers when it expires."""
    cursor = await connection.execute(INSERT, prepared._asdict())
    row = await cursor.fetchone()
    if row is None:
        raise no_such_customer()
    expires_at: datetime = row["expires_at"]
    return expires_at


def transaction_batcher(database: Database) -> Batcher[UUID, Prepared, datetime | None]:
    """Inserts the transactions that an account asks for at the same moment in one statement; None: no such customer."""

    async def insert_all(account_id: UUID, many: Sequence[Prepared]) -> list[datetime | None]:
        texts = dict.fromkeys(text for one in many for text in (one.config, one.config_sent))
        places = {text: place for place, text in enumerate(texts)}
        asked = orjson.dumps([_as_json(one, places) for one in many]).decode()
        rows = await database.prepared(INSERT_MANY, (asked, f"[{','.join(texts)}]", str(account_id)), account_id)
        made = moments_by_id(rows)
        return [made.get(id_text(one.transaction_id)) for one in many]

    return Batcher(insert_all, at_once=2)


def _as_json(one: Prepared, places: Mapping[str, int]) -> dict[str, object]:
    """A row in one JSON text with others: far cheaper for the driver than an array for each column."""
    sealed = one.sealed_matching
    return {
        "transaction_id": one.transaction_id,
        "customer_id": one.customer_id,
        "transaction_type": one.transaction_type,
        "config": places[one.config],
        "config_sent": places[one.config_sent],
        "sealed_matching": None if sealed is None else base64.b64encode(sealed).decode(),
        "minutes": one.minutes,
    }


def with_matching(config: dict[str, JsonValue], opened: bytes | None) -> dict[str, JsonValue]:
    """The effective config with the person's data back in its place (absent when there was none, or it was erased).

    Whoever reads it may send it again as it is.
    """
    policy = config.get("document_policy")
    kept = policy if isinstance(policy, dict) else {}
    matching: JsonValue = orjson.loads(opened) if opened else None
    return as_sent({**config, "document_policy": {**kept, "data_matching": matching}})
