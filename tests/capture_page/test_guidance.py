"""The page's guidance, which needs no browser: edges, hints, the shutter, the challenge. It runs in Node."""

import base64
from functools import cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import pytest

from tests.support.node import run
from truename.sandbox.drawing import documents, photography


@cache
def _page(kind: str) -> photography.Picture:
    return documents.passport().front if kind == "passport" else documents.id_card().front


def _scene(number: int, present: bool) -> dict[str, Any]:
    """What the detector sees: the guide with a margin, and a document in it, or something else."""
    random = np.random.default_rng(number)
    background = [kind for kind in photography.BACKGROUNDS if kind != "white"][number % 5]
    passport = number % 2 == 0
    guide = (1000, 1000 / (125 / 88 if passport else 85.6 / 54))
    margin = 0.17 * min(guide)
    size = (int(guide[0] + 2 * margin), int(guide[1] + 2 * margin))
    page = _page("passport" if passport else "card")
    if present:
        photo, _ = photography.photograph(
            page,
            seed=number,
            perspective=float(random.uniform(0, 0.2)),
            rotation=float(random.uniform(-2, 2)),
            background=background,
            size=size,
            fill=0.9,
            blur=float(random.uniform(0, 1)),
        )
    elif number % 3 == 0:  # far too close: print everywhere, no edge
        photo, _ = photography.photograph(page, seed=number, background=background, size=size, fill=1.9)
    else:
        photo = photography.make_background(background, size, random).clip(0, 255).astype(np.uint8)
    small = cv2.resize(photo, (400, round(400 * size[1] / size[0])), interpolation=cv2.INTER_AREA)
    gray = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    scale = 400 / size[0]
    return {
        "gray": base64.b64encode(gray.tobytes()).decode(),
        "width": gray.shape[1],
        "height": gray.shape[0],
        "guide": {"x": margin * scale, "y": margin * scale, "width": guide[0] * scale, "height": guide[1] * scale},
    }


FIND = """
  const { findEdges } = await load('document/edges.js');
  return given.map((scene) => {
    const gray = Uint8Array.from(atob(scene.gray), (letter) => letter.charCodeAt(0));
    const began = performance.now();
    const edges = findEdges(gray, scene.width, scene.height, scene.guide);
    return [edges.complete, performance.now() - began];
  });
"""


@pytest.mark.slow
def test_edges_are_found_around_documents_and_nowhere_else() -> None:
    scenes = [_scene(number, True) for number in range(15)] + [_scene(100 + number, False) for number in range(15)]
    found = run(FIND, scenes)
    complete = [one[0] for one in found]
    print(f"edges: {sum(complete[:15])} of 15 documents, median {np.median([one[1] for one in found]):.1f} ms")
    assert sum(complete[:15]) >= 14
    assert not any(complete[15:])


@pytest.mark.parametrize(
    ("spoil", "hint"),
    [
        ({}, "ready"),
        ({"light": 0.2}, "dark"),
        ({"glare": 1.0}, "glare"),
        ({"blur": 9.0}, "blurred"),
    ],
)
def test_a_spoilt_picture_gets_the_hint_that_helps(spoil: dict[str, float], hint: str) -> None:
    guide = (1000, 1000 / (125 / 88))
    margin = 0.17 * min(guide)
    size = (int(guide[0] + 2 * margin), int(guide[1] + 2 * margin))
    photo, _ = photography.photograph(
        _page("passport"), seed=4, perspective=0.05, background="cloth", size=size, fill=0.86, **spoil
    )
    gray = cv2.cvtColor(cv2.resize(photo, (400, round(400 * size[1] / size[0]))), cv2.COLOR_RGB2GRAY)
    scale = 400 / size[0]
    given = {
        "gray": base64.b64encode(gray.tobytes()).decode(),
        "width": gray.shape[1],
        "height": gray.shape[0],
        "guide": {"x": margin * scale, "y": margin * scale, "width": guide[0] * scale, "height": guide[1] * scale},
    }
    told = run(
        """
        const { findEdges } = await load('document/edges.js');
        const { measure } = await load('document/quality.js');
        const { documentHint } = await load('document/hints.js');
        const gray = Uint8Array.from(atob(given.gray), (letter) => letter.charCodeAt(0));
        const quality = measure(gray, given.width, given.guide, null);
        return [documentHint(findEdges(gray, given.width, given.height, given.guide), quality), quality];
        """,
        given,
    )
    assert told[0] == hint, told


def test_a_hint_changes_at_most_once_a_second() -> None:
    shown = run(
        """
        const { Steady } = await load('steady.js');
        const steady = new Steady();
        return [...Array(40).keys()].map((index) => steady.settle(index % 2 ? 'closer' : 'still', index * 100));
        """,
    )
    changes = [index for index in range(1, 40) if shown[index] != shown[index - 1]]
    assert all(later - earlier >= 10 for earlier, later in pairwise(changes))
    assert len(changes) >= 3


def test_the_shutter_falls_only_after_a_steady_moment() -> None:
    assert run(
        """
        const { AutoCapture } = await load('document/hints.js');
        const auto = new AutoCapture(500);
        const first = [0, 100, 200].map((now) => auto.observe('ready', now) >= 1);
        auto.observe('still', 300);
        const second = [400, 500, 600, 700, 800, 900].map((now) => auto.observe('ready', now) >= 1);
        return [first.some(Boolean), second.slice(0, 5).some(Boolean), second[5]];
        """,
    ) == [False, False, True]


CHALLENGE = """
  const { Challenge } = await load('face/challenge.js');
  const challenge = new Challenge(given.steps);
  const straight = { x: 0, y: 0, size: 0.45, yaw: 0, pitch: 0 };
  const recorded = [];
  let now = 0;
  let last = null;
  for (const [pose, frames] of given.script) {
    for (let index = 0; index < frames; index += 1, now += 80) {
      last = challenge.observe(pose ? [{ ...straight, ...pose }] : [], now);
      if (last.restart) while (recorded.at(-1)?.[0] === last.step) recorded.pop();
      if (last.record) recorded.push([last.step, now]);
    }
  }
  return { recorded, done: last.done, step: last.step, hint: last.hint };
"""
STEPS = ["LOOK_STRAIGHT", "TURN_LEFT", "MOVE_CLOSER", "TURN_RIGHT"]


def test_a_challenge_that_is_followed_records_every_step_in_order() -> None:
    script = [[{}, 12], [{"yaw": 12}, 3], [{"yaw": 28}, 14], [{"size": 0.52}, 4], [{"size": 0.62}, 14]]
    script += [[{}, 4], [{"yaw": -12}, 3], [{"yaw": -27}, 14]]
    told = run(CHALLENGE, {"steps": STEPS, "script": script})
    assert told["done"]
    order = [step for step, _ in told["recorded"]]
    assert sorted(order, key=STEPS.index) == order
    assert all(order.count(step) >= 3 for step in STEPS)
    times = [at for _, at in told["recorded"]]
    assert all(later - earlier >= 240 for earlier, later in pairwise(times))


def test_who_turns_back_too_soon_begins_the_step_anew() -> None:
    script = [[{}, 12], [{"yaw": 28}, 4], [{}, 10], [{"yaw": 28}, 12]]
    told = run(CHALLENGE, {"steps": STEPS[:2], "script": script})
    assert told["done"]
    turned = [at for step, at in told["recorded"] if step == "TURN_LEFT"]
    assert len(turned) == 3
    assert turned[0] >= 80 * (12 + 4 + 10)


@pytest.mark.parametrize(
    ("script", "step", "hint"),
    [
        ([[{}, 12], [{"yaw": -30}, 30]], "TURN_LEFT", None),
        ([[{}, 12], [{"yaw": 10}, 30]], "TURN_LEFT", None),
        ([[{}, 12], [None, 5]], "TURN_LEFT", "no_face"),
        ([[{"yaw": 25}, 30]], "LOOK_STRAIGHT", "straight"),
        ([[{}, 12], [{"yaw": 28}, 14], [{"size": 0.62, "yaw": 28}, 20]], "MOVE_CLOSER", "straight"),
    ],
    ids=["other side", "not far enough", "gone", "never straight", "closer but turned away"],
)
def test_a_challenge_does_not_move_on_by_itself(script: list[Any], step: str, hint: str | None) -> None:
    told = run(CHALLENGE, {"steps": STEPS, "script": script})
    assert (told["done"], told["step"], told["hint"]) == (False, step, hint)


def test_left_is_the_persons_own_left_in_an_unmirrored_picture() -> None:
    yaw = run(
        """
        const { measureFace } = await load('face/measure.js');
        const points = Array.from({ length: 478 }, () => ({ x: 0.5, y: 0.5, z: 0 }));
        // The left eye is at the right of the picture, and farther away when the person turns to their left.
        Object.assign(points[33], { x: 0.45, z: -0.03 }); Object.assign(points[263], { x: 0.55, z: 0.03 });
        Object.assign(points[234], { x: 0.42, z: -0.04 }); Object.assign(points[454], { x: 0.58, z: 0.04 });
        Object.assign(points[10], { y: 0.3 }); Object.assign(points[152], { y: 0.7 });
        return measureFace(points, 4 / 3).yaw;
        """,
    )
    assert 20 < yaw < 45


@pytest.mark.parametrize(
    ("label", "virtual"),
    [("OBS Virtual Camera", True), ("FaceTime HD Camera", False), ("Back Camera", False), ("ManyCam Video", True)],
)
def test_virtual_cameras_are_told_by_their_label(label: str, virtual: bool) -> None:
    body = "const { looksVirtual } = await load('device.js'); return looksVirtual(given);"
    assert run(body, label) is virtual
