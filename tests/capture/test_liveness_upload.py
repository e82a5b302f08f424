"""The frames of a challenge over real HTTP: taken once, in order, and never again."""

import asyncio
import base64

import pytest

from tests.support import faces
from tests.support.replay_changes import lit_from_one_side, shades_bent
from tests.support.sdk import code_of, liveness_body, plain_frames
from tests.support.waiting import until
from truename.plumbing.database.ids import new_id
from truename.sandbox.drawing.heads import head_recording
from truename.vision.captures import Frame, Step
from truename.vision.decoding.pixels import decode
from truename.vision.images import encode_jpeg


async def test_the_frames_of_a_challenge_are_taken_once(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    _, challenge = await phone.challenge()
    frames = plain_frames([Step(step) for step in challenge["steps"]])
    assert await phone.liveness(challenge["nonce"], frames) == (
        200,
        {"usable": True, "reasons": [], "attempts_left": challenge["attempts_left"] - 1},
    )
    assert code_of(await phone.liveness(challenge["nonce"], frames)) == (409, "challenge_used")
    assert (await phone.session())[1]["progress"]["liveness"]["done"] is True


async def test_a_screen_that_can_show_colours_is_asked_to(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    assert (await phone.session())[1]["liveness"]["light"] is True
    _, plain = await phone.challenge()
    _, lit = await phone.call("POST", "/liveness/challenge", json={"light": True})
    assert [step.startswith("LIGHT_") for step in lit["steps"]] == [False, *[True] * 4, *[False] * 5]
    assert [step for step in lit["steps"] if not step.startswith("LIGHT_")] == plain["steps"]
    frames = plain_frames([Step(step) for step in lit["steps"]])
    assert (await phone.liveness(lit["nonce"], frames))[0] == 200


async def test_a_lost_answer_is_replayed_and_is_no_second_use(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    _, challenge = await phone.challenge()
    frames = plain_frames([Step(step) for step in challenge["steps"]])
    key = {"Idempotency-Key": "frames-1"}
    answers = [await phone.liveness(challenge["nonce"], frames, headers=key) for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0][0] == 200


WAITING = """
WITH waiting AS (SELECT pid, pg_blocking_pids(pid) AS behind FROM pg_locks WHERE NOT granted),
     first AS (SELECT pid FROM waiting WHERE pg_backend_pid() = ANY (behind))
SELECT count(DISTINCT pid) AS n FROM waiting
WHERE pg_backend_pid() = ANY (behind) OR behind && ARRAY(SELECT pid FROM first)
"""  # not pg_stat_activity, which stays as it was first seen until the end of a transaction


async def test_frames_that_are_sent_again_while_they_are_being_kept_get_the_same_answer(opened, plumbing):
    phone, made = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    await phone.device()
    _, challenge = await phone.challenge()
    frames, key = plain_frames([Step(step) for step in challenge["steps"]]), {"Idempotency-Key": "frames-1"}

    def waiting(so_many):
        """So many sessions wait for the one in `held`, or for one that does: others of the database do not count."""

        async def found():
            row = await (await held.execute(WAITING)).fetchone()
            return row["n"] >= so_many

        return found

    async with plumbing.database.system() as held:
        # What the first has to write after it has used the challenge, so that it cannot commit before we let it.
        await held.execute("SELECT FROM device_signals WHERE transaction_id = %s FOR UPDATE", (made["transaction_id"],))
        first = asyncio.create_task(phone.liveness(challenge["nonce"], frames, headers=key))
        await until(waiting(1), 30)
        second = asyncio.create_task(phone.liveness(challenge["nonce"], frames, headers=key))
        await until(waiting(2), 30)
    assert (await first)[0] == 200
    assert await second == await first


@pytest.mark.slow
async def test_frames_sent_before_are_known_again_in_another_transaction(opened):
    first, made = await opened("BIOMETRIC_ONLY")
    await first.consent()
    _, challenge = await first.challenge()
    frames = plain_frames([Step(step) for step in challenge["steps"]])
    assert (await first.liveness(challenge["nonce"], frames))[0] == 200
    for customer_id in (made["customer_id"], None):
        phone, _ = await opened("BIOMETRIC_ONLY", customer_id=customer_id)
        await phone.consent()
        _, again = await phone.challenge()
        asked = [Step(step) for step in again["steps"] for _ in range(2)]
        relabelled = [Frame(frame.image, step, frame.at_ms) for frame, step in zip(frames, asked, strict=True)]
        assert code_of(await phone.liveness(again["nonce"], relabelled)) == (400, "frames_repeated")
        assert (await phone.session())[1]["progress"]["liveness"]["done"] is False


@pytest.mark.slow
async def test_a_recording_that_was_changed_is_known_again_and_another_take_is_welcome(opened):
    def filmed(seed):
        return [decode(frame.image) for frame in head_recording(faces.TURNS, seed, 0.38, size=(300, 400))]

    def answer(steps, pictures):
        return [
            Frame(encode_jpeg(one, 85), Step(steps[at * len(steps) // len(pictures)]), 10 * at)
            for at, one in enumerate(pictures)
        ]

    def upside_down(picture):
        return lit_from_one_side(shades_bent(1.6)(picture[::-1, ::-1].copy()))

    customer_id, first = None, filmed(1)
    for name, pictures, welcome in (
        ("the first", first, True),
        ("cut by four pixels", [picture[4:-4, 4:-4] for picture in first], False),
        ("another take", filmed(2), True),
        ("the first again, upside down and in another light", [upside_down(picture) for picture in first], False),
    ):
        phone, made = await opened("BIOMETRIC_ONLY", customer_id=customer_id)
        customer_id = made["customer_id"]
        await phone.consent()
        _, challenge = await phone.challenge()
        status, told = await phone.liveness(challenge["nonce"], answer(challenge["steps"], pictures))
        assert (status == 200) is welcome, (name, told)
        assert welcome or told["code"] == "frames_repeated"


async def test_a_foreign_unknown_voided_or_late_nonce_is_refused(opened, plumbing, an_account):
    phone, _ = await opened("BIOMETRIC_ONLY")
    other, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    await other.consent()
    _, foreign = await other.challenge()
    frames = plain_frames([Step(step) for step in foreign["steps"]])
    assert code_of(await phone.liveness(foreign["nonce"], frames)) == (409, "challenge_unknown")
    assert code_of(await phone.liveness("forged", frames)) == (409, "challenge_unknown")
    _, voided = await phone.challenge()
    _, late = await phone.challenge()
    assert code_of(await phone.liveness(voided["nonce"], frames)) == (409, "challenge_expired")
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE challenges SET expires_at = clock_timestamp()")
    assert code_of(await phone.liveness(late["nonce"], frames)) == (409, "challenge_expired")


async def test_consent_names_a_text_that_was_really_shown(opened):
    phone, _ = await opened()
    body = {"given": True, "text_version": "1999-01", "language": "en"}
    status, refused = await phone.call("POST", "/consent", json=body)
    assert (status, refused["errors"][0]["code"]) == (400, "consent_text_unknown")
    assert (await phone.session())[1]["consent"]["given"] is None


async def test_frames_out_of_order_or_incomplete_are_refused_without_spending_the_nonce(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    _, challenge = await phone.challenge()
    frames = plain_frames([Step(step) for step in challenge["steps"]], each=3)
    assert code_of(await phone.liveness(challenge["nonce"], frames[::-1])) == (400, "frames_out_of_order")
    missing = [frame for frame in frames if frame.step != challenge["steps"][-1]]
    assert code_of(await phone.liveness(challenge["nonce"], missing)) == (400, "frames_missing_step")
    body = liveness_body(challenge["nonce"], frames)
    body["frames"][2]["image"] = base64.b64encode(b"no picture").decode()
    assert code_of(await phone.call("POST", "/liveness", json=body)) == (400, "invalid_image")
    assert (await phone.liveness(challenge["nonce"], frames))[0] == 200


async def test_attempts_are_capped_for_the_transaction_and_for_the_customer(opened, plumbing, an_account):
    phone, made = await opened("BIOMETRIC_ONLY")
    await phone.consent()

    async def add_attempts(count, transaction_id):
        async with plumbing.database.account(an_account.account_id) as connection:
            for _ in range(count):
                await connection.execute(
                    "INSERT INTO biometric_attempts (attempt_id, account_id, customer_id, transaction_id) "
                    "VALUES (%s, %s, %s, %s)",
                    (new_id(), an_account.account_id, made["customer_id"], transaction_id),
                )

    await add_attempts(5, made["transaction_id"])
    assert code_of(await phone.challenge()) == (429, "too_many_attempts")
    second, again = await opened("BIOMETRIC_ONLY", customer_id=made["customer_id"])
    await second.consent()
    assert (await second.challenge())[1]["attempts_left"] == 5
    await add_attempts(4, again["transaction_id"])
    assert (await second.challenge())[1]["attempts_left"] == 1
    await add_attempts(1, again["transaction_id"])
    third, _ = await opened("BIOMETRIC_ONLY", customer_id=made["customer_id"])
    await third.consent()
    assert code_of(await third.challenge()) == (429, "too_many_attempts")


async def test_nobody_draws_challenges_until_a_fitting_one_comes(opened):
    phone, _ = await opened("BIOMETRIC_ONLY")
    await phone.consent()
    answers = [await phone.challenge() for _ in range(13)]
    assert len({tuple(answer["steps"]) for _, answer in answers[:12]}) == 1, "a reload is no new draw"
    assert [status for status, _ in answers[:12]] == [201] * 12
    assert code_of(answers[12]) == (429, "too_many_attempts")
