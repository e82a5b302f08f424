"""The steps of a challenge as the page leads through them: what is recorded, what helps, who goes again. In Node."""

from itertools import pairwise
from typing import Any

import pytest

from tests.support.node import run
from truename.capture.challenge import FRAMES_MAX, FRAMES_MIN
from truename.vision.captures import Step
from truename.vision.liveness.aimed import BESIDE as WAY_BESIDE
from truename.vision.liveness.aimed import LONG_WAY, ON_THE_WAY
from truename.vision.liveness.targets import AIMS, STRAIGHT_AIM, Aim, between, progress

CHALLENGE = """
  const { Challenge, keptFrames } = await load('face/challenge.js');
  const challenge = new Challenge(given.steps);
  const straight = { x: 0, y: 0, size: 0.45, yaw: 0, pitch: 0 };
  const hints = new Set();
  let recorded = [];
  let now = 0;
  let last = null;
  for (const [pose, frames] of given.script) {
    for (let index = 0; index < frames; index += 1, now += 80) {
      last = challenge.observe(pose ? [{ ...straight, ...pose }] : [], now, now + (given.measures ?? 0));
      if (last.restart) recorded = keptFrames(recorded, last);
      if (last.record) recorded.push({ step: last.step, now, pose });
      hints.add(last.hint);
    }
  }
  recorded = recorded.map((frame) => [frame.step, frame.now, frame.pose]);
  return { recorded, done: last.done, step: last.step, hint: last.hint, hints: [...hints] };
"""
STEPS = ["LOOK_STRAIGHT", "AIM_FAR_LEFT", "MOVE_CLOSER_A_LITTLE", "AIM_NEAR_DOWN"]
BASE = {"yaw": 3, "pitch": -7}


def looking(yaw: float = 0.0, pitch: float = 0.0, size: float = 0.45) -> dict[str, float]:
    """A face that points its nose so many degrees from where it looked at first."""
    return {"yaw": BASE["yaw"] + yaw, "pitch": BASE["pitch"] + pitch, "size": size}


def going(first: Aim, last: Aim, frames: int = 6, size: float = 0.45) -> list[Any]:
    """The way from one aim to another, at the pace of a person."""
    return [[looking((aim := between(first, last, at / frames)).yaw, aim.pitch, size), 1] for at in range(frames)]


FAR_LEFT, NEAR_DOWN = AIMS[Step.AIM_FAR_LEFT], AIMS[Step.AIM_NEAR_DOWN]
HELD_LEFT = [[looking(FAR_LEFT.yaw + 1, FAR_LEFT.pitch - 1), 14]]


def test_a_challenge_that_is_followed_records_every_step_in_order() -> None:
    script = [[looking(), 12], *going(STRAIGHT_AIM, FAR_LEFT), *HELD_LEFT, *going(FAR_LEFT, STRAIGHT_AIM)]
    script += [[looking(size=0.49), 4], [looking(size=0.45 * 1.19), 14]]
    script += [*going(STRAIGHT_AIM, NEAR_DOWN, size=0.53), [looking(NEAR_DOWN.yaw, NEAR_DOWN.pitch, 0.53), 14]]
    told = run(CHALLENGE, {"steps": STEPS, "script": script})
    assert told["done"], told
    order = [step for step, _, _ in told["recorded"]]
    assert sorted(order, key=STEPS.index) == order
    assert [order.count(step) for step in STEPS] == [3, 4, 3, 4]
    for (_, earlier, before), (_, later, pose) in pairwise(told["recorded"]):
        assert later - earlier >= (240 if pose == before else 100), "of a head that holds still no two look like one"
    on_the_way = next(pose for step, _, pose in told["recorded"] if step == "AIM_FAR_LEFT")
    assert 0.2 < (on_the_way["yaw"] - BASE["yaw"]) / FAR_LEFT.yaw < 0.85, "the movement itself is recorded too"


def on_the_way(told: dict[str, Any], step: str, first: Aim, last: Aim) -> list[float]:
    """How far along the way each frame of a step was taken that shows the movement itself, as the service sees it."""
    poses = [pose for name, _, pose in told["recorded"] if name == step]
    gone = [progress(first, last, Aim(pose["yaw"] - BASE["yaw"], pose["pitch"] - BASE["pitch"])) for pose in poses]
    return [part for part, beside in gone if ON_THE_WAY[0] <= part <= ON_THE_WAY[1] and beside <= WAY_BESIDE]


@pytest.mark.parametrize("target", [step for step, aim in AIMS.items() if aim.away(STRAIGHT_AIM) >= LONG_WAY])
def test_a_long_way_is_seen_without_any_one_of_its_frames(target: Step) -> None:
    """A frame that is smeared or lost must not look like a cut."""
    there = AIMS[target]
    script = [[looking(), 12], *going(STRAIGHT_AIM, there), [looking(there.yaw, there.pitch), 14]]
    told = run(CHALLENGE, {"steps": ["LOOK_STRAIGHT", target.value], "script": script})
    assert told["done"]
    seen = on_the_way(told, target.value, STRAIGHT_AIM, there)
    assert len(seen) == 2
    assert seen[1] - seen[0] > 0.15, "they show different parts of it"


def test_a_short_way_is_recorded_once_and_who_is_quick_is_not_sent_back_for_a_second_frame() -> None:
    steps = ["LOOK_STRAIGHT", "AIM_FAR_LEFT", "AIM_NEAR_LEFT"]
    near = AIMS[Step.AIM_NEAR_LEFT]
    quickly = [[looking(FAR_LEFT.yaw / 2), 1]]
    script = [[looking(), 12], *quickly, [looking(FAR_LEFT.yaw), 14]]
    script += [*going(FAR_LEFT, near), [looking(near.yaw, near.pitch), 14]]
    told = run(CHALLENGE, {"steps": steps, "script": script})
    assert told["done"]
    assert [[step for step, _, _ in told["recorded"]].count(step) for step in steps] == [3, 3, 3]


def test_by_the_clock_the_way_to_a_target_is_recorded_more_often_and_all_fits_into_what_is_accepted() -> None:
    longest = ["LOOK_STRAIGHT", *(f"AIM_FAR_{way}" for way in ("LEFT", "RIGHT", "UP", "DOWN")), "MOVE_CLOSER_A_LOT"]
    told = run(
        """
        const { TimedChallenge } = await load('face/challenge.js');
        const challenge = new TimedChallenge(given);
        const recorded = [];
        for (let now = 0; now < 30000; now += 60) {
          const { step, record } = challenge.observe(now);
          if (record) recorded.push([step, now]);
        }
        return recorded;
        """,
        longest,
    )
    assert [[step for step, _ in told].count(step) for step in longest] == [3, 5, 5, 5, 5, 3]
    assert FRAMES_MIN <= len(told) <= FRAMES_MAX
    assert all(later - earlier >= 240 for (_, earlier), (_, later) in pairwise(told))


def test_who_leaves_the_target_too_soon_begins_the_step_anew() -> None:
    brief = [[looking(FAR_LEFT.yaw), 3]]
    script = [[looking(), 12], *going(STRAIGHT_AIM, FAR_LEFT), *brief, *going(FAR_LEFT, STRAIGHT_AIM), [looking(), 9]]
    told = run(CHALLENGE, {"steps": STEPS[:2], "script": [*script, *going(STRAIGHT_AIM, FAR_LEFT), *HELD_LEFT]})
    assert told["done"]
    turned = [at for step, at, _ in told["recorded"] if step == "AIM_FAR_LEFT"]
    assert len(turned) == 4
    assert turned[0] >= 80 * (12 + 6 + 3)


def test_who_goes_past_the_target_comes_back_to_it_and_not_to_the_beginning() -> None:
    """The head was seen on its way; sent back to the beginning was one simulated person in eight."""
    past = Aim(FAR_LEFT.yaw * 1.35, FAR_LEFT.pitch)
    there = [*going(STRAIGHT_AIM, FAR_LEFT), [looking(FAR_LEFT.yaw), 2], *going(FAR_LEFT, past, frames=3)]
    script = [[looking(), 12], *there, [looking(past.yaw), 5], *going(past, FAR_LEFT), *HELD_LEFT]
    told = run(CHALLENGE, {"steps": STEPS[:2], "script": script})
    assert told["done"]
    assert "again_slower" not in told["hints"]
    turned = [at for step, at, _ in told["recorded"] if step == "AIM_FAR_LEFT"]
    assert len(turned) == 4
    assert turned[1] < 80 * (12 + 6) <= turned[2], "the first two show the way, and of the target only what came last"
    assert turned[2] > 80 * (12 + 6 + 2 + 3 + 5)
    assert len(on_the_way(told, "AIM_FAR_LEFT", STRAIGHT_AIM, FAR_LEFT)) == 2


def test_a_head_that_sways_back_from_the_target_is_not_recorded_as_on_its_way_again() -> None:
    """The service refuses frames that go to and fro within a step."""
    near = AIMS[Step.AIM_NEAR_LEFT]
    quickly = [[looking(near.yaw * 0.4), 1], [looking(near.yaw), 4]]
    sways = [[looking(near.yaw * 0.7), 3]]
    script = [[looking(), 12], *quickly, *sways, [looking(near.yaw), 14]]
    told = run(CHALLENGE, {"steps": ["LOOK_STRAIGHT", "AIM_NEAR_LEFT"], "script": script})
    assert told["done"]
    yaws = [pose["yaw"] for step, _, pose in told["recorded"] if step == "AIM_NEAR_LEFT"]
    assert yaws == sorted(yaws)
    assert len(yaws) == 3


def test_who_moves_too_quickly_to_be_seen_on_the_way_is_asked_to_go_again() -> None:
    """The service takes a way that nobody saw for a cut."""
    steps = ["LOOK_STRAIGHT", "AIM_FAR_LEFT"]
    left = [looking(FAR_LEFT.yaw), 14]
    told = run(CHALLENGE, {"steps": steps, "script": [[looking(), 12], left]})
    assert (told["done"], told["step"], told["hint"]) == (False, "AIM_FAR_LEFT", "again_slower")
    slowly = going(STRAIGHT_AIM, FAR_LEFT)
    told = run(CHALLENGE, {"steps": steps, "script": [[looking(), 12], left, *slowly, left]})
    assert told["done"]


def test_a_detour_is_not_taken_for_the_way() -> None:
    """A nose that points far above the straight way was not seen on it by the service."""
    over = [[looking(FAR_LEFT.yaw / 2, 15), 2]]
    left = [looking(FAR_LEFT.yaw), 14]
    told = run(CHALLENGE, {"steps": STEPS[:2], "script": [[looking(), 12], *over, left]})
    assert (told["done"], told["hint"]) == (False, "again_slower")


@pytest.mark.parametrize(
    ("script", "step", "hint"),
    [
        ([[looking(-29), 40]], "AIM_FAR_LEFT", "more_left"),
        ([[looking(16), 40]], "AIM_FAR_LEFT", "more_left"),
        ([[looking(29, 8), 40]], "AIM_FAR_LEFT", "lower"),
        ([None], "AIM_FAR_LEFT", "no_face"),
        (
            [*going(STRAIGHT_AIM, FAR_LEFT), *HELD_LEFT, [looking(29, size=0.53), 40]],
            "MOVE_CLOSER_A_LITTLE",
            "straight",
        ),
        ([*going(STRAIGHT_AIM, FAR_LEFT), *HELD_LEFT, [looking(size=0.62), 40]], "MOVE_CLOSER_A_LITTLE", "farther"),
    ],
    ids=["other side", "not far enough", "too high", "gone", "closer but turned away", "too close"],
)
def test_a_challenge_does_not_move_on_by_itself(script: list[Any], step: str, hint: str | None) -> None:
    moves = [[None, 5]] if script == [None] else script
    told = run(CHALLENGE, {"steps": STEPS, "script": [[looking(), 12], *moves]})
    assert (told["done"], told["step"], told["hint"]) == (False, step, hint)


@pytest.mark.parametrize("measures", [0, 400])
def test_each_colour_stands_before_it_is_recorded_and_changes_are_slow(measures: int) -> None:
    """A picture of a colour is taken after the colour is shown: not before a slow phone has measured the one before."""
    steps = ["LOOK_STRAIGHT", "LIGHT_RED", "LIGHT_CYAN", "AIM_FAR_LEFT"]
    told = run(CHALLENGE, {"steps": steps, "script": [[looking(), 60]], "measures": measures})
    red, cyan = ([at for step, at, _ in told["recorded"] if step == name] for name in steps[1:3])
    straight = [at for step, at, _ in told["recorded"] if step == "LOOK_STRAIGHT"]
    assert len(red) == len(cyan) == 2
    assert red[0] - straight[-1] - measures >= 420
    assert cyan[0] - red[-1] - measures >= 420
    assert cyan[-1] - red[-1] > 1000 / 3, "fewer than three changes in a second"
    assert told["step"] == "AIM_FAR_LEFT"


def test_who_never_looks_straight_is_asked_to() -> None:
    told = run(CHALLENGE, {"steps": STEPS, "script": [[{"yaw": 25}, 30]]})
    assert (told["done"], told["step"], told["hint"]) == (False, "LOOK_STRAIGHT", "straight")
