"""Are new identifiers such as any library makes them?"""

import copy
import pickle
import time
from uuid import RFC_4122, UUID, SafeUUID

import pytest

from truename.plumbing.database.ids import id_text, new_id


def test_a_new_identifier_is_a_uuid_like_any_other():
    for _ in range(200):
        made = new_id()
        same = UUID(int=made.int)
        assert (made, hash(made), str(made), made.is_safe) == (same, hash(same), str(same), SafeUUID.unknown)
        assert (made.version, made.variant) == (7, RFC_4122)
        assert id_text(made) == str(made)
        assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    with pytest.raises(TypeError):
        made.int = 1  # type: ignore[misc]


def test_identifiers_of_later_milliseconds_are_larger_and_none_comes_twice():
    first = new_id()
    time.sleep(0.002)
    later = [new_id() for _ in range(1000)]
    assert all(one > first for one in later)
    assert len({*later}) == 1000
    assert abs((first.int >> 80) / 1000 - time.time()) < 60
