"""What the device reports and where it connects from, kept sealed until the analysis reads it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson

from truename.capture import store
from truename.capture.access import Capture
from truename.device.evidence import device_evidence
from truename.device.origin import OriginData, origin_of
from truename.device.signals import DeviceSignals, still_suspicious
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.rules.evidence import DeviceEvidence

ADDRESSES_KEPT = 8


async def note_device(
    connection: Connection, plumbing: Plumbing, capture: Capture, signals: DeviceSignals | None, address: str | None
) -> None:
    """Add a report or just an address to what is known; what was once suspicious stays so."""
    key, name = await capture.key(plumbing), seals.device_signals(capture.transaction_id)
    sealed = await store.sealed_signals(connection, capture.account_id, capture.transaction_id)
    earlier, addresses = _opened(key.open(sealed, name)) if sealed else (None, [])
    if signals and earlier:
        signals = still_suspicious(earlier, signals)
    if address is not None:
        addresses = [*(known for known in addresses if known != address), address][-ADDRESSES_KEPT:]
    known = signals or earlier
    report = known.model_dump(mode="json") if known else None
    sealed = key.seal(orjson.dumps({"signals": report, "addresses": addresses}), name)
    await store.keep_signals(connection, capture, sealed, reported=report is not None)


def _opened(plain: bytes) -> tuple[DeviceSignals | None, list[str]]:
    stored: dict[str, Any] = orjson.loads(plain)
    signals = DeviceSignals.model_validate_json(orjson.dumps(stored["signals"])) if stored["signals"] else None
    return signals, stored["addresses"]


async def evidence_of_device(
    connection: Connection, settings: Settings, key: DataKey, account_id: UUID, transaction_id: UUID
) -> DeviceEvidence:
    """What is known of the device of a transaction: unknown when nothing was reported."""
    sealed = await store.sealed_signals(connection, account_id, transaction_id)
    if sealed is None:
        return DeviceEvidence()
    signals, addresses = _opened(key.open(sealed, seals.device_signals(transaction_id)))
    data = OriginData(settings.geoip_city_file, settings.geoip_asn_file, settings.anonymous_networks_file)
    evidence = device_evidence(signals, addresses[-1] if addresses else None, data)
    return _with_earlier_addresses(evidence, addresses[:-1], data)


def _with_earlier_addresses(evidence: DeviceEvidence, earlier: Sequence[str], data: OriginData) -> DeviceEvidence:
    """A VPN that was switched off in the middle was still there."""
    if not evidence.vpn_or_proxy and any(origin_of(address, data).is_vpn_or_proxy for address in earlier):
        return evidence.model_copy(update={"vpn_or_proxy": True})
    return evidence
