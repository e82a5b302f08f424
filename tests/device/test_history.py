"""Reports add up: suspicion grows and is never taken back, whatever is told later and however much of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truename.device.history import MOST_ADDRESSES, MOST_PLACES, DeviceHistory
from truename.device.origin import OriginData
from truename.device.signals import DeviceSignals

DATA = OriginData()
CLEAN = {"platform": "ANDROID", "rooted": False, "debugger": False, "developer_mode": False, "emulator": False}
HOME, VPN, INSIDE = "81.2.69.142", "45.83.220.1", "10.0.0.1"
PARIS = {"permission": "GRANTED", "latitude": 48.85, "longitude": 2.35}
LONDON = {"permission": "GRANTED", "latitude": 51.5, "longitude": -0.12}
FACTS = ("compromised", "developer_mode", "emulator", "vpn_or_proxy", "mock_location")


def after(*reports: dict[str, Any], address: str = HOME) -> DeviceHistory:
    history = DeviceHistory()
    for report in reports:
        history = history.with_report(DeviceSignals.model_validate(report), address, DATA)
    return DeviceHistory.model_validate_json(history.model_dump_json())


@pytest.mark.parametrize(
    ("first", "fact"),
    [
        ({"platform": "WEB", "web": {"webdriver": True}}, "compromised"),
        ({"platform": "WEB", "web": {"camera_labels": ["OBS Virtual Camera"]}}, "emulator"),
        ({"platform": "WEB", "web": {"user_agent": "Genymotion"}}, "emulator"),
        ({**CLEAN, "model": "sdk_gphone64"}, "emulator"),
        ({**CLEAN, "rooted": True}, "compromised"),
        ({**CLEAN, "developer_mode": True}, "developer_mode"),
        ({**CLEAN, "vpn_interface": True}, "vpn_or_proxy"),
        ({**CLEAN, "mock_location": True}, "mock_location"),
    ],
)
@pytest.mark.parametrize(
    "later", [CLEAN, {"platform": "WEB", "web": {"webdriver": False, "camera_labels": ["Back Camera"]}}]
)
def test_a_later_report_never_removes_suspicion(first: dict[str, Any], fact: str, later: dict[str, Any]) -> None:
    assert getattr(after(first, later).evidence(DATA), fact) is True
    assert getattr(after(later, first, later).evidence(DATA), fact) is True


def test_an_address_behind_a_vpn_is_not_forgotten_after_many_others() -> None:
    history = after(CLEAN, address=VPN)
    for last in range(1, 3 * MOST_ADDRESSES):
        history = history.with_address(f"81.2.69.{last}", DATA)
    assert len(history.addresses) == MOST_ADDRESSES
    assert history.evidence(DATA).vpn_or_proxy is True


def test_an_address_of_which_nothing_is_known_is_no_proof_of_none() -> None:
    history = DeviceHistory().with_address(INSIDE, DATA).with_address(HOME, DATA)
    assert history.evidence(DATA).vpn_or_proxy is None
    assert DeviceHistory().with_address(HOME, DATA).evidence(DATA).vpn_or_proxy is False


def test_a_place_that_was_once_in_another_country_than_the_connection_stays_on_record() -> None:
    history = after({**CLEAN, "location": PARIS}, *[{**CLEAN, "location": LONDON}] * (MOST_PLACES + 2), CLEAN)
    evidence = history.evidence(DATA)
    assert len(history.places) == MOST_PLACES
    assert (evidence.gps_country, evidence.ip_country) == ("FR", "GB")


def test_what_was_stored_before_histories_is_read() -> None:
    stored = b'{"signals": {"platform": "ANDROID", "rooted": true}, "addresses": ["81.2.69.142"]}'
    evidence = DeviceHistory.model_validate_json(stored).evidence(DATA)
    assert (evidence.compromised, evidence.ip_country) == (True, "GB")


maybe = st.none() | st.booleans()
native = st.fixed_dictionaries(
    {"platform": st.sampled_from(["ANDROID", "IOS"])},
    optional=dict.fromkeys(["rooted", "jailbroken", "debugger", "developer_mode", "emulator", "mock_location"], maybe),
)
web = st.fixed_dictionaries({"platform": st.just("WEB")}, optional={"web": st.fixed_dictionaries({"webdriver": maybe})})
steps = st.lists(st.tuples(native | web, st.sampled_from([HOME, VPN, INSIDE])), max_size=12)


@given(steps, st.tuples(native | web, st.sampled_from([HOME, VPN, INSIDE])))
def test_whatever_comes_next_takes_nothing_back(earlier: list[Any], last: Any) -> None:
    history = DeviceHistory()
    for report, address in earlier:
        history = history.with_report(DeviceSignals.model_validate(report), address, DATA)
    before = history.evidence(DATA)
    now = history.with_report(DeviceSignals.model_validate(last[0]), last[1], DATA).evidence(DATA)
    assert all(getattr(now, fact) for fact in FACTS if getattr(before, fact))
