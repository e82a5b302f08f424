"""The page's guidance, which needs no browser: edges, hints, the shutter, the pose of a head. It runs in Node."""

import base64
from functools import cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.node import run
from truename.sandbox.drawing import documents, photography
from truename.vision.face.mesh import CHIN, FOREHEAD, canonical_points, pose_of
from truename.vision.liveness.targets import AIMS, SIZES


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


def test_page_and_service_know_the_same_targets() -> None:
    told = run(
        "const { aimOf, SIZES } = await load('face/targets.js'); return [given.map((step) => aimOf(step)), SIZES];",
        [step.value for step in AIMS],
    )
    assert [(one["yaw"], one["pitch"]) for one in told[0]] == [
        (pytest.approx(aim.yaw), pytest.approx(aim.pitch)) for aim in AIMS.values()
    ]
    assert told[1] == {step.value: size for step, size in SIZES.items()}


def test_page_and_service_measure_a_head_alike() -> None:
    """Turned any way, and with a face that is not the average one."""
    random = np.random.default_rng(5)
    canonical = canonical_points()
    heads = []
    for angles in random.uniform((-45, -30, -20), (45, 30, 20), (40, 3)):
        yaw, pitch, roll = np.radians(angles)
        turn = _about(2, roll) @ _about(0, -pitch) @ _about(1, yaw)
        own = canonical * random.uniform(0.93, 1.07, 3) + random.normal(0, 0.12, canonical.shape)
        heads.append((own @ turn.T * [1, -1, -1] * 11).astype(np.float32))
    told = run(
        """
        const { poseOf } = await load('face/pose.js');
        return given.map((head) => poseOf(head.map(([x, y, z]) => ({ x, y, z }))));
        """,
        [head.tolist() for head in heads],
    )
    for head, page in zip(heads, told, strict=True):
        service = pose_of(head)
        assert page["yaw"] == pytest.approx(service.yaw, abs=0.5)
        assert page["pitch"] == pytest.approx(service.pitch, abs=0.5)
        assert page["roll"] == pytest.approx(service.roll, abs=0.5)


def test_page_and_service_measure_the_size_of_a_face_alike_whichever_way_it_looks() -> None:
    """A face that looks farther down is less high: the page led such people closer than the service allows."""
    canonical, aspect, tall = canonical_points(), 3 / 4, 480
    heads = []
    for yaw, pitch, roll in [(0, -15, 0), (0, -23, 0), (0, -7, 0), (10, -21, 0), (-10, -11, 8), (0, -19, -12)]:
        turn = _about(2, np.radians(roll)) @ _about(0, np.radians(-pitch)) @ _about(1, np.radians(yaw))
        heads.append(((canonical @ turn.T) * [1, -1, -1] * 11 + [tall * aspect / 2, tall / 2, 0]).astype(np.float32))
    told = run(
        """
        const { measureFace } = await load('face/measure.js');
        const { onStage } = await load('face/fit.js');
        const sized = (points) => onStage(measureFace(points, 3 / 4), 360, 480, { height: 480 }).size;
        return given.map((head) => sized(head.map(([x, y, z]) => ({ x: x / 360, y: y / 480, z: z / 360 }))));
        """,
        [head.tolist() for head in heads],
    )
    assert [size / told[0] for size in told] == pytest.approx([1.0] * len(heads), abs=0.01)
    assert told[0] == pytest.approx(float(np.linalg.norm(heads[0][FOREHEAD] - heads[0][CHIN])) / tall)


def _about(axis: int, angle: float) -> NDArray[np.float64]:
    return np.asarray(cv2.Rodrigues(np.eye(3)[axis] * angle)[0], np.float64)


@pytest.mark.parametrize(
    ("label", "virtual"),
    [("OBS Virtual Camera", True), ("FaceTime HD Camera", False), ("Back Camera", False), ("ManyCam Video", True)],
)
def test_virtual_cameras_are_told_by_their_label(label: str, virtual: bool) -> None:
    body = "const { looksVirtual } = await load('device.js'); return looksVirtual(given);"
    assert run(body, label) is virtual
