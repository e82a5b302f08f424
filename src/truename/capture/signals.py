"""What the device reports and where it connects from, kept sealed until the analysis reads it."""

import asyncio
from uuid import UUID

from truename.capture import store
from truename.capture.access import Capture
from truename.device.history import DeviceHistory
from truename.device.origin import OriginData
from truename.device.signals import DeviceSignals
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.rules.evidence import DeviceEvidence
from truename.transactions.traits import remember_device


async def note_device(
    connection: Connection, plumbing: Plumbing, capture: Capture, signals: DeviceSignals | None, address: str | None
) -> None:
    """Add a report or just an address to what is known; what was once suspicious stays so."""
    key, name = await capture.key(plumbing), seals.device_signals(capture.transaction_id)
    sealed = await store.sealed_signals(connection, capture.account_id, capture.transaction_id)
    history = DeviceHistory.model_validate_json(key.open(sealed, name)) if sealed else DeviceHistory()
    data = origin_data(plumbing.settings)
    if signals is not None:
        history = history.with_report(signals, address, data)
    else:
        history = history.with_address(address, data)
    sealed = key.seal(history.model_dump_json().encode(), name)
    await store.keep_signals(connection, capture, sealed, reported=history.signals is not None)
    own = capture.account_id, capture.customer_id, capture.transaction_id
    await remember_device(connection, plumbing.vault, *own, signals, address)


async def evidence_of_device(
    connection: Connection, settings: Settings, key: DataKey, account_id: UUID, transaction_id: UUID
) -> DeviceEvidence:
    """What is known of the device of a transaction: unknown when nothing was reported."""
    sealed = await store.sealed_signals(connection, account_id, transaction_id)
    if sealed is None:
        return DeviceEvidence()
    history = DeviceHistory.model_validate_json(key.open(sealed, seals.device_signals(transaction_id)))
    # The first place of all has the towns of the world read, which takes a second or two.
    return await asyncio.to_thread(history.evidence, origin_data(settings))


def origin_data(settings: Settings) -> OriginData:
    """The files of networks that the operator brings."""
    return OriginData(settings.geoip_city_file, settings.geoip_asn_file, settings.anonymous_networks_file)
