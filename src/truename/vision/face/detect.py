"""Where are the faces, and how sure is that?"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.rules.evidence import QualityReason
from truename.vision import runtime
from truename.vision.captures import Picture
from truename.vision.images import shrink

Points = NDArray[np.float32]

MIN_SCORE: Final = 0.6
SURE_SCORE: Final = 0.915
"""From here up the picture needs no second look: upright faces score 0.90 to 0.96, turned ones at most 0.914."""
SEARCH_SIDE: Final = 640
"""Faces are searched in a copy of at most this side; selfies and portraits are far larger than the network needs."""
WIDE_SEARCH_SIDE: Final = 1280
STRIDES: Final = (8, 16, 32)
OVERLAP: Final = 0.3
MIN_EYE_DISTANCE: Final = 16.0
"""Below this many pixels between the eyes the embedding is a guess."""
CLEAR_SCORE: Final = 0.72
"""A face seen in full scores above this; hands, masks and frames over it push the score below."""
BYSTANDER: Final = 0.35
"""A second face that is smaller than this share of the first one's height is taken for a bystander."""


@dataclass(frozen=True)
class Face:
    """One face in the pixels of the picture it was found in."""

    box: tuple[float, float, float, float]
    """Left, top, width, height; may reach over the edge of the picture."""
    points: Points
    """5 × 2: right eye, left eye, nose tip, right and left mouth corner (the person's own right and left)."""
    score: float

    @property
    def eye_distance(self) -> float:
        return float(np.linalg.norm(self.points[1] - self.points[0]))


@dataclass(frozen=True)
class SingleFace:
    """The one face a picture is about, or why there is none, and what is wrong with it."""

    face: Face | None
    reasons: tuple[QualityReason, ...] = ()
    faces: tuple[Face, ...] = ()


def find_single_face(picture: Picture) -> SingleFace:
    """Find the one face that the picture is about; several alike are said, not chosen from."""
    faces = tuple(detect_faces(picture))
    if not faces:
        return SingleFace(None, (QualityReason.NO_FACE,))
    first = faces[0]
    if any(other.box[3] > BYSTANDER * first.box[3] for other in faces[1:]):
        return SingleFace(None, (QualityReason.SEVERAL_FACES,), faces)
    reasons = []
    if first.eye_distance < MIN_EYE_DISTANCE:
        reasons.append(QualityReason.FACE_TOO_SMALL)
    if first.score < CLEAR_SCORE:
        reasons.append(QualityReason.FACE_COVERED)
    return SingleFace(first, tuple(reasons), faces)


def detect_faces(picture: Picture, *, persistent: bool = True, is_upright: bool = False) -> list[Face]:
    """All faces, the largest first.

    When nothing is found for sure at first sight, `persistent` looks again: turned by quarter turns (for photographs
    without orientation; not where `is_upright` says that it has one), with a margin (for faces that fill the picture)
    and closer (for small ones).
    """
    small = shrink(picture, SEARCH_SIDE)
    scale = picture.shape[1] / small.shape[1], picture.shape[0] / small.shape[0]
    upright = _resized(_infer(small), *scale)
    if not persistent or _sureness(upright) >= SURE_SCORE:
        return upright
    # A face that lies on its side is often found, but with its points in the wrong places and with a lower score.
    turned = [] if is_upright else [_resized(_look_turned(small, turns), *scale) for turns in (1, 2, 3)]
    best = max([upright, *turned], key=_sureness)
    return best or _look_with_margin(picture) or _look_closer(picture)


def _sureness(faces: list[Face]) -> float:
    return max((face.score for face in faces), default=0.0)


def _look_with_margin(picture: Picture) -> list[Face]:
    small = shrink(picture, SEARCH_SIDE // 2)
    margin = max(small.shape[:2]) // 3
    framed = cv2.copyMakeBorder(small, margin, margin, margin, margin, cv2.BORDER_REPLICATE)
    scale_x, scale_y = picture.shape[1] / small.shape[1], picture.shape[0] / small.shape[0]
    return [
        Face((f.box[0] - margin * scale_x, f.box[1] - margin * scale_y, *f.box[2:]), f.points - shift, f.score)
        for shift in [np.array([margin * scale_x, margin * scale_y], np.float32)]
        for f in _resized(_infer(np.asarray(framed, np.uint8)), scale_x, scale_y)
    ]


def _look_closer(picture: Picture) -> list[Face]:
    if max(picture.shape[:2]) > SEARCH_SIDE:
        small = shrink(picture, WIDE_SEARCH_SIDE)
        return _resized(_infer(small), picture.shape[1] / small.shape[1], picture.shape[0] / small.shape[0])
    larger = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    return _resized(_infer(np.asarray(larger, np.uint8)), 0.5, 0.5)


def _look_turned(picture: Picture, turns: int) -> list[Face]:
    """Look at the picture turned counter-clockwise, and turn what is found back."""
    faces = _infer(np.ascontiguousarray(np.rot90(picture, turns)))
    height, width = picture.shape[:2]
    found = []
    for face in faces:
        left, top, w, h = face.box
        corners = _turned_back(np.array([[left, top], [left + w, top + h]], np.float32), turns, width, height)
        low, high = corners.min(0), corners.max(0)
        box = (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
        found.append(Face(box, _turned_back(face.points, turns, width, height), face.score))
    return found


def _turned_back(points: Points, turns: int, width: int, height: int) -> Points:
    x, y = points[:, 0], points[:, 1]
    back = {1: (width - y, x), 2: (width - x, height - y), 3: (y, height - x)}[turns]
    return np.stack(back, axis=1).astype(np.float32)


def _resized(faces: list[Face], x: float, y: float) -> list[Face]:
    scale = np.array([x, y], np.float32)
    return [Face((f.box[0] * x, f.box[1] * y, f.box[2] * x, f.box[3] * y), f.points * scale, f.score) for f in faces]


# ── the network ────────────────────────────────────────────────────────────────────────────────────────────


def _infer(picture: Picture) -> list[Face]:
    height, width = picture.shape[:2]
    size = -(-height // 32) * 32, -(-width // 32) * 32
    padded = np.empty((1, 3, *size), np.float32)
    if size != (height, width):
        padded[:] = 0
    padded[0, :, :height, :width] = picture[..., ::-1].transpose(2, 0, 1)
    network = runtime.onnx("yunet", np.zeros((1, 3, 64, 64), np.float32), prepare=any_size)
    outputs = network.run(padded)
    boxes, points, scores = _candidates(outputs, padded.shape[3])
    if not len(scores):
        return []
    kept = cv2.dnn.NMSBoxes(boxes.tolist(), scores.tolist(), MIN_SCORE, OVERLAP)
    faces = [
        Face((float(x), float(y), float(w), float(h)), points[i], float(scores[i]))
        for i in np.asarray(kept).reshape(-1)
        for x, y, w, h in [boxes[i]]
    ]
    return sorted(faces, key=lambda face: -face.box[2] * face.box[3])


def _candidates(outputs: list[runtime.Array], width: int) -> tuple[Points, Points, Points]:
    """The cells of the three grids in which a face may be centred: boxes, points, scores."""
    boxes, points, scores = [], [], []
    for level, stride in enumerate(STRIDES):
        classes, objects, box, point = (outputs[level + 3 * kind][0] for kind in range(4))
        score = np.sqrt(np.clip(classes[:, 0], 0, 1) * np.clip(objects[:, 0], 0, 1))
        cells = np.flatnonzero(score >= MIN_SCORE)
        if not len(cells):
            continue
        rows, columns = np.divmod(cells, width // stride)
        corner = np.stack([columns, rows], axis=1).astype(np.float32)
        centre = (corner + box[cells, :2]) * stride
        size = np.exp(box[cells, 2:]) * stride
        boxes.append(np.concatenate([centre - size / 2, size], axis=1))
        points.append((point[cells].reshape(-1, 5, 2) + corner[:, None]) * stride)
        scores.append(score[cells])
    if not scores:
        return np.zeros((0, 4), np.float32), np.zeros((0, 5, 2), np.float32), np.zeros(0, np.float32)
    return np.concatenate(boxes), np.concatenate(points).astype(np.float32), np.concatenate(scores)


def any_size(data: bytes) -> bytes:
    """Free the graph's one picture of 640×640: it is convolutional and takes any number, of any multiple of 32."""
    import onnx

    graph = onnx.load_from_string(data)
    for value, names in [(graph.graph.input[0], {0: "pictures", 2: "height", 3: "width"})] + [
        (output, {0: "pictures", 1: f"cells_{output.name}"}) for output in graph.graph.output
    ]:
        for axis, name in names.items():
            value.type.tensor_type.shape.dim[axis].dim_param = name
    shapes = {node.input[1] for node in graph.graph.node if node.op_type == "Reshape"}
    for tensor in graph.graph.initializer:
        if tensor.name in shapes:
            shape = onnx.numpy_helper.to_array(tensor)
            as_many = np.where(np.arange(len(shape)) == 0, 0, shape)  # 0: as many as come in
            tensor.CopyFrom(onnx.numpy_helper.from_array(as_many.astype(np.int64), tensor.name))
    del graph.graph.value_info[:]
    return bytes(graph.SerializeToString())
