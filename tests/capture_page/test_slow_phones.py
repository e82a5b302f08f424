"""A phone that measures for longer than a head takes to turn: what was taken meanwhile shows the way. In Node."""

from typing import Any

import pytest

from tests.support.node import run
from truename.vision.captures import Step
from truename.vision.liveness.aimed import LONG_WAY, ON_THE_WAY
from truename.vision.liveness.targets import AIMS, STRAIGHT_AIM, between, progress

PHONE = """
  const { Challenge } = await load('face/challenge.js');
  const { Meanwhile } = await load('face/meanwhile.js');
  let clock = 0;
  globalThis.performance = { now: () => clock };
  const later = (ms) => new Promise((resolve) => setImmediate(() => { clock += ms; resolve(true); }));
  const { measures, turns, moves, way } = given;
  const faceAt = (at) => {
    const part = Math.max(0, Math.min(1, (at - turns) / moves));
    const [yaw, pitch] = way[Math.round(part * (way.length - 1))];
    return [{ x: 0, y: 0, size: 0.45, yaw, pitch }];
  };
  const challenge = new Challenge(['LOOK_STRAIGHT', given.step]);
  const meanwhile = new Meanwhile();
  const recorded = [], hints = [];
  let canvases = 0, looks = 0;
  const measure = async (at) => {
    looks += 1;
    for (let passed = 0; passed < measures; passed += 33) await later(33);
    return faceAt(at);
  };
  const take = (canvas) => { canvases += canvas ? 0 : 1; return Object.assign(canvas ?? {}, { taken: clock }); };
  let guidance = null;
  while (clock < 30_000 && !guidance?.done) {
    const now = clock;
    const looking = measure(now);
    // The camera's pictures come by the same clock: the one who measures moves it on.
    const fresh = () => new Promise((resolve) => setImmediate(() => resolve(true)));
    if (challenge.waits && given.meanwhile) meanwhile.watch(looking, fresh, take);
    else meanwhile.forget();
    const faces = await looking;
    guidance = challenge.observe(faces, now, clock);
    if (guidance.skipped) {
      const found = await meanwhile.recall(challenge, (picture) => measure(picture.taken));
      for (const { picture, at } of found) recorded.push([guidance.step, at, faceAt(picture.taken)[0]]);
      if (recorded.at(-1)?.[0] === guidance.step) guidance.hint = 'ready';
    }
    hints.push(guidance.hint);
    if (guidance.record) recorded.push([guidance.step, now, faces[0]]);
  }
  return { recorded, hints, done: guidance.done, canvases, looks };
"""
LONG_WAYS = [step for step, aim in AIMS.items() if aim.away(STRAIGHT_AIM) >= LONG_WAY]


def told(step: Step, *, turns: int, measures: int = 600, moves: int = 400, **more: Any) -> dict[str, Any]:
    """What the page recorded of somebody who looks straight, and turns to the target all at once at some moment."""
    parts = [between(STRAIGHT_AIM, AIMS[step], part / 40) for part in range(41)]
    way = [(aim.yaw, aim.pitch) for aim in parts]
    given = {"step": step.value, "turns": turns, "measures": measures, "moves": moves, "way": way, "meanwhile": True}
    return run(PHONE, given | more)


def seen_on_the_way(recorded: list[Any], step: Step) -> list[float]:
    """How much of the way was gone in each frame of the step that shows the movement, as the service counts it."""
    poses = [face for name, _, face in recorded if name == step.value]
    aims = [type(STRAIGHT_AIM)(face["yaw"], face["pitch"]) for face in poses]
    gone = [progress(STRAIGHT_AIM, AIMS[step], aim)[0] for aim in aims]
    return [part for part in gone if ON_THE_WAY[0] <= part <= ON_THE_WAY[1]]


@pytest.mark.parametrize("step", LONG_WAYS)
@pytest.mark.parametrize("turns", [3000, 3170, 3340])
def test_who_turns_between_two_looks_was_seen_on_the_way_all_the_same(step: Step, turns: int) -> None:
    found = told(step, turns=turns)
    assert found["done"], found
    assert "again_slower" not in found["hints"]
    assert seen_on_the_way(found["recorded"], step)
    times = [at for _, at, _ in found["recorded"]]
    assert times == sorted(times), "frames are recorded in the order in which they were taken"


def test_without_what_was_taken_meanwhile_the_same_person_is_sent_back() -> None:
    """So that the test above would notice."""
    alone = [told(Step.AIM_FAR_LEFT, turns=turns, meanwhile=False) for turns in (3000, 3170, 3340)]
    assert any("again_slower" in found["hints"] and not found["done"] for found in alone)


def test_a_head_that_leaps_was_on_no_way() -> None:
    """A turn within a tenth of a second lies between any two pictures: who was not seen goes again, slower."""
    found = told(Step.AIM_FAR_LEFT, turns=3170, moves=20)
    assert not found["done"]
    assert found["hints"][-1] == "again_slower"
    assert not seen_on_the_way(found["recorded"], Step.AIM_FAR_LEFT)


def test_few_pictures_are_kept_however_long_the_phone_measures() -> None:
    """Each is as large as what is recorded: two looks' worth of six at most."""
    found = told(Step.AIM_FAR_RIGHT, turns=6000, measures=1800, moves=900)
    assert found["done"], found
    assert found["canvases"] <= 12
    assert seen_on_the_way(found["recorded"], Step.AIM_FAR_RIGHT)


def test_a_quick_phone_takes_no_pictures_meanwhile() -> None:
    assert told(Step.AIM_FAR_LEFT, turns=3000, measures=66)["canvases"] == 0
