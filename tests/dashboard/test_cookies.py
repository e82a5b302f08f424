"""Are the dashboard's cookies read in one go, whatever a stranger sends for one?"""

import pytest
from starlette.requests import Request
from starlette.responses import Response

from truename.dashboard import cookies
from truename.dashboard.cookies import Cookie
from truename.plumbing.settings import Settings


def sent(*headers: str) -> Request:
    return Request({"type": "http", "headers": [(b"cookie", header.encode()) for header in headers]})


def test_no_escape_in_a_cookie_is_undone() -> None:
    """Python before 3.11.10 takes the square of the length for it: five seconds for a head full of them."""
    request = sent(r'truename-session="\141\x"')
    assert cookies.read(request, Settings.model_validate({}), Cookie.SESSION) == r"\141\x"


@pytest.mark.parametrize("value", ["abc", "a.b-c_d", "YWJjZA==", "redelivered.12", "a b", ""])
def test_a_cookie_is_read_as_it_was_put(value: str) -> None:
    answer = Response()
    cookies.put(answer, Settings.model_validate({}), Cookie.STEP, value)
    pair = answer.headers["set-cookie"].partition(";")[0]
    assert cookies.read(sent(f"other=1; {pair}; more=2"), Settings.model_validate({}), Cookie.STEP) == (value or None)


def test_of_two_cookies_of_one_name_the_last_counts() -> None:
    assert cookies.read(sent("truename-step=a; truename-step=b"), Settings.model_validate({}), Cookie.STEP) == "b"
    assert cookies.read(sent("truename-step=a", "x=1;truename-step=c"), Settings.model_validate({}), Cookie.STEP) == "c"
    assert cookies.read(sent("truename-steps=a; truename-step"), Settings.model_validate({}), Cookie.STEP) is None
