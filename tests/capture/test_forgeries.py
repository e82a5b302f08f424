"""A thousand forged or replayed liveness submissions, and tokens that must not work: none is accepted."""

import asyncio
import itertools
import random
import secrets
from datetime import UTC, datetime, timedelta

import aiohttp
import orjson
import pytest

from tests.support.api import a_transaction
from tests.support.sdk import Phone, plain_frames
from truename.accounts.tokens import issue_sdk_token
from truename.plumbing import clock
from truename.vision.captures import Frame, Step

pytestmark = pytest.mark.slow

MANY = 1000


async def a_phone(client, outside):
    made = await a_transaction(client, "BIOMETRIC_ONLY")
    phone = Phone(outside, made["sdk_token"])
    await phone.consent()
    await phone.device()
    return phone, made


@pytest.fixture
async def outside(live_server):
    def quickly(body: object) -> str:
        return orjson.dumps(body).decode()  # thousands of frames are written; the library's own takes ten times as long

    async with aiohttp.ClientSession(live_server, json_serialize=quickly) as session:
        yield session


async def test_of_a_thousand_forged_or_replayed_submissions_none_is_accepted(client, outside, plumbing, an_account):
    chance = random.Random(7)
    honest, _ = await a_phone(client, outside)
    _, spent = await honest.challenge()
    recorded = plain_frames(
        [Step(step) for step in spent["steps"]], quality=40
    )  # small: they are sent a thousand times
    assert (await honest.liveness(spent["nonce"], recorded))[0] == 200
    attacker, _ = await a_phone(client, outside)
    _, voided = await attacker.challenge()
    _, open_one = await attacker.challenge()
    asked = [Step(step) for step in open_one["steps"]]

    def relabelled(steps, every=100):
        """The recorded frames under whatever steps are wanted."""
        labels = itertools.chain.from_iterable((step, step) for step in steps)
        return [
            Frame(frame.image, step, number * every)
            for number, (frame, step) in enumerate(zip(recorded, labels, strict=False))
        ]

    def forged():
        """One way of many to answer without a living person."""
        others = [list(order) for order in itertools.permutations(asked) if list(order) != asked]
        return chance.choice(
            [
                (spent["nonce"], recorded),  # the recording as it was sent
                (spent["nonce"], relabelled(asked)),
                (secrets.token_urlsafe(32), relabelled(asked)),  # a nonce of one's own
                (voided["nonce"], relabelled(asked)),  # one that was voided
                (open_one["nonce"][:-1], relabelled(asked)),
                (open_one["nonce"], relabelled(chance.choice(others))),  # steps in another order
                (open_one["nonce"], relabelled(asked)[:-2] * 1),  # a step left out
                (open_one["nonce"], relabelled(asked)[::-1]),  # time running backwards
                (open_one["nonce"], relabelled(asked, every=60_000)),  # from the future
                (open_one["nonce"], [Frame(recorded[0].image, step, 0) for step in asked for _ in range(2)]),
            ]
        )

    accepted = 0
    for batch in range(MANY // 10):
        answers = await asyncio.gather(*(attacker.liveness(*forged()) for _ in range(10)))
        accepted += sum(status == 200 for status, _ in answers)
        refused = {status for status, _ in answers}
        assert refused <= {400, 409}, (batch, answers)
        async with plumbing.database.account(an_account.account_id) as connection:
            await connection.execute("DELETE FROM rate_limits")  # so that each is judged by what it says
    assert accepted == 0

    # The best an attacker can do: the whole recording, in the order that the server asks for now, under its own nonce.
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("DELETE FROM rate_limits")
    for _ in range(4):
        _, fresh = await attacker.challenge()
        status, answer = await attacker.liveness(fresh["nonce"], relabelled([Step(step) for step in fresh["steps"]]))
        assert (status, answer["code"]) == (400, "frames_repeated")
    session = (await attacker.session())[1]
    assert session["progress"]["liveness"]["done"] is False


async def test_no_token_works_for_another_transaction_or_past_its_second_or_after_submission(
    client, outside, plumbing, an_account, another_account
):
    phone, made = await a_phone(client, outside)
    other, _ = await a_phone(client, outside)
    _, challenge = await phone.challenge()
    frames = plain_frames([Step(step) for step in challenge["steps"]])
    assert (await other.liveness(challenge["nonce"], frames))[0] == 409

    foreign = await issue_sdk_token(
        plumbing, another_account.account_id, made["transaction_id"], datetime.now(UTC) + timedelta(hours=1)
    )
    assert (await Phone(outside, foreign).session())[0] == 401

    this_second = clock.now().replace(microsecond=0)
    for ends, status in ((this_second + timedelta(hours=1), 200), (this_second, 401)):
        own = await issue_sdk_token(plumbing, an_account.account_id, made["transaction_id"], ends)
        assert (await Phone(outside, own).status())[0] == status

    assert (await phone.liveness(challenge["nonce"], frames))[0] == 200
    assert (await phone.submit())[0] == 202
    for call in (phone.session, phone.challenge, phone.submit, phone.consent, phone.device):
        assert (await call())[0] == 409
    assert (await phone.liveness(challenge["nonce"], frames))[0] == 409
