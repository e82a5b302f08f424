"""What the hash of a line and the proof of a head cover: everything, each by itself."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from truename.audit.chain import BEGINNING, head_mac, line_hash

KEY = bytes(range(32))
LINE: dict[str, Any] = {
    "account_id": UUID(int=1),
    "sequence": 7,
    "audit_id": UUID(int=2),
    "at": datetime(2026, 11, 19, 3, 4, 5, 678_901, UTC),
    "actor": "client:a",
    "action": "customer.read",
    "subject": "customer:b",
    "details": {"count": 1},
    "sealed_reason": b"sealed",
}
OTHERS = [
    ("account_id", UUID(int=3)),
    ("sequence", 8),
    ("audit_id", UUID(int=3)),
    ("at", LINE["at"] + timedelta(microseconds=1)),
    ("at", LINE["at"] + timedelta(hours=12)),
    ("at", LINE["at"] + timedelta(days=365)),
    ("actor", "client:b"),
    ("action", "customer.erased"),
    ("subject", "customer:a"),
    ("details", {"count": 2}),
    ("details", {}),
    ("sealed_reason", b"other"),
    ("sealed_reason", None),
]


@pytest.mark.parametrize(("name", "other"), OTHERS, ids=[f"{name} {number}" for number, (name, _) in enumerate(OTHERS)])
def test_whatever_is_stored_of_a_line_changes_its_hash(name, other):
    assert line_hash(KEY, BEGINNING, **LINE) != line_hash(KEY, BEGINNING, **{**LINE, name: other})


def test_a_hash_depends_on_the_key_and_on_all_that_came_before_and_on_no_zone_of_time():
    own = line_hash(KEY, BEGINNING, **LINE)
    assert own != line_hash(KEY, b"\x01" * 32, **LINE)
    assert own != line_hash(b"\x01" * 32, BEGINNING, **LINE)
    elsewhere = datetime.fromisoformat("2026-11-19T05:04:05.678901+02:00")
    assert own == line_hash(KEY, BEGINNING, **{**LINE, "at": elsewhere})


def test_the_head_of_a_chain_is_that_of_one_account_and_one_count_and_one_last_line():
    own = head_mac(KEY, UUID(int=1), 7, BEGINNING)
    others = [(UUID(int=2), 7, BEGINNING), (UUID(int=1), 8, BEGINNING), (UUID(int=1), 7, b"\x01" * 32)]
    assert own not in [head_mac(KEY, *other) for other in others]
    assert own != head_mac(b"\x01" * 32, UUID(int=1), 7, BEGINNING)
