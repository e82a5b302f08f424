"""Which addresses may a webhook go to? Told from text alone: no test here opens a connection."""

import socket
from ipaddress import ip_address

import pytest

from truename.webhooks.addresses import (
    LOOPBACK,
    AddressForbidden,
    AllowList,
    refuse_forbidden_address,
    refuse_forbidden_host,
)

NOTHING = AllowList()

FORBIDDEN_HOSTS = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "①②⑦.⓪.⓪.①",
    "１２７.0.0.1",
    "127。0。0。1",
    "0",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "256.1.1.1",
    "1.2.3.4.5",
    "0x",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2001::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[4000::1]",
    "metadata.google.internal",
]


@pytest.mark.parametrize("host", FORBIDDEN_HOSTS)
def test_a_forbidden_host_is_refused_in_every_spelling(host):
    with pytest.raises(AddressForbidden):
        refuse_forbidden_host(f"https://{host}/hook", NOTHING)


def test_the_name_of_this_machine_is_refused():
    with pytest.raises(AddressForbidden):
        refuse_forbidden_host(f"https://{socket.gethostname()}/hook", NOTHING)


@pytest.mark.parametrize(
    "host", ["hooks.example.com", "8.8.8.8", "8.8.8.8:8443", "[2606:4700::1111]", "xn--bcher-kva.example", "1.example"]
)
def test_a_public_host_is_accepted(host):
    refuse_forbidden_host(f"https://{host}/hook", NOTHING)


def test_the_allow_list_opens_networks_names_and_single_ports():
    opened = AllowList(("10.1.0.0/16", "hooks.localhost:8443", "127.0.0.1:9443"))
    refuse_forbidden_host("https://10.1.2.3/", opened)
    refuse_forbidden_host("https://hooks.localhost:8443/", opened)
    refuse_forbidden_host("https://127.0.0.1:9443/", opened)
    for closed in ("10.2.0.1", "hooks.localhost", "127.0.0.1", "127.0.0.1:9444"):
        with pytest.raises(AddressForbidden):
            refuse_forbidden_host(f"https://{closed}/", opened)


def test_a_name_that_was_opened_without_a_port_is_open_on_every_one_and_no_other_name_is():
    opened = AllowList(("hooks.localhost",))
    for port in ("", ":8443", ":80"):
        refuse_forbidden_host(f"https://hooks.localhost{port}/", opened)
    for closed in ("other.localhost", "a.hooks.localhost"):
        with pytest.raises(AddressForbidden):
            refuse_forbidden_host(f"https://{closed}/", opened)


def test_a_trial_account_may_use_loopback_and_nothing_else():
    for host in ("localhost", "127.0.0.1", "[::1]", "127.1"):
        refuse_forbidden_host(f"https://{host}:9000/", LOOPBACK)
    for host in ("10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"):
        with pytest.raises(AddressForbidden):
            refuse_forbidden_host(f"https://{host}/", LOOPBACK)


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "169.254.169.254"]
)
def test_an_address_that_a_name_led_to_is_judged_by_the_same_list(text):
    with pytest.raises(AddressForbidden):
        refuse_forbidden_address(ip_address(text), 443, NOTHING)
    refuse_forbidden_address(ip_address("1.1.1.1"), 443, NOTHING)
