"""Changes reach every open browser by one stream, or are asked for."""

import asyncio
import json

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.dashboard.live import Mark
from truename.operators.model import Role


async def test_a_change_of_this_account_is_told_and_one_of_another_is_not(
    plumbing, live_server, an_account, another_account
):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    async with signed_in(plumbing, live_server, ana) as desk, desk.http.get("/dashboard/live") as stream:
        assert stream.content_type == "text/event-stream"
        while (await stream.content.readline()).strip() != b"event: ready":
            pass
        _, marked = await desk.get("/dashboard/live/since")
        mark = json.loads(marked)["after"]
        assert Mark.of(mark) is not None
        for account in (another_account, an_account):
            made = await a_transaction(plumbing, account, await a_customer(plumbing, account))
            await submitted(plumbing, account, made)
        while not (line := await asyncio.wait_for(stream.content.readline(), 20)).startswith(b'data: {"'):
            pass
        told = json.loads(line.removeprefix(b"data: "))
        asked = json.loads((await desk.get(f"/dashboard/live/since?after={mark}"))[1])
    for change in (told, asked):
        assert change["transactions"] == [str(made)]
        assert change["created"] == 1
    _, later = await _since(plumbing, live_server, ana, asked["after"])
    assert (later["transactions"], later["created"]) == ([], 0)


async def _since(plumbing, address, operator, after):
    async with signed_in(plumbing, address, operator) as desk:
        status, text = await desk.get(f"/dashboard/live/since?after={after}")
        return status, json.loads(text)


def test_a_mark_that_is_none_of_ours_begins_anew():
    for text in ("", "1", "1.2.3", "x.1", "١.1", "1." + "9" * 16, "1." + "9" * 15, "-1.5"):
        assert Mark.of(text) is None
