"""One score for one question: did a living person stand before the camera?

The challenge is the gate: failing any part of it leaves a score of `BELOW` at most, whatever single pictures say. When
it was passed, single pictures can still refuse what looks like a screen or a sheet, since a recorded video might have
followed the steps by chance. Without a challenge (a still selfie) the score is that of single pictures, and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truename.rules.evidence import LivenessEvidence, Quality, QualityReason
from truename.rules.liveness_signs import LivenessSign
from truename.rules.strangers import ANCHOR_SCORE
from truename.vision.captures import FaceTemplate, Frame, Picture, Step
from truename.vision.face.compare import curve
from truename.vision.face.detect import Face
from truename.vision.face.embed import cosine, mean_template
from truename.vision.liveness.challenge import ChallengeScore, score_challenge, straightest
from truename.vision.liveness.frame_quality import quality_of
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.passive import PassiveScore, score_passive
from truename.vision.liveness.repeats import find_repeats
from truename.vision.liveness.views import View, shows_another_person, view_all

PASSIVE_VIEWS: Final = 3
"""Single pictures that are judged: the straightest ones; the middle score counts."""
CANDIDATE_VIEWS: Final = 6
TEMPLATE_VIEWS: Final = 3
"""Of so many straight frames, so many make the template. Three separate selfies instead of one took refused genuine
pairs from 4.9 to 3.9 %; frames of one sequence differ less, so that more of them add little."""
BELOW: Final = 0.6
"""The most that a failed challenge or copied frames leave."""


@dataclass(frozen=True)
class LivenessScore:
    """The evidence, and the live face that comparisons should use."""

    evidence: LivenessEvidence
    view: View | None
    """The straightest frame, with its face, its mesh and (made once) its template."""
    views: tuple[View, ...] = ()
    """The straightest frames, best first, of which the sharpest make the template."""

    @property
    def best(self) -> Picture | None:
        """The picture of that frame."""
        return self.view.picture if self.view else None

    @property
    def face(self) -> Face | None:
        """The face in it."""
        return self.view.face if self.view else None

    def template(self) -> FaceTemplate | None:
        """The live face as numbers: the mean over the sharpest of the straight frames.

        Only frames that would themselves match the straightest one count: a sequence that showed two people must not
        yield a template that resembles both.
        """
        if self.view is None:
            return None
        first = self.view.template
        same = curve().cosine_at(ANCHOR_SCORE)
        others = sorted(self.views, key=lambda one: -(quality_of(one).sharpness or 0.0))
        agreeing = [one.template for one in others if one is not self.view and cosine(first, one.template) >= same]
        return mean_template([first, *agreeing[: TEMPLATE_VIEWS - 1]])


def score_liveness(
    frames: Sequence[Frame], pictures: Sequence[Picture], challenge: tuple[Step, ...] = ()
) -> LivenessScore:
    """Judge all frames of a capture; `pictures` are the frames' decoded images, in their order."""
    return score_views(frames, pictures, view_all(frames, pictures), challenge)


def score_views(
    frames: Sequence[Frame],
    pictures: Sequence[Picture],
    seen: Sequence[View | QualityReason],
    challenge: tuple[Step, ...] = (),
) -> LivenessScore:
    """The same, of frames that were looked at: `seen` has what `view_all` made of each."""
    views = [one for one in seen if isinstance(one, View)]
    if not views:
        return _no_face(seen)
    repeats = find_repeats(frames, pictures, seen)
    followed = score_challenge(frames, seen, challenge) if challenge else None
    # Who was seen in a spoilt frame alone was not seen to live: comparisons rest on what was judged.
    straight = _straight_views(followed.views if followed else views)
    passive = score_passive([(one.picture, one.face) for one in straight[:PASSIVE_VIEWS]])
    best = straight[0]
    signs: list[LivenessSign] = [*passive.signs]
    if followed is None:
        signs.append(LivenessSign.NO_CHALLENGE)
        if shows_another_person(seen):
            signs.append(LivenessSign.SEVERAL_FACES)
    else:
        signs += followed.signs
    if repeats.found:
        signs.append(LivenessSign.REPEATED_FRAMES)
    score, reason = _combined(followed, passive, repeats.found, LivenessSign.SEVERAL_FACES in signs)
    evidence = LivenessEvidence(
        score=score,
        reason=reason,
        passive_score=passive.score,
        challenge_score=followed.score if followed else None,
        signs=tuple(dict.fromkeys(signs)),
        quality=quality_of(best),
        light=followed.light.answer.value if followed and followed.light else None,
        steps=followed.steps if followed else (),
    )
    return LivenessScore(evidence, best, tuple(straight))


def _combined(
    followed: ChallengeScore | None, passive: PassiveScore, repeated: bool, several: bool
) -> tuple[float, str | None]:
    """The score, and what speaks against it most. How high it must be is for the config to say."""
    if followed is None:
        score = min(passive.score, BELOW) if repeated or several else passive.score
        return score, "SPOOF_SIGNS" if passive.signs or repeated else "SEVERAL_FACES" if several else "NO_CHALLENGE"
    if not followed.passed:
        return min(BELOW, followed.score, passive.score), "CHALLENGE_FAILED"
    if repeated:
        return min(BELOW, passive.score), "SPOOF_SIGNS"
    return min(followed.score, passive.after_challenge), "SPOOF_SIGNS" if passive.signs else None


def _straight_views(views: Sequence[View]) -> list[View]:
    """The straightest views, best first; none under coloured light, unless there are no others."""
    left = [one for one in views if one.step not in COLOURS] or list(views)
    chosen: list[View] = []
    while left and len(chosen) < CANDIDATE_VIEWS:
        one = straightest(left)
        assert one is not None  # noqa: S101  # nosec B101 - there are views left
        chosen.append(one)
        left.remove(one)
    return chosen


def _no_face(seen: Sequence[View | QualityReason]) -> LivenessScore:
    several = any(one is QualityReason.SEVERAL_FACES for one in seen)
    reason = QualityReason.SEVERAL_FACES if several else QualityReason.NO_FACE
    evidence = LivenessEvidence(
        score=0.0,
        reason=str(reason),
        signs=(LivenessSign.SEVERAL_FACES,) if several else (),
        quality=Quality(reasons=(reason,)),
    )
    return LivenessScore(evidence, None)
