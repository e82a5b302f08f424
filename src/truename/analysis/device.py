"""What is known of the device and the connection, from what the SDK reported and what the server saw."""

from typing import Any

from truename.device.judge import device_evidence
from truename.device.origin import OriginData
from truename.device.signals import DeviceSignals
from truename.rules.evidence import DeviceEvidence
from truename.settings import Settings


def judged_device(settings: Settings, seen: dict[str, Any] | None) -> DeviceEvidence:
    """`seen` is what the capture room stored: `{"client_ip", "signals"}`; nothing stored means nothing is known."""
    if seen is None:
        return DeviceEvidence()
    signals = DeviceSignals.model_validate(seen["signals"]) if seen.get("signals") else None
    return device_evidence(signals, seen.get("client_ip"), origin_data(settings))


def origin_data(settings: Settings) -> OriginData:
    """The operator's own files where there are any, else the data that ships with us."""
    return OriginData(
        country_file=settings.geoip_city_file,
        asn_file=settings.geoip_asn_file,
        network_list=settings.anonymous_networks_file,
    )
