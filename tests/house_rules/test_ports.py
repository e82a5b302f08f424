"""Ports of tests: an S3 server that was given one port twice never answered, and its test waited for ten minutes."""

from pathlib import Path

from tests.support.waiting import free_port

GIVEN_TO_CONNECTIONS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def test_no_port_is_given_twice_nor_one_that_a_connection_may_take_meanwhile():
    ports = [free_port() for _ in range(1000)]
    assert len(set(ports)) == len(ports)
    if GIVEN_TO_CONNECTIONS.exists():
        assert max(ports) < int(GIVEN_TO_CONNECTIONS.read_text().split()[0])
