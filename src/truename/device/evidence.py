"""Signals and connection → device evidence. The client's word can only add suspicion; unknown stays unknown."""

import re

from truename.device.origin import OriginData, origin_of
from truename.device.place import place_of, source
from truename.device.signals import DeviceSignals, Platform
from truename.rules.evidence import DeviceEvidence

VIRTUAL_CAMERA = re.compile(
    r"virtual|fake|obs\b|manycam|snap ?camera|droidcam|iriun|epoccam|xsplit|e2esoft|vcam|v4l2loopback|dummy|"
    r"screen ?capture",
    re.IGNORECASE,
)
EMULATOR_NAME = re.compile(
    r"sdk_gphone|android sdk built for|google_sdk|emulator|genymotion|bluestacks|nox(player)?\b|ldplayer|memu\b|"
    r"goldfish|ranchu|vbox86|iphone simulator|simulator",
    re.IGNORECASE,
)


def device_evidence(
    signals: DeviceSignals | None,
    client_ip: str | None,
    data: OriginData = OriginData(),  # noqa: B008 (frozen)
) -> DeviceEvidence:
    """What is known of the device and its connection."""
    origin = origin_of(client_ip or "", data)
    details: dict[str, str | int | float | bool | None] = {"network_kind": origin.network_kind}
    if origin.data:
        details["ip_data"] = origin.data
    if signals is None:
        return DeviceEvidence(vpn_or_proxy=origin.is_vpn_or_proxy, ip_country=origin.country, details=details)
    details["platform"] = signals.platform.value
    if signals.attestation:
        details["attestation"] = f"{signals.attestation.provider}: kept, not verified"
    gps_country = None
    fix = signals.location
    if fix and fix.latitude is not None and fix.longitude is not None:
        place = place_of(fix.latitude, fix.longitude)
        # Near a border the nearest town may lie across it: the connection's country is believed when it is possible.
        gps_country = origin.country if origin.country in place.possible else place.country
        details["gps_data"] = source()
        details["gps_accuracy_m"] = fix.accuracy_m
    return DeviceEvidence(
        compromised=_suspicion(signals.rooted, signals.jailbroken, signals.debugger, _remote_controlled(signals)),
        developer_mode=_suspicion(signals.developer_mode),
        emulator=_suspicion(signals.emulator, _emulator_signs(signals)),
        vpn_or_proxy=_suspicion(origin.is_vpn_or_proxy, True if signals.vpn_interface else None),
        mock_location=_mock_location(signals),
        gps_country=gps_country,
        ip_country=origin.country,
        details=details,
    )


def _suspicion(*facts: bool | None) -> bool | None:
    """True if anything says so, False if something looked and nothing says so, None if nothing looked."""
    known = [fact for fact in facts if fact is not None]
    return any(known) if known else None


def _remote_controlled(signals: DeviceSignals) -> bool | None:
    """A browser under WebDriver runs under a debugger; one that is not may still be anything."""
    return True if signals.web and signals.web.webdriver else None


def _emulator_signs(signals: DeviceSignals) -> bool | None:
    """Names of emulators and virtual cameras prove something; their absence proves nothing."""
    if EMULATOR_NAME.search(signals.model or ""):
        return True
    if signals.web is None:
        return None
    names = (*signals.web.emulator_hints, signals.web.user_agent or "")
    virtual = signals.web.virtual_camera or any(map(VIRTUAL_CAMERA.search, signals.web.camera_labels))
    return True if virtual or any(map(EMULATOR_NAME.search, names)) else None


def _mock_location(signals: DeviceSignals) -> bool | None:
    """A native SDK can tell when it has a fix; a page cannot."""
    if signals.mock_location:
        return True
    has_fix = signals.location is not None and signals.location.latitude is not None
    looked = has_fix and signals.platform is not Platform.WEB
    return signals.mock_location if looked else None
