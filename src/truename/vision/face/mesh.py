"""478 points of a face in space, and which way the head looks."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.vision import models, runtime
from truename.vision.captures import Picture
from truename.vision.face.align import SFACE_POINTS, similarity, warp
from truename.vision.face.detect import Face

SIDE: Final = 256
ROOM: Final = 1.5
"""The crop is this much larger than the mesh's own extent, as the network was trained."""
FACE_POINTS: Final = 468
"""Without the irises."""
RIGHT_EYE_OUTER, LEFT_EYE_OUTER, FOREHEAD, CHIN = 33, 263, 10, 152
STEADY_POINTS: Final = np.array(
    [
        *(0, 1, 2, 4, 5, 6, 17, 33, 61, 63, 66, 70, 94, 98, 105, 107, 133, 145, 159, 168, 197),
        *(263, 291, 293, 296, 300, 327, 334, 336, 362, 374, 386),
    ]
)
"""Eyes, brows, nose and mouth: what tells a face's place best, each point smoothing the others' errors."""
EYES_NOSE_MOUTH: Final = ((33, 133, 159, 145), (263, 362, 386, 374), (4,), (61,), (291,))

Points3 = NDArray[np.float32]


@dataclass(frozen=True)
class Pose:
    """Degrees, in the person's own left and right; all 0 when looking straight into the camera."""

    yaw: float
    """Positive when the head is turned to the person's own left (towards the right of an unmirrored picture)."""
    pitch: float
    """Positive when looking up."""
    roll: float
    """Positive when the head is tilted towards the person's own left shoulder."""


@dataclass(frozen=True)
class Mesh:
    """The points in pixels of the picture (z on the same scale, smaller is nearer), and what follows from them."""

    points: Points3
    """478 × 3; the last ten are the irises."""
    presence: float
    """How sure the network is, from 0 to 1, that there is a face in the crop at all."""
    pose: Pose


def mesh(picture: Picture, face: Face) -> Mesh:
    """Lay the mesh over a face that was found; a face whose presence is low is there but cannot be followed."""
    return _laid(picture, _matrix_of(face))


def mesh_again(picture: Picture, first: Mesh) -> Mesh:
    """Lay the mesh once more, over the face as the first one has found it, as the network was trained.

    The detector's five points say roughly where a face is, least well where the head is turned far; what the network
    then says of its pose and size depends on that. In a video, as on the capture page, it is told by its own points.
    """
    flat = first.points[:FACE_POINTS, :2].astype(np.float64)
    return _laid(picture, _matrix_around(flat)) if np.ptp(flat, 0).max() >= 1 else first


def _laid(picture: Picture, matrix: NDArray[np.float64]) -> Mesh:
    network = runtime.tflite("face_landmarker", "face_landmarks_detector.tflite")
    raw, presence, _ = network.run(_crop(picture, matrix))
    points = _in_picture(raw.reshape(-1, 3), matrix)
    return Mesh(points, float(1 / (1 + np.exp(-presence.item()))), pose_of(points))


def pose_of(points: Points3) -> Pose:
    """How the mesh must be turned to lie on the canonical face that the model file carries."""
    weighed = _weighed()
    rotation = _rotation(weighed, points[: len(weighed)].astype(np.float64) * [1, -1, -1])
    # In the canonical frame x points to the person's left, y up and z out of the face.
    up = rotation[:, 1]
    roll = np.arctan2(up[0], up[1])
    cos, sin = np.cos(roll), np.sin(roll)
    forward = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ rotation[:, 2]
    yaw = np.degrees(np.arctan2(forward[0], forward[2]))
    pitch = np.degrees(np.arcsin(np.clip(forward[1], -1, 1)))
    roll = np.degrees(roll)
    return Pose(float(yaw), float(pitch), float(roll))


def steady_places() -> NDArray[np.float32]:
    """Where the steady points of the canonical face stand in the embedding's input."""

    def load(_: models.Model) -> NDArray[np.float32]:
        flat = _canonical()[0][:, :2] * [1, -1]
        five = np.stack([flat[list(group)].mean(0) for group in EYES_NOSE_MOUTH]).astype(np.float32)
        matrix = similarity(five, SFACE_POINTS)
        return np.asarray(flat[STEADY_POINTS] @ matrix[:, :2].T + matrix[:, 2], np.float32)

    return runtime.once("face_landmarker", load, variant="steady places")


# ── geometry ───────────────────────────────────────────────────────────────────────────────────────────────


def _matrix_of(face: Face) -> NDArray[np.float64]:
    """The 2×3 matrix from the picture to a crop in which the eyes are level."""
    right, left = face.points[0].astype(np.float64), face.points[1].astype(np.float64)
    eyes, mouth = (right + left) / 2, face.points[3:].astype(np.float64).mean(0)
    # Turned heads have close eyes and tilted ones a short face: the longer of both tells the size.
    size = 2.25 * max(float(np.linalg.norm(left - right)), float(np.linalg.norm(mouth - eyes)))
    centre = eyes + (mouth - eyes) * 0.42
    turn = SIDE / (ROOM * size) * _levelled(right, left)
    return np.column_stack([turn, SIDE / 2 - turn @ centre])


def _matrix_around(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same by the extent of a mesh."""
    level = _levelled(points[RIGHT_EYE_OUTER], points[LEFT_EYE_OUTER])
    low, high = (points @ level.T).min(0), (points @ level.T).max(0)
    turn = SIDE / (ROOM * float((high - low).max())) * level
    return np.column_stack([turn, SIDE / 2 - turn @ (level.T @ (low + high) / 2)])


def _levelled(right: NDArray[np.float64], left: NDArray[np.float64]) -> NDArray[np.float64]:
    """The 2×2 rotation that puts two eyes on one level."""
    angle = np.arctan2(*(left - right)[::-1])
    cos, sin = float(np.cos(angle)), float(np.sin(angle))
    return np.array([[cos, sin], [-sin, cos]], np.float64)


def _crop(picture: Picture, matrix: NDArray[np.float64]) -> NDArray[np.float32]:
    chip = warp(picture, matrix, SIDE)[None].astype(np.float32)
    chip *= np.float32(1 / 255)
    return chip


def _in_picture(points: Points3, matrix: NDArray[np.float64]) -> Points3:
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    flat = (points[:, :2] - matrix[:, 2]) @ np.linalg.inv(matrix[:, :2]).T
    return np.column_stack([flat, points[:, 2] / scale]).astype(np.float32)


def _rotation(weighed: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """The pure rotation from source to target (weighted orthogonal Procrustes).

    `weighed`: the source's points about their middle, times their weights. They add up to nothing, so that it does not
    matter where the middle of the target is.
    """
    u, _, vt = np.linalg.svd(target.T @ weighed)
    return np.asarray(u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt, np.float64)


# ── the canonical face ─────────────────────────────────────────────────────────────────────────────────────


def canonical_points() -> NDArray[np.float64]:
    """468 points of a frontal face: x to the person's left, y up, z out of the face."""
    return _canonical()[0].copy()


def _canonical() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """468 points of a frontal face (x to the person's left, y up, z out of the face) and their weights in a fit."""

    def load(row: models.Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        data = runtime.member(models.weights(row), "geometry_pipeline_metadata_landmarks.binarypb")
        vertices: list[float] = []
        weights = np.full(468, 1e-4)
        for field, value in _protobuf(data):
            if field == 1:  # canonical mesh; its field 3 is the vertex buffer, five numbers a vertex
                vertices += [number for key, part in _protobuf(value) if key == 3 for number in _floats(part)]
            if field == 2:  # a point of the Procrustes basis: its number and its weight
                entry = dict(_protobuf(value))
                weights[int.from_bytes(entry.get(1, b"\0"), "little")] = _floats(entry[2])[0]
        return np.array(vertices).reshape(-1, 5)[:, :3], weights

    return runtime.once("face_landmarker", load, variant="canonical")


def _weighed() -> NDArray[np.float64]:
    """The canonical points about their middle, times their weights."""

    def load(_: models.Model) -> NDArray[np.float64]:
        points, weights = _canonical()
        shares = (weights / weights.sum())[:, None]
        return np.asarray(shares * (points - (shares * points).sum(0)), np.float64)

    return runtime.once("face_landmarker", load, variant="weighed")


def _floats(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def _protobuf(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of one message as raw bytes: just enough of the wire format for this file."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value.to_bytes(8, "little")
            continue
        if kind == 2:
            length, at = _varint(data, at)
        else:
            length = {1: 8, 5: 4}[kind]
        yield key >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
