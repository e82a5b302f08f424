"""Parts of the page of a case that need no page: the film strip, the config as given."""

from uuid import UUID

import pytest
from pydantic import JsonValue

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction
from truename.dashboard.case.config import config_lines, given
from truename.dashboard.case.film import MOST_FRAMES, film_of, seen_words, spread
from truename.dashboard.case.model import Frame, Picture
from truename.dashboard.case.timeline import ATTEMPTED
from truename.operators.model import Role
from truename.rules.config import Config
from truename.rules.facts import SeenStep
from truename.webhooks.model import AttemptOutcome


def frames(count: int) -> list[Frame]:
    picture = Picture(UUID(int=1), "LIVENESS_FRAME", "Frame", 480, 640)
    return [Frame(picture, f"STEP_{place * 4 // count}", place * 100) for place in range(count)]


def step(number: int, to_ms: int, *, done: bool = True, **seen: float) -> SeenStep:
    return SeenStep(step=f"STEP_{number}", from_ms=0, to_ms=to_ms, done=done, **seen)


@pytest.mark.parametrize("count", [1, 2, 6, 12, 13, 40, 97])
def test_the_strip_has_at_most_twelve_frames_and_every_frame_that_was_judged(count):
    ends = sorted({(place + 1) * count // 4 * 100 - 100 for place in range(4)} - {-100})
    film = film_of(frames(count), [step(place, end) for place, end in enumerate(ends)])
    assert 1 <= len(film) <= MOST_FRAMES
    times = [still.at_ms for still in film]
    assert times == sorted(set(times))
    assert set(ends) <= set(times)
    assert {still.at_ms for still in film if still.mark} == set(ends)


def test_the_first_step_that_was_not_done_decides_and_is_named():
    film = film_of(frames(8), [step(0, 100), step(1, 300, done=False), step(2, 500, done=False), step(3, 700)])
    marks = {still.at_ms: still.mark for still in film if still.mark}
    assert marks == {100: "done", 300: "decided here: not done", 700: "done"}
    assert [still.asked for still in film][::2] == ["step 0", "step 1", "step 2", "step 3"]
    assert all(not still.mark and not still.seen for still in film_of(frames(8))), "a blind look is told nothing"


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ({}, "no face"),
        ({"seen_yaw": 2.0, "seen_pitch": -3.0, "seen_size": 1.02}, "straight"),
        ({"seen_yaw": 24.4, "seen_pitch": 0.0, "seen_size": 1.0}, "24° left"),
        ({"seen_yaw": -12.0, "seen_pitch": 9.6, "seen_size": 1.4}, "12° right, 10° up, nearer, 1.40 ×"),
    ],
)
def test_what_was_seen_is_said_in_words(seen, words):
    assert seen_words(step(0, 0, **seen)) == words


def test_frames_are_spread_from_the_first_to_the_last():
    assert spread(3, 12) == [0, 1, 2]
    assert spread(100, 3) == [0, 50, 99] or spread(100, 3) == [0, 49, 99]


def test_each_field_says_whether_it_was_sent_or_is_the_accounts_or_nobodys():
    sent: dict[str, JsonValue] = {
        "biometric_policy": {"face_comparison_min_score": 0.9},
        "webhook": {"url": "https://shop.example/x?key=1"},
    }
    effective = Config.model_validate(
        {"biometric_policy": {"face_comparison_min_score": 0.9, "liveness_min_score": 0.8}, "webhook": sent["webhook"]}
    ).model_dump(mode="json")
    lines = {line.pointer: line for line in config_lines(effective, sent)}
    assert lines["/biometric_policy/face_comparison_min_score"].origin == "sent"
    assert lines["/biometric_policy/liveness_min_score"].origin == "account's default policy"
    assert {line.origin for line in lines.values() if line.is_default} == {"default"}
    assert lines["/webhook/url"].value == "https://shop.example/x?…"
    shown = given(sent)
    assert shown is not None
    assert ("key=1" in shown, "0.9" in shown) == (False, True)
    assert given(None) is None
    assert {line.origin for line in config_lines(effective, None)} == {""}, "not kept, so not claimed"


async def test_fields_that_have_their_default_say_who_gave_it_too(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    config = {"transaction_ttl_minutes": 1440}
    made = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account), config=config)
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(f"/dashboard/transactions/{made}"))[1]
    assert '<code>/transaction_ttl_minutes</code></dt><dd>1440 <span class="fine">sent</span>' in page
    assert '<dd>0.85 <span class="fine">default</span>' in page


def test_a_list_of_thousands_has_a_hundred_lines_of_its_own():
    """Of 4,300 documents, which fit into a config, the page was 4.3 MB long, and nobody else was answered meanwhile."""
    listed = [{"country": "DE", "type": "PASSPORT", "allow_expired": False} for _ in range(4300)]
    config: dict[str, JsonValue] = {
        "document_policy": {"document_eligibility": {"filter_mode": "ALLOW", "target_documents": listed}}  # type: ignore[dict-item]
    }
    pointer = "/document_policy/document_eligibility/target_documents"
    shown = [line for line in config_lines(config, config) if line.pointer.startswith(pointer)]
    assert len(shown) == 100 * 3 + 1
    assert (shown[-1].pointer, shown[-1].value, shown[-1].origin) == (f"{pointer}/…", "and 4,200 more", "sent")


def test_the_timeline_has_words_for_whatever_can_come_of_an_attempt():
    assert set(ATTEMPTED) == {str(outcome) for outcome in AttemptOutcome}
