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
        compromised=_any_of(*signs_of_compromise(signals)),
        developer_mode=signals.developer_mode,
        emulator=True if signs_of_emulator(signals) else signals.emulator,
        vpn_or_proxy=True if signals.vpn_interface else origin.is_vpn_or_proxy,
        mock_location=_mock_location(signals),
        gps_country=gps_country,
        ip_country=origin.country,
        details=details,
    )


def signs_of_compromise(signals: DeviceSignals) -> tuple[bool | None, ...]:
    """What must be known for a clean device: root or jailbreak by its platform, and debuggers; a page knows neither."""
    # A browser under WebDriver runs under a debugger; one that is not may still be anything.
    remote_controlled = True if signals.web and signals.web.webdriver else None
    if signals.platform is Platform.ANDROID:
        return signals.rooted, signals.debugger, bool(signals.jailbroken)
    if signals.platform is Platform.IOS:
        return signals.jailbroken, signals.debugger, bool(signals.rooted)
    return signals.rooted, signals.jailbroken, signals.debugger, remote_controlled


def _any_of(*facts: bool | None) -> bool | None:
    """True if any is; False only if all are known and none is; unknown stays unknown."""
    if any(facts):
        return True
    return None if None in facts else False


def signs_of_emulator(signals: DeviceSignals) -> bool:
    """Names of emulators and virtual cameras prove something; their absence proves nothing."""
    if EMULATOR_NAME.search(signals.model or ""):
        return True
    if signals.web is None:
        return False
    names = (*signals.web.emulator_hints, signals.web.user_agent or "")
    virtual = signals.web.virtual_camera or any(map(VIRTUAL_CAMERA.search, signals.web.camera_labels))
    return bool(virtual) or any(map(EMULATOR_NAME.search, names))


def _mock_location(signals: DeviceSignals) -> bool | None:
    """A native SDK can tell when it has a fix; a page cannot."""
    if signals.mock_location:
        return True
    has_fix = signals.location is not None and signals.location.latitude is not None
    looked = has_fix and signals.platform is not Platform.WEB
    return signals.mock_location if looked else None
