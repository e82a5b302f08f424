"""Does a benchmark that has a target say that it was missed? Its exit status goes by these."""

import pytest
from benchmarks.bombs import misses
from benchmarks.face_search import Cost, Searches

QUICK = Searches([], [0.010] * 100)
SLOW = Searches([], [0.060] * 100)


def a_cost(index: Searches = QUICK, recall: float = 1.0, hits_found: float = 1.0, false_hits: int = 0) -> Cost:
    return Cost(
        faces=10_000,
        exact=SLOW,
        index=index,
        enrolled_first=recall,
        all_first=0.5,
        hits_found=hits_found,
        hits=500,
        false_hits=false_hits,
        strangers=500,
        table_bytes=1,
        index_bytes=1,
        made_in=1,
    )


@pytest.mark.parametrize(
    ("cost", "missed"),
    [
        (a_cost(), 0),
        (a_cost(recall=0.98, hits_found=0.98, false_hits=5), 0),
        (a_cost(recall=0.979), 1),
        (a_cost(hits_found=0.979), 1),
        (a_cost(false_hits=6), 1),
        (a_cost(index=SLOW), 1),
        (a_cost(index=SLOW, recall=0.5, false_hits=100), 3),
    ],
)
def test_a_face_search_that_is_slow_or_misses_people_fails(cost: Cost, missed: int):
    assert len(cost.misses()) == missed


@pytest.mark.parametrize(
    ("beside_bombs", "statuses", "missed"),
    [
        ([0.1, 300.0, 301.0], {400, 413, 429, 503}, False),
        ([301.0, 301.1, 301.1], {400}, True),
        ([100.0], {400, 500}, True),
        ([100.0], {502}, True),
    ],
)
def test_an_upload_that_waits_long_beside_bombs_and_a_fault_of_ours_fail(beside_bombs, statuses, missed):
    took = {
        "nobody else": [90.0, 100.0, 110.0],
        "one busy process outside": [900.0],
        "20 bombs of one sender": beside_bombs,
    }
    assert misses(took, {"huge": statuses}) is missed
