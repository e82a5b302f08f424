"""Was the challenge followed, step by step, by one living head?

Every step must be seen in its own frames, in the order the server asked for, by the same person throughout, at a
pace that heads have, and turns must show the relief of a head (`parallax.py`). One failed requirement fails it all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

import numpy as np

from truename.rules.evidence import QualityReason, SeenStep
from truename.rules.liveness_signs import LivenessSign
from truename.vision.captures import Frame, Step
from truename.vision.liveness.aimed import (
    Baseline,
    baseline,
    goes_straight_there,
    is_aimed,
    judge_aim,
    judge_size,
    settled,
    ways_seen,
)
from truename.vision.liveness.cut_together import was_cut_together
from truename.vision.liveness.light import COLOURS, Light, LightAnswer, judge_light
from truename.vision.liveness.one_person import is_one_person
from truename.vision.liveness.outcome import Outcome, clear
from truename.vision.liveness.parallax import Relief, has_relief, head_stands_still, noses_stand_out, relief
from truename.vision.liveness.scenery import scene_moves_along
from truename.vision.liveness.spoilt import what_is_left
from truename.vision.liveness.targets import AIMS, SIZES
from truename.vision.liveness.views import View, measured_again, shows_another_person

MIN_FRAMES_PER_STEP: Final = 2
LOST_UNDER_COLOURS: Final = 1
"""Of the frames under colours, which are two each, so many may be lost: the light is judged by the others, and a head
that looks straight on has no way to be seen on."""
MIN_SEEN: Final = 0.7
"""At least this share of the frames must show a face that can be followed."""
STRAIGHT: Final = 15.0
"""Looking straight: yaw within this many degrees of the camera."""
TURNED: Final = 18.0
"""A turn: at least this many degrees from the straight view. A flat picture, tilted by up to 55°, read as 14° at most;
sheets bent to half a cylinder as 22° (they fail by their width)."""
TURN_TO_JUDGE: Final = 30.0
"""Relief is judged on the view nearest to this turn: large enough to show it, small enough to be followed well."""
CLOSER: Final = 1.17
AWAY: Final = 0.87
"""How the face's size must change between the end of the step before and this one."""
FASTEST_TURN: Final = 0.28
"""Degrees per millisecond; quick voluntary head turns reach about 0.25."""
FASTEST_GROWTH: Final = 0.0016
"""Change of size (logarithm) per millisecond: half as large again in a quarter of a second."""
SLACK_DEGREES: Final = 12.0
SLACK_GROWTH: Final = 0.15
DETOUR: Final = 25.0
"""Degrees of going to and fro, and of unsteady measuring, within one step."""
SETTLED: Final = 0.7
"""The last third of a turn's frames must still be turned by this share of what a turn needs."""
MAX_MS: Final = 120_000


@dataclass(frozen=True)
class ChallengeScore:
    """How well the challenge was followed; passed when there is no sign, and then the score is 0.85 or more."""

    score: float
    signs: tuple[LivenessSign, ...]
    views: tuple[View, ...]
    """Those that were judged: the live face is one of these, and none that was left out as spoilt."""
    reliefs: tuple[Relief, ...] = ()
    steps: tuple[SeenStep, ...] = ()
    light: Light | None = None
    """None when the screen showed no colours."""

    @property
    def passed(self) -> bool:
        """Was every step done, with nothing suspicious?"""
        return not self.signs


def score_challenge(
    frames: Sequence[Frame], seen: Sequence[View | QualityReason], challenge: tuple[Step, ...]
) -> ChallengeScore:
    """Judge the frames of a challenge against the steps that were asked for.

    Where a turn has shown a head's relief and they fail by nothing but another step, all of them are measured again,
    more closely, as the page has measured them. Where they fail, what is left without spoilt frames is judged by
    itself. Both by the same rules, in full.
    """
    whole = _judged(frames, seen, challenge)
    if whole.passed:
        return whole
    if whole.signs == (LivenessSign.STEP_NOT_DONE,) and whole.reliefs and is_aimed(challenge):
        closely = _judged(frames, measured_again(seen), challenge)
        if closely.passed:
            return closely
    left = (_judged(frames, rest, challenge) for rest in what_is_left(seen))
    return next((one for one in left if one.passed), whole)


def _judged(
    frames: Sequence[Frame], seen: Sequence[View | QualityReason], challenge: tuple[Step, ...]
) -> ChallengeScore:
    views = [one for one in seen if isinstance(one, View)]
    straight = straightest(views)
    if straight is None or len(views) < MIN_FRAMES_PER_STEP * len(challenge):
        return ChallengeScore(0.0, (LivenessSign.TOO_FEW_FRAMES,), tuple(views))
    signs: list[LivenessSign] = []
    if not _in_order(frames, challenge):
        signs.append(LivenessSign.WRONG_ORDER)
    if shows_another_person(seen):
        signs.append(LivenessSign.SEVERAL_FACES)
    if len(views) < MIN_SEEN * len(seen):
        signs.append(LivenessSign.FACE_LOST)
    if not is_one_person([one.template for one in views], straight.template):
        signs.append(LivenessSign.IDENTITY_CHANGE)
    steps = _by_step(views, challenge)
    base = baseline(steps[0] or [straight])
    aimed = is_aimed(challenge)
    if not _head_pace(views) or not (_one_way_each(steps, base) if aimed else _turns_one_way_each(views)):
        signs.append(LivenessSign.JUMP)
    if aimed and not ways_seen(challenge, steps, base):
        signs.append(LivenessSign.JUMP)
    light = judge_light(views) if any(step in COLOURS for step in challenge) else None
    if light is not None and light.answer is LightAnswer.CONTRADICTED:
        signs.append(LivenessSign.WRONG_LIGHT)
    if aimed and was_cut_together([one for one in views if one.step not in COLOURS]):  # colours light the room as well
        signs.append(LivenessSign.CUT)
    single = sum(step in COLOURS and len(own) == 1 for step, own in zip(challenge, steps, strict=True))
    enough = 1 if single <= LOST_UNDER_COLOURS else MIN_FRAMES_PER_STEP
    outcomes = [
        _judge_step(step, own, steps[number - 1] if number else [], straight, base)
        if len(own) >= (enough if step in COLOURS else MIN_FRAMES_PER_STEP)
        else Outcome((LivenessSign.STEP_NOT_DONE,), 0.0)
        for number, (step, own) in enumerate(zip(challenge, steps, strict=True))
    ]
    signs += [sign for one in outcomes for sign in one.signs]
    reliefs = tuple(found for one in outcomes for found in one.reliefs)
    turned = bool(reliefs) or not {LivenessSign.STEP_NOT_DONE, LivenessSign.WRONG_SIDE} & set(signs)
    if turned and (not noses_stand_out(reliefs) or head_stands_still(reliefs)):
        signs.append(LivenessSign.FLAT_MOTION)  # nothing has shown relief, and what is not shown is not assumed
    unique = tuple(dict.fromkeys(signs))
    told = _told(frames, challenge, steps, outcomes, base)
    margin = float(np.mean([one.margin for one in outcomes]))
    score = 0.5 * margin / len(unique) if unique else 0.85 + 0.15 * margin
    return ChallengeScore(round(score, 4), unique, tuple(views), reliefs, told, light)


def _told(
    frames: Sequence[Frame],
    challenge: tuple[Step, ...],
    steps: Sequence[Sequence[View]],
    outcomes: Sequence[Outcome],
    base: Baseline,
) -> tuple[SeenStep, ...]:
    """Asked and seen, step by step, for whoever reviews it."""
    told = []
    for step, own, outcome in zip(challenge, steps, outcomes, strict=True):
        times = [frame.at_ms for frame in frames if frame.step is step]
        there, asked, size = settled(own, base) if own else None, AIMS.get(step), SIZES.get(step)
        told.append(
            SeenStep(
                step=step.value,
                from_ms=min(times, default=0),
                to_ms=max(times, default=0),
                done=not outcome.signs,
                asked_yaw=round(asked.yaw, 1) if asked else None,
                asked_pitch=round(asked.pitch, 1) if asked else None,
                asked_size=size,
                seen_yaw=round(there.aim.yaw, 1) if there else None,
                seen_pitch=round(there.aim.pitch, 1) if there else None,
                seen_size=round(there.size, 3) if there else None,
            )
        )
    return tuple(told)


def straightest(views: Sequence[View]) -> View | None:
    """The view that looks most into the camera, preferring those that were asked to."""
    if not views:
        return None
    middle = float(np.median([one.mesh.pose.pitch for one in views]))

    def off(one: View) -> float:
        asked = 0.0 if one.step is Step.LOOK_STRAIGHT else 6.0
        return abs(one.yaw) + 0.5 * abs(one.mesh.pose.pitch - middle) + asked

    return min(views, key=off)


# ── the whole sequence ─────────────────────────────────────────────────────────────────────────────────────


def _in_order(frames: Sequence[Frame], challenge: tuple[Step, ...]) -> bool:
    """Do the frames carry exactly the steps asked for, in order, in times that run forwards?"""
    carried = tuple(step for step, _ in groupby(frame.step for frame in frames))
    # A step asked for twice in a row cannot be told apart by its frames' names.
    asked = tuple(step for step, _ in groupby(challenge))
    times = [frame.at_ms for frame in frames]
    forwards = all(later > earlier for earlier, later in pairwise(times))
    return carried == asked and forwards and times[0] >= 0 and times[-1] <= MAX_MS


def _head_pace(views: Sequence[View]) -> bool:
    """Does the head move at a pace that heads have?"""
    for earlier, later in pairwise(views):
        passed = max(later.at_ms - earlier.at_ms, 0)
        turned = abs(later.yaw - earlier.yaw)
        grown = abs(float(np.log(later.size / earlier.size)))
        if turned > SLACK_DEGREES + FASTEST_TURN * passed or grown > SLACK_GROWTH + FASTEST_GROWTH * passed:
            return False
    return True


def _one_way_each(steps: Sequence[Sequence[View]], base: Baseline) -> bool:
    return all(goes_straight_there(own, base) for own in steps if own)


def _turns_one_way_each(views: Sequence[View]) -> bool:
    """Within a step a head goes one way; frames in another order go to and fro."""
    return all(
        sum(abs(later.yaw - earlier.yaw) for earlier, later in pairwise(own)) <= abs(own[-1].yaw - own[0].yaw) + DETOUR
        for _, own in _runs(views)
    )


def _runs(views: Sequence[View]) -> list[tuple[Step, list[View]]]:
    return [(step, list(own)) for step, own in groupby(views, key=lambda one: one.step)]


def _by_step(views: Sequence[View], challenge: tuple[Step, ...]) -> list[list[View]]:
    """The views of each step asked for, in order; a step without frames of its own has none."""
    runs = _runs(views)
    steps: list[list[View]] = []
    at = 0
    for step in challenge:
        if at < len(runs) and runs[at][0] is step:
            steps.append(runs[at][1])
            at += 1
        else:
            steps.append([])
    return steps


# ── one step ───────────────────────────────────────────────────────────────────────────────────────────────


def _judge_step(step: Step, own: list[View], before: list[View], straight: View, base: Baseline) -> Outcome:
    if step is Step.LOOK_STRAIGHT:
        nearest = min(abs(one.yaw) for one in own)
        if nearest > STRAIGHT:
            return Outcome((LivenessSign.STEP_NOT_DONE,), 0.0)
        return Outcome((), clear(STRAIGHT - nearest, STRAIGHT))
    if step in COLOURS:
        looks_on = abs(own[-1].yaw - base.yaw) <= STRAIGHT
        return Outcome((), 1.0) if looks_on else Outcome((LivenessSign.STEP_NOT_DONE,), 0.1)
    if step in AIMS:
        return judge_aim(step, own, base, straight)
    if step in SIZES:
        return judge_size(step, own, base, straight)
    if step in (Step.TURN_LEFT, Step.TURN_RIGHT):
        return _judge_turn(1.0 if step is Step.TURN_LEFT else -1.0, own, before, straight)
    return _judge_distance(step, own, before, straight)


def _judge_turn(side: float, own: list[View], before: list[View], straight: View) -> Outcome:
    turns = [side * (one.yaw - straight.yaw) for one in own]
    # At the start of a step the head may still be where the step before has left it; at its end it must be there.
    settled = turns[-max(1, len(turns) // 3) :]
    if min(settled) <= -TURNED:
        return Outcome((LivenessSign.WRONG_SIDE,), 0.0)
    if max(turns) < TURNED or min(settled) < SETTLED * TURNED:
        return Outcome((LivenessSign.STEP_NOT_DONE,), 0.1)
    far_enough = [one for one, turn in zip(own, turns, strict=True) if turn >= TURNED]
    judged = min(far_enough, key=lambda one: abs(side * (one.yaw - straight.yaw) - TURN_TO_JUDGE))
    found = relief(straight, judged)
    if not has_relief(found):
        return Outcome((LivenessSign.FLAT_MOTION,), 0.2, (found,))
    return Outcome((), clear(abs(found.turned) - TURNED, 15.0), (found,))


def _judge_distance(step: Step, own: list[View], before: list[View], straight: View) -> Outcome:
    start = float(np.median([one.size for one in before[-2:]])) if before else own[0].size
    sizes = [one.size / start for one in own]
    reached = max(sizes) if step is Step.MOVE_CLOSER else min(sizes)
    if reached < CLOSER if step is Step.MOVE_CLOSER else reached > AWAY:
        return Outcome((LivenessSign.STEP_NOT_DONE,), 0.1)
    judged = own[sizes.index(reached)]
    if scene_moves_along(straight, judged):
        return Outcome((LivenessSign.SCENE_MOVES_ALONG,), 0.2)
    excess = reached / CLOSER - 1 if step is Step.MOVE_CLOSER else AWAY / reached - 1
    return Outcome((), clear(excess, 0.2))
