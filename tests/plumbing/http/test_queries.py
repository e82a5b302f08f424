"""Is an address read as strictly as a body, and with no more work than one of ours needs?"""

from starlette.requests import Request

from truename.plumbing.http.queries import Query
from truename.rules.faults import MOST_FAULTS, MOST_GUESSES


def asked(query: str) -> Request:
    return Request({"type": "http", "headers": [], "query_string": query.encode()})


def test_parameters_without_number_are_not_looked_at_one_by_one():
    """Sixteen thousand fit into a head; to guess what each may have meant took half a second of the event loop."""
    found = Query(asked("&".join(f"limi{number:x}" for number in range(MOST_FAULTS + 1))), ("limit", "cursor"))
    assert [(fault.pointer, fault.code) for fault in found.faults] == [("", "too_many_faults")]


def test_only_of_some_misspelt_parameters_it_is_guessed_what_they_mean():
    found = Query(asked("&".join(f"limi{number:x}" for number in range(100))), ("limit", "cursor"))
    guessed = [fault for fault in found.faults if "Did you mean limit?" in fault.detail]
    assert (len(found.faults), len(guessed)) == (100, MOST_GUESSES)


def test_a_misspelt_parameter_is_told_which_one_was_meant_and_a_second_one_that_it_is():
    found = Query(asked("limt=5&cursor=a&cursor=b"), ("limit", "cursor"))
    assert [(fault.pointer, fault.code) for fault in found.faults] == [
        ("/limt", "parameter_unknown"),
        ("/cursor", "parameter_repeated"),
    ]
    assert found.faults[0].detail == "There is no such parameter. Did you mean limit?"
