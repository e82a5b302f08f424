"""Does a form take no more of the service than one of our own pages sends?"""

import aiohttp
import pytest
from starlette.requests import Request

from truename.accounts import token_endpoint
from truename.accounts.token_endpoint import TokenRefused
from truename.dashboard.forms import MOST_FIELDS, TYPE, read_form
from truename.plumbing.errors import Invalid
from truename.plumbing.http.turns import WHOLE_KEY


def sent(body: str) -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body.encode(), "more_body": False}

    return Request({"type": "http", "headers": [(b"content-type", TYPE.encode())], WHOLE_KEY: True}, receive)


async def test_a_form_has_no_more_fields_than_a_page_of_ours():
    """Of 87,000, which a stranger could send to the sign-in, each was read: half a second of the event loop."""
    form = await read_form(sent("&".join(["ids=a"] * MOST_FIELDS)))
    assert len(form.texts("ids")) == MOST_FIELDS
    with pytest.raises(Invalid, match="not a form"):
        await read_form(sent("&".join(["ids=a"] * (MOST_FIELDS + 1))))


async def test_what_asks_for_a_token_has_no_more_fields_than_oauth_knows():
    fields = [f"f{number}=1" for number in range(token_endpoint.MOST_FIELDS)]
    assert len(await token_endpoint.read_form(sent("&".join(fields)))) == token_endpoint.MOST_FIELDS
    with pytest.raises(TokenRefused):
        await token_endpoint.read_form(sent("&".join([*fields, "more=1"])))


@pytest.mark.parametrize("query", ["&".join(["a=1"] * 1001), "&" * 1000])
async def test_an_address_of_the_dashboard_with_a_thousand_parameters_is_none_of_ours(live_server, query):
    async with (
        aiohttp.ClientSession(live_server) as stranger,
        stranger.get(f"/dashboard/sign-in?{query}") as page,
    ):
        assert page.status == 404
