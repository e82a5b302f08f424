"""Where did the capture come from? All look-ups are in data that ships in packages."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from truename.device.evidence import device_evidence
from truename.device.origin import KINDS, Networks, OriginData, load_origins, origin_of
from truename.device.place import place_of
from truename.device.signals import DeviceSignals
from truename.device.unusable import OriginFileUnusable
from truename.rules.faults import faults_of

NATIVE = {"platform": "ANDROID", "rooted": False, "debugger": False, "developer_mode": False, "emulator": False}
PARIS = {"permission": "GRANTED", "latitude": 48.85, "longitude": 2.35, "accuracy_m": 12.0}


def signals(**more):
    return DeviceSignals.model_validate({**NATIVE, **more})


@pytest.mark.parametrize(
    ("address", "country", "kind"),
    [
        ("81.2.69.142", "GB", "access"),
        ("52.95.110.1", "US", "hosting"),
        ("185.220.101.1", "DE", "tor"),
        ("45.83.220.1", "SE", "vpn"),
        ("2606:4700::1111", "US", "proxy"),
        ("::ffff:81.2.69.142", "GB", "access"),
    ],
)
def test_an_address_has_a_country_and_a_kind_of_network(address, country, kind):
    origin = origin_of(address)
    assert (origin.country, origin.network_kind) == (country, kind)
    assert "2024-06-18" in origin.data


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "", "no address", "999.1.1.1"])
def test_an_address_that_is_not_public_has_no_origin(address):
    origin = origin_of(address)
    assert origin.country is None
    assert origin.is_vpn_or_proxy is None


def test_an_operators_list_adds_networks(tmp_path):
    listed = tmp_path / "networks.txt"
    listed.write_text("# exits\n81.2.69.0/24 tor\n")
    assert origin_of("81.2.69.142", OriginData(network_list=listed)).network_kind == "tor"


networks = st.builds(
    lambda number, prefix: ip_network((number << 24 >> (32 - prefix) << (32 - prefix), prefix)),
    st.integers(0, 255),
    st.sampled_from([0, 1, 4, 8]),
) | st.builds(lambda number: ip_network((number << 120, 8)), st.integers(0, 255))


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), networks), max_size=30),
    st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address),
)
def test_a_list_is_searched_as_if_line_by_line(listed, address):
    expected = next((kind for kind, network in listed if address in network), None)
    assert Networks(listed).kind_of(address) == expected


@pytest.mark.parametrize("contents", [None, b"", b"no such file at all"])
def test_a_file_of_places_that_cannot_be_read_is_named_before_anybody_is_looked_up(tmp_path, contents):
    file = tmp_path / "city.mmdb"
    if contents is not None:
        file.write_bytes(contents)
    with pytest.raises(OriginFileUnusable, match=r"city\.mmdb cannot be used: (it is no such file|No such file)"):
        load_origins(OriginData(country_file=file))


@pytest.mark.parametrize("line", [b"NOT A NET", b"81.2.69.0/33 tor", b"tor", b"\xff\xfe"])
def test_a_line_that_is_no_network_is_an_error_and_not_left_out(tmp_path, line):
    listed = tmp_path / "networks.txt"
    listed.write_bytes(b"192.0.2.0/24 vpn # theirs\n" + line)
    with pytest.raises(OriginFileUnusable, match=r"networks\.txt cannot be used"):
        load_origins(OriginData(network_list=listed))


def test_a_faulty_list_is_an_error_and_not_an_empty_one(tmp_path):
    listed = tmp_path / "networks.txt"
    listed.write_text("81.2.69.0/24 onion\n")
    with pytest.raises(OriginFileUnusable, match="line 1 must be a network"):
        origin_of("81.2.69.142", OriginData(network_list=listed))


@pytest.mark.parametrize(
    ("latitude", "longitude", "country"),
    [
        (48.85, 2.35, "FR"),
        (-34.6, -58.38, "AR"),
        (35.68, 139.69, "JP"),
        (-16.5, 179.99, "FJ"),
        (0.0, -30.0, None),
        (-90.0, 0.0, None),
    ],
)
def test_a_point_lies_in_a_country_or_nowhere(latitude, longitude, country):
    assert place_of(latitude, longitude).country == country


def test_near_a_border_both_countries_are_possible():
    strasbourg = place_of(48.58, 7.75)
    assert {"FR", "DE"} <= strasbourg.possible


def test_near_a_border_the_connection_settles_the_country():
    kehl_or_strasbourg = {"permission": "GRANTED", "latitude": 48.574, "longitude": 7.81, "accuracy_m": 30.0}
    assert device_evidence(signals(location=kehl_or_strasbourg), "2a01:e0a::1").gps_country == "FR"
    assert device_evidence(signals(location=kehl_or_strasbourg), "81.2.69.142").gps_country == "DE"


def test_nothing_reported_is_unknown_and_not_clean():
    evidence = device_evidence(None, None)
    assert (evidence.compromised, evidence.developer_mode, evidence.emulator, evidence.vpn_or_proxy) == (None,) * 4
    assert (evidence.mock_location, evidence.gps_country, evidence.ip_country) == (None,) * 3


def test_a_native_sdk_that_looked_and_found_nothing_is_clean():
    evidence = device_evidence(signals(mock_location=False, location=PARIS), "81.2.69.142")
    assert (evidence.compromised, evidence.developer_mode, evidence.emulator, evidence.mock_location) == (False,) * 4
    assert (evidence.vpn_or_proxy, evidence.gps_country, evidence.ip_country) == (False, "FR", "GB")


def test_a_page_cannot_know_root_or_mock_location():
    evidence = device_evidence(
        DeviceSignals.model_validate({"platform": "WEB", "location": PARIS, "mock_location": False}), None
    )
    assert evidence.compromised is None
    assert evidence.mock_location is None
    assert evidence.emulator is None


@pytest.mark.parametrize(
    "sign",
    [{"rooted": True}, {"jailbroken": True}, {"debugger": True}, {"platform": "WEB", "web": {"webdriver": True}}],
)
def test_any_sign_of_a_compromised_device_counts(sign):
    assert device_evidence(signals(**sign), None).compromised is True


@pytest.mark.parametrize(
    "sign",
    [
        {"emulator": True},
        {"model": "sdk_gphone64_x86_64"},
        {"platform": "WEB", "web": {"virtual_camera": True}},
        {"platform": "WEB", "web": {"camera_labels": ["fake_device_0"]}},
        {"platform": "WEB", "web": {"emulator_hints": ["Android SDK built for x86"]}},
    ],
)
def test_any_sign_of_an_emulator_or_virtual_camera_counts(sign):
    assert device_evidence(signals(**sign), None).emulator is True


def test_the_client_can_add_a_vpn_but_not_take_one_away():
    assert device_evidence(signals(vpn_interface=True), "81.2.69.142").vpn_or_proxy is True
    assert device_evidence(signals(vpn_interface=False), "52.95.110.1").vpn_or_proxy is True


def test_a_client_that_says_no_vpn_from_an_unknown_address_leaves_it_unknown():
    assert device_evidence(signals(vpn_interface=False), "127.0.0.1").vpn_or_proxy is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"platform": "toaster"},
        {"rooted": "no"},
        {"unknown": 1},
        {"location": {"permission": "GRANTED", "latitude": 91.0, "longitude": 0.0}},
        {"location": {"permission": "GRANTED", "latitude": float("nan"), "longitude": 0.0}},
        {"location": {"permission": "GRANTED", "latitude": 1.0}},
        {"location": {"permission": "GRANTED", "longitude": 1.0}},
        {"location": {"permission": "DENIED", "latitude": 1.0, "longitude": 0.0}},
        {"web": {"webdriver": False}},
        {"model": "x" * 501},
    ],
)
def test_the_schema_forgives_nothing(wrong):
    with pytest.raises(ValidationError):
        DeviceSignals.model_validate({**NATIVE, **wrong})


def test_what_does_not_go_together_is_told_beside_every_other_fault():
    wrong = {"rooted": "no", "web": {}, "location": {"permission": "DENIED", "latitude": 1.0, "accuracy_m": -1.0}}
    with pytest.raises(ValidationError) as caught:
        DeviceSignals.model_validate({**NATIVE, **wrong})
    assert {fault.pointer: fault.code for fault in faults_of(caught.value)} == {
        "/rooted": "not_a_boolean",
        "/web": "web_signs_from_native",
        "/location/latitude": "location_without_permission",
        "/location/accuracy_m": "number_out_of_range",
    }


@pytest.mark.parametrize(
    "told",
    [
        {"platform": "ANDROID", "debugger": False},
        {"platform": "ANDROID", "rooted": False},
        {"platform": "IOS", "rooted": False, "debugger": False},
        {"platform": "IOS", "jailbroken": False},
        {"platform": "WEB", "web": {"webdriver": False}},
    ],
)
def test_a_device_of_which_half_is_known_is_not_clean(told):
    assert device_evidence(DeviceSignals.model_validate(told), None).compromised is None


@pytest.mark.parametrize(
    "told",
    [
        {"platform": "ANDROID", "rooted": False, "debugger": False},
        {"platform": "IOS", "jailbroken": False, "debugger": False},
    ],
)
def test_a_device_is_clean_when_all_that_its_platform_can_look_for_was_looked_for(told):
    assert device_evidence(DeviceSignals.model_validate(told), None).compromised is False
