"""Regular work for many: what is wrong with one keeps nobody waiting, and is told all the same."""

import pytest

from truename.plumbing.jobs.apart import each_apart
from truename.plumbing.jobs.registry import Retry
from truename.plumbing.storage.objects import StorageUnavailable


async def test_all_are_tried_and_the_first_fault_is_told_in_the_end():
    """Were it told nobody, the task would call itself done while an account is passed over at every round."""
    tried = []

    async def work(item):
        tried.append(item)
        if item in ("b", "d"):
            raise ValueError(item)

    with pytest.raises(ValueError, match="b"):
        await each_apart("abcde", work)
    assert tried == list("abcde")


async def test_an_outage_is_told_at_once_since_it_would_meet_them_all():
    tried = []

    async def work(item):
        tried.append(item)
        raise StorageUnavailable(item)

    with pytest.raises(StorageUnavailable):
        await each_apart("abc", work)
    assert tried == ["a"]


async def test_an_outage_is_told_also_where_something_else_was_wrong_before():
    async def work(item):
        raise ValueError(item) if item == "a" else StorageUnavailable(item)

    with pytest.raises(StorageUnavailable):
        await each_apart("ab", work)


def test_a_job_is_tried_five_times_at_growing_distances():
    retry = Retry()
    assert [retry.wait_after(attempt) for attempt in range(1, retry.attempts)] == [2, 8, 32, 128]
