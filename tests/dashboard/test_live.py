"""Changes reach every open browser by one stream, or are asked for."""

import asyncio
import json

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction, submitted
from tests.support.waiting import until
from truename.dashboard.live import STREAMS, Mark
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


async def test_one_operator_cannot_take_every_connection(plumbing, live_server, an_account):
    ana, bea = [await an_operator(plumbing, {an_account.account_id: Role.VIEWER}) for _ in range(2)]
    async with signed_in(plumbing, live_server, ana) as desk, signed_in(plumbing, live_server, bea) as other:
        streams = await asyncio.gather(*(desk.http.get("/dashboard/live") for _ in range(STREAMS + 3)))
        assert sorted(stream.status for stream in streams) == [200] * STREAMS + [429] * 3
        async with desk.http.head("/dashboard/live") as answer:
            assert answer.status == 200
        async with other.http.get("/dashboard/live") as stream:
            assert stream.status == 200
        for stream in streams:
            stream.close()

        async def has_room() -> bool:
            async with desk.http.get("/dashboard/live") as stream:
                return stream.status == 200

        await until(has_room)  # who leaves gives the place back


async def _since(plumbing, address, operator, after):
    async with signed_in(plumbing, address, operator) as desk:
        status, text = await desk.get(f"/dashboard/live/since?after={after}")
        return status, json.loads(text)


def test_a_mark_that_is_none_of_ours_begins_anew():
    for text in ("", "1", "1.2.3", "x.1", "١.1", "1." + "9" * 16, "1." + "9" * 15, "-1.5"):
        assert Mark.of(text) is None
