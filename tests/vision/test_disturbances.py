"""One bad frame, or another light, costs an honest person nothing; what lasts is still refused.

`python -m benchmarks.disturbances` counts how often each of many disturbances refuses whom.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import cv2
import numpy as np
import pytest
from benchmarks.disturbances import NOTHING, measure
from benchmarks.disturbed_frames import DISTURBANCES, Shot, at_the_edge, out_of_focus

from tests.support import faces
from tests.support.looks import ACCEPTED, views_of
from tests.support.strangers import another_person
from truename.capture.challenge import with_colours
from truename.rules.evidence import QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.sandbox.drawing.heads import head_recording
from truename.vision.captures import Frame, Picture, Step
from truename.vision.decoding.pixels import decode
from truename.vision.face.compare import compare
from truename.vision.images import encode_jpeg
from truename.vision.liveness.challenge import ChallengeScore, score_challenge
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.score import score_views
from truename.vision.liveness.spoilt import without_spoilt
from truename.vision.liveness.targets import AIMS
from truename.vision.liveness.views import View


def shots_of(frames: Sequence[Frame]) -> list[Shot]:
    seen = views_of(frames)
    return [Shot(frame.step, frame.at_ms, decode(frame.image), one) for frame, one in zip(frames, seen, strict=True)]


def with_change(change: Callable[[Shot, Random], Picture], *places: int) -> list[Frame]:
    """A living person's frames, some of them changed."""
    frames = list(faces.a_live_sequence())
    for place in places:
        shot = shots_of(frames[place : place + 1])[0]
        made = np.ascontiguousarray(change(shot, Random(place)))
        frames[place] = replace(frames[place], image=encode_jpeg(made, 95))
    return frames


def followed(frames: Sequence[Frame]) -> ChallengeScore:
    return score_challenge(frames, views_of(frames), faces.CHALLENGE)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "place"), [(out_of_focus, 19), (at_the_edge, 18)])
def test_one_frame_that_is_smeared_or_half_outside_is_left_out(change: Callable[[Shot, Random], Picture], place: int):
    """What the networks say of such a frame is chance: here a nose that points elsewhere, and so a jump."""
    frames = with_change(change, place)
    assert followed(frames).passed
    left = [number for number, one in enumerate(without_spoilt(views_of(frames))) if not isinstance(one, View)]
    assert left == [place]


@pytest.mark.slow
def test_a_smeared_frame_that_shows_the_head_on_its_way_stays_where_another_is_left_out():
    """Of two spoilt frames only the second one is measured wrong; the first one is the only one of its way."""
    frames = with_change(out_of_focus, 9, 19)
    assert [number for number, one in enumerate(without_spoilt(views_of(frames))) if not isinstance(one, View)] == [
        9,
        19,
    ]
    assert LivenessSign.JUMP in followed(with_change(at_the_edge, 9)).signs
    assert followed(frames).passed


@pytest.mark.slow
def test_a_recording_that_is_soft_throughout_has_no_spoilt_frame():
    frames = with_change(out_of_focus, *range(6))[:6]
    seen = views_of(frames)
    assert all(isinstance(one, View) for one in seen)
    assert without_spoilt(seen) == seen


@pytest.mark.slow
def test_what_is_left_without_spoilt_frames_must_show_every_step():
    """Whoever blurs the frames of a step has left them out."""
    frames = list(faces.a_live_sequence())
    fourth = [number for number, frame in enumerate(frames) if frame.step is faces.CHALLENGE[4]]
    assert LivenessSign.STEP_NOT_DONE in followed([*frames[: fourth[0]], *frames[fourth[-1] :]]).signs
    assert not followed(with_change(at_the_edge, *fourth)).passed


@pytest.mark.slow
def test_whoever_is_seen_in_a_smeared_frame_alone_is_not_the_live_face():
    """Else one smeared picture of somebody else, who looks straightest of all, would be compared with the document."""
    frames = list(faces.a_live_sequence())
    smeared = cv2.GaussianBlur(faces.framed_still(another_person()), (0, 0), 2.0)
    frames[1] = replace(frames[1], image=encode_jpeg(np.asarray(smeared, np.uint8), 95))
    seen = []
    for number, one in enumerate(views_of(frames)):
        assert isinstance(one, View)
        aside = 4.0 if number != 1 else -one.yaw  # all others look past the camera by a little
        pose = replace(one.mesh.pose, yaw=one.yaw + aside)
        moved = replace(one, mesh=replace(one.mesh, pose=pose))
        vars(moved)["template"] = one.template
        seen.append(moved)
    judged = score_views(frames, [decode(frame.image) for frame in frames], seen, faces.CHALLENGE)
    assert judged.evidence.score >= ACCEPTED, "the smeared frame is left out"
    template = judged.template()
    assert template is not None
    assert (compare(template, seen[1].template).score or 0.0) < 0.5
    assert (compare(template, seen[2].template).score or 0.0) > 0.95
    assert judged.view is not None
    assert 1 not in {one.number for one in (judged.view, *judged.views)}


Sent = tuple[list[Frame], list[View | QualityReason]]
LIT = with_colours(faces.CHALLENGE, (Step.LIGHT_RED, Step.LIGHT_CYAN, Step.LIGHT_BLUE, Step.LIGHT_YELLOW))


@pytest.fixture(scope="module")
def sent() -> Sent:
    """What the page sends of a head that follows a challenge with colours, and what is seen in it."""
    frames = head_recording(LIT, 3, 0.38, size=(360, 480))
    seen = views_of(frames)
    assert score_challenge(frames, seen, LIT).passed
    return frames, seen


def without(sent: Sent, *lost: int) -> Sent:
    """The recording as if these frames had never come."""
    frames, seen = sent
    kept = [at for at in range(len(frames)) if at not in lost]
    return [frames[at] for at in kept], [seen[at] for at in kept]


@pytest.mark.slow
def test_any_one_frame_of_a_target_or_under_a_colour_may_be_lost(sent: Sent):
    """The page records two frames on each long way, so that one that is lost is not taken for a cut.

    Where one is lost at the end of the way, the step ends where the other one is.
    """
    frames, _ = sent
    targets = [at for at, frame in enumerate(frames) if frame.step in AIMS]
    colours = [at for at, frame in enumerate(frames) if frame.step in COLOURS]
    assert len(colours) == 8
    for lost in (*targets, *colours[::3]):
        assert score_challenge(*without(sent, lost), LIT).passed, frames[lost].step


@pytest.mark.slow
def test_a_way_without_any_frame_and_two_colours_with_one_frame_each_are_refused(sent: Sent):
    frames, _ = sent
    last = [at for at, frame in enumerate(frames) if frame.step is LIT[-2]]
    assert len(last) == 4
    assert LivenessSign.JUMP in score_challenge(*without(sent, *last[:2]), LIT).signs
    red, cyan = (next(at for at, frame in enumerate(frames) if frame.step is step) for step in LIT[1:3])
    assert LivenessSign.STEP_NOT_DONE in score_challenge(*without(sent, red, cyan), LIT).signs


@pytest.mark.slow
def test_the_benchmark_judges_every_disturbance():
    found = measure(1, 1, False, None, [])
    assert set(found) == {NOTHING, *DISTURBANCES}
    assert all(len(of_one) == 1 for of_one in found.values())
