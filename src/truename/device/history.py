"""All that one transaction's devices have reported, added up: suspicion grows and is never taken back.

A person may go from a computer to a phone, and a later report may be silent on what an earlier one told. What was once
suspicious stays so. The history is bounded: what drops out of it leaves its suspicion behind.
"""

from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field

from truename.device.evidence import device_evidence, signs_of_compromise, signs_of_emulator
from truename.device.origin import OriginData, origin_of
from truename.device.signals import DeviceSignals
from truename.rules.evidence import DeviceEvidence

MOST_ADDRESSES: Final = 8
MOST_PLACES: Final = 4


class Suspicion(StrEnum):
    """A fact of the device evidence that was once true; the names are those of its fields."""

    COMPROMISED = "compromised"
    DEVELOPER_MODE = "developer_mode"
    EMULATOR = "emulator"
    VPN_OR_PROXY = "vpn_or_proxy"
    MOCK_LOCATION = "mock_location"


class Kept(BaseModel):
    """What is stored of a device: no field but the named ones, no value of another type."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Sighting(Kept):
    """A report of where the device was, and the address that it came from."""

    report: DeviceSignals
    """Platform and location alone."""
    address: str | None


class DeviceHistory(Kept):
    """What is kept, sealed, of a transaction's devices. What was stored before a field existed has its default."""

    signals: DeviceSignals | None = None
    """The latest report."""
    addresses: tuple[str, ...] = ()
    """The latest addresses that anything came from, the last one last."""
    suspicions: Annotated[tuple[Suspicion, ...], Field(strict=False)] = ()
    places: tuple[Sighting, ...] = ()
    """The latest reports that told a place."""
    elsewhere: tuple[str, str] | None = None
    """Countries of GPS and address that differed in a report that is no longer kept."""

    def with_address(self, address: str | None, data: OriginData) -> Self:
        """The history with one more address; what a dropped one made suspicious stays so."""
        if address is None:
            return self
        addresses = (*(known for known in self.addresses if known != address), address)
        changes: dict[str, object] = {"addresses": addresses[-MOST_ADDRESSES:]}
        if any(origin_of(dropped, data).is_vpn_or_proxy for dropped in addresses[:-MOST_ADDRESSES]):
            changes["suspicions"] = self._suspicions(Suspicion.VPN_OR_PROXY)
        return self.model_copy(update=changes)

    def with_report(self, report: DeviceSignals, address: str | None, data: OriginData) -> Self:
        """The history with one more report, and the address that it came from."""
        earlier = suspicions_of(self.signals) if self.signals else ()
        suspicions = self._suspicions(*earlier, *suspicions_of(report))
        changes: dict[str, object] = {"signals": report, "suspicions": suspicions}
        if report.location and report.location.latitude is not None:
            place = DeviceSignals.model_validate({"platform": report.platform, "location": report.location})
            places = (*self.places, Sighting(report=place, address=address))
            changes["places"] = places[-MOST_PLACES:]
            for dropped in places[:-MOST_PLACES]:
                changes["elsewhere"] = self.elsewhere or _differing(dropped, data)
        return self.model_copy(update=changes).with_address(address, data)

    def evidence(self, data: OriginData) -> DeviceEvidence:
        """What is known now: True for what was ever suspicious, unknown where some of it is unknown."""
        latest = device_evidence(self.signals, self.addresses[-1] if self.addresses else None, data)
        facts: dict[str, object] = {name.value: True for name in self.suspicions}
        if Suspicion.VPN_OR_PROXY not in self.suspicions:
            routed = [origin_of(address, data).is_vpn_or_proxy for address in self.addresses]
            told = latest.vpn_or_proxy
            facts["vpn_or_proxy"] = True if told or any(routed) else None if None in routed else told
        differing = (pair for place in self.places if (pair := _differing(place, data)))
        if pair := self.elsewhere or next(differing, None):
            facts["gps_country"], facts["ip_country"] = pair
        elif latest.gps_country is None and self.places:
            last = device_evidence(self.places[-1].report, self.places[-1].address, data)
            facts["gps_country"], facts["ip_country"] = last.gps_country, last.ip_country
        return latest.model_copy(update=facts)

    def _suspicions(self, *more: Suspicion) -> tuple[Suspicion, ...]:
        return tuple(sorted({*self.suspicions, *more}))


def suspicions_of(report: DeviceSignals) -> tuple[Suspicion, ...]:
    """What one report alone says against its device."""
    facts = {
        Suspicion.COMPROMISED: any(signs_of_compromise(report)),
        Suspicion.DEVELOPER_MODE: report.developer_mode,
        Suspicion.EMULATOR: report.emulator or signs_of_emulator(report),
        Suspicion.VPN_OR_PROXY: report.vpn_interface,
        Suspicion.MOCK_LOCATION: report.mock_location,
    }
    return tuple(name for name, holds in facts.items() if holds)


def _differing(place: Sighting, data: OriginData) -> tuple[str, str] | None:
    seen = device_evidence(place.report, place.address, data)
    if seen.gps_country and seen.ip_country and seen.gps_country != seen.ip_country:
        return seen.gps_country, seen.ip_country
    return None
