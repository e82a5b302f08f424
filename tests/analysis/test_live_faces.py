"""What an analysis of a live face keeps: a template, pictures that can be read, and nothing twice after a crash."""

from dataclasses import replace

import pytest

from tests.support.analyses import a_live_transaction, every_second_frame, row_of, run, status_of
from tests.support.api import CUSTOMER, TRANSACTION, problem
from tests.support.transactions import a_customer
from truename.analysis.replay import NothingToReplay, replay
from truename.plumbing.storage.objects import Objects


@pytest.fixture(scope="session")
def live_frames() -> list[tuple[bytes, str, int]]:
    """Every second frame of a living person's sequence: half the work, and enough for the threshold of `LENIENT`."""
    return every_second_frame()


@pytest.mark.slow
async def test_the_first_approval_enrols_the_live_face_and_the_next_is_compared_with_it(
    client, plumbing, an_account, live_frames
) -> None:
    customer = await a_customer(plumbing, an_account)
    first = await a_live_transaction(plumbing, an_account, customer, live_frames)
    await run(plumbing, an_account, first)
    assert await status_of(plumbing, an_account, first) == "APPROVED"
    shown = await (await client.get(f"{CUSTOMER}/{customer}")).json()
    assert (shown["reference_face"]["usable"], shown["reference_face"]["origin"]) == (True, "LIVENESS")

    second = await a_live_transaction(plumbing, an_account, customer, live_frames)
    await run(plumbing, an_account, second)
    shown = await (await client.get(f"{TRANSACTION}/{second}")).json()
    assert shown["status"] == "APPROVED", shown["issues"]
    assert shown["biometrics"]["comparisons"]["LIVENESS_AND_REFERENCE"]["score"] > 0.85
    assert shown["engine"]
    assert all(len(model["sha256"]) == 64 for model in shown["engine"])

    again = await replay(plumbing, second)
    assert again.same, again.differences


@pytest.mark.slow
async def test_pictures_can_be_read_audited_and_then_redacted(client, plumbing, an_account, live_frames) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_live_transaction(plumbing, an_account, customer, live_frames)
    await run(plumbing, an_account, one)
    shown = await (await client.get(f"{TRANSACTION}/{one}")).json()
    kinds = {picture["kind"] for picture in shown["media"]}
    assert {"LIVENESS_FRAME", "LIVENESS_FACE"} <= kinds
    picture = next(picture for picture in shown["media"] if picture["kind"] == "LIVENESS_FACE")
    answer = await client.get(f"{TRANSACTION}/{one}/media/{picture['media_id']}")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/jpeg")
    assert (await answer.read()).startswith(b"\xff\xd8\xff")
    audited = await row_of(plumbing, an_account, "audit_log", "action", "media.read")
    assert audited["subject"] == f"media:{picture['media_id']}"

    redacted = await (await client.post(f"{TRANSACTION}/{one}/redact")).json()
    assert redacted["biometrics"] is redacted["device"] is redacted["document"] is None
    assert all(picture["redacted"] for picture in redacted["media"])
    assert redacted["issues"] == shown["issues"]
    await problem(await client.get(f"{TRANSACTION}/{one}/media/{picture['media_id']}"), 410)
    with pytest.raises(NothingToReplay):
        await replay(plumbing, one)


class FailingOnce(Objects):
    """A store whose third writing fails, as a full disk would."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.writings = 0

    async def put(self, key: str, data: bytes) -> None:
        self.writings += 1
        if self.writings == 1:
            raise OSError("No space left on device")
        await super().put(key, data)


@pytest.mark.slow
async def test_after_a_crash_the_analysis_repeats_safely(plumbing, an_account, live_frames) -> None:
    customer = await a_customer(plumbing, an_account)
    one = await a_live_transaction(plumbing, an_account, customer, live_frames)
    before = await row_of(plumbing, an_account, "customers", "customer_id", customer)
    failing = replace(plumbing, objects=FailingOnce(plumbing.settings.media_url))
    with pytest.raises(OSError, match="No space"):
        await run(failing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "PROCESSING"
    assert await row_of(plumbing, an_account, "customers", "customer_id", customer) == before
    await run(failing, an_account, one)
    assert await status_of(plumbing, an_account, one) == "APPROVED"
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute("SELECT count(*) AS many FROM faces WHERE transaction_id = %s", (one,))
        row = await cursor.fetchone()
    assert row is not None
    assert row["many"] == 1
