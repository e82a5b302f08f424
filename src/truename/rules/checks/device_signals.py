"""Can the device and its connection be trusted? What is not known is not run, and never passed."""

from collections.abc import Iterator

from truename.rules.dossier import Dossier
from truename.rules.issues import EVERY_TYPE, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, not_run, passed

ASKS = (
    CheckName.COMPROMISED_DEVICE,
    CheckName.DEVELOPER_MODE,
    CheckName.EMULATOR,
    CheckName.VPN_OR_PROXY,
    CheckName.MOCK_LOCATION,
    CheckName.GPS_IP_LOCATION,
)
APPLIES_TO = EVERY_TYPE


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """One result for each sign: failed when it was seen, passed when it was looked for, not run when nobody knows."""
    device = dossier.evidence.device
    yield _sign(CheckName.COMPROMISED_DEVICE, device.compromised, IssueCode.COMPROMISED_DEVICE)
    yield _sign(CheckName.DEVELOPER_MODE, device.developer_mode, IssueCode.DEVELOPER_MODE_ENABLED)
    yield _sign(CheckName.EMULATOR, device.emulator, IssueCode.EMULATOR_DETECTED)
    yield _sign(CheckName.VPN_OR_PROXY, device.vpn_or_proxy, IssueCode.VPN_OR_PROXY_DETECTED)
    yield _sign(CheckName.MOCK_LOCATION, device.mock_location, IssueCode.MOCK_LOCATION_DETECTED)
    if device.gps_country is None or device.ip_country is None:
        yield not_run(CheckName.GPS_IP_LOCATION, "UNKNOWN")
    elif device.gps_country == device.ip_country:
        yield passed(CheckName.GPS_IP_LOCATION)
    else:
        details = {"gps_country": device.gps_country, "ip_country": device.ip_country}
        yield failed(CheckName.GPS_IP_LOCATION, IssueCode.GEO_IP_MISMATCH, details)


def _sign(name: CheckName, seen: bool | None, code: IssueCode) -> CheckResult:
    if seen is None:
        return not_run(name, "UNKNOWN")
    return failed(name, code, {}) if seen else passed(name)
