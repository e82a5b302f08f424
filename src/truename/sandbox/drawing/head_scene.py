"""Photographs of a still face as a turning head, by one small renderer.

A surface is a coloured cloud of points, dense enough to have no holes; a camera looks at surfaces from the back to the
front. The head takes its relief from the face mesh and goes on as an ellipsoid around it, so turning it hides one
cheek, shows more of the other and uncovers what lay behind.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import LinearNDInterpolator

from truename.vision.captures import Picture

Points = NDArray[np.float64]

FOREHEAD, CHIN, CHEEK_RIGHT, CHEEK_LEFT = 10, 152, 234, 454
"""Mesh points at the ends of the face; right and left are the person's own."""
FINENESS = 0.75
"""Points lie this many pixels apart, so that surfaces stay closed when they come closer."""


@dataclass(frozen=True)
class Pose:
    """Where the thing before the camera is: angles in degrees, `closer` as a factor of its size, shifts in pixels.

    A positive yaw turns the person to their own left, which is to the right of a picture that is not mirrored.
    """

    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    closer: float = 1.0
    right: float = 0.0
    down: float = 0.0


@dataclass(frozen=True)
class Surface:
    """Coloured points in camera units (a pixel at the face's distance), with their opacity."""

    points: Points
    colours: NDArray[np.float32]
    opacity: NDArray[np.float32]

    @cached_property
    def paint(self) -> NDArray[np.float32]:
        """Colour and opacity side by side."""
        return np.column_stack((self.colours, self.opacity))

    def at(self, points: Points) -> "Surface":
        """The same surface elsewhere."""
        moved = replace(self, points=points)
        vars(moved)["paint"] = self.paint
        return moved


def turned(points: Points, pose: Pose, pivot: Points) -> Points:
    """Turn points about a pivot, and shift them across the picture."""
    yaw, pitch, roll = np.radians((pose.yaw, pose.pitch, pose.roll))
    about_y = np.array([[np.cos(yaw), 0, -np.sin(yaw)], [0, 1, 0], [np.sin(yaw), 0, np.cos(yaw)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(pitch), np.sin(pitch)], [0, -np.sin(pitch), np.cos(pitch)]])
    about_z = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rotation = about_z @ about_x @ about_y
    shift = pivot - rotation @ pivot + np.array([pose.right, pose.down, 0.0])
    # Ten times as fast as numpy's product of a long array with a small matrix.
    return np.asarray(cv2.transform(points[:, None], np.column_stack((rotation, shift)))[:, 0])


class Camera:
    """A pinhole camera whose picture has one pixel per unit at its standing distance."""

    def __init__(self, width: int, height: int, distance: float) -> None:
        self.width, self.height, self.distance = width, height, distance
        self.centre = np.array([width / 2, height / 2])

    def lifted(self, pixels: Points, depth: NDArray[np.float64]) -> Points:
        """Where in space the pixels lie that were seen at the given depth behind the face."""
        return np.column_stack(((pixels - self.centre) * ((self.distance + depth) / self.distance)[:, None], depth))

    def draw(self, canvas: NDArray[np.float32], surface: Surface, closer: float = 1.0) -> None:
        """Draw a surface over the canvas; nearer points hide farther ones."""
        depth = self.distance / closer + surface.points[:, 2]
        scale = self.distance / depth
        column = np.rint(surface.points[:, 0] * scale + self.centre[0]).astype(np.int32)
        row = np.rint(surface.points[:, 1] * scale + self.centre[1]).astype(np.int32)
        inside = (column >= 0) & (column < self.width) & (row >= 0) & (row < self.height)
        seen = np.flatnonzero(inside & (depth > self.distance * 0.1))
        if not len(seen):
            return
        column, row = column[seen], row[seen]
        left, top = column.min(), row.min()
        width, height = column.max() + 1 - left, row.max() + 1 - top
        back_to_front = _from_largest(depth[seen])
        place = ((row - top) * width + (column - left))[back_to_front]
        layer = np.zeros((height, width, 4), np.float32)
        layer.reshape(-1, 4)[place] = surface.paint[seen[back_to_front]]
        drawn = np.zeros((height, width), np.uint8)
        drawn.reshape(-1)[place] = 1
        closed = cv2.morphologyEx(drawn, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        holes = (closed == 1) & (drawn == 0)
        if holes.any():  # magnified points leave pinholes: fill each from its drawn neighbours
            weight = cv2.blur(drawn.astype(np.float32), (5, 5))[..., None] + 1e-6
            layer[holes] = (cv2.blur(layer * drawn[..., None], (5, 5)) / weight)[holes]
        alpha = layer[..., 3:]
        there = canvas[top : top + height, left : left + width]
        there[:] = there * (1 - alpha) + layer[..., :3] * alpha


def _from_largest(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The order from the largest to the smallest, in 65,536 steps: numpy sorts such numbers several times as fast."""
    steps = (values.max() - values) * (65535 / max(float(np.ptp(values)), 1e-9))
    return np.argsort(steps.astype(np.uint16), kind="stable")


class HeadScene:
    """A still photograph taken apart into head, shoulders and background, each at its own distance."""

    def __init__(self, still: Picture, mesh: Points) -> None:
        self.still = still
        height, width = still.shape[:2]
        face_width = float(np.ptp(mesh[:, 0]))
        self.camera = Camera(width, height, distance=2.8 * face_width)
        left, right, top, bottom = mesh[:, 0].min(), mesh[:, 0].max(), mesh[FOREHEAD, 1], mesh[CHIN, 1]
        tall = bottom - top
        axes = 0.78 * (right - left), 0.84 * tall
        middle = np.array([(left + right) / 2, bottom - axes[1] * 0.96])
        ears = float(np.median(mesh[[CHEEK_RIGHT, CHEEK_LEFT], 2]))

        columns, rows = np.meshgrid(np.arange(0, width, FINENESS), np.arange(0, height, FINENESS))
        pixels = np.column_stack((columns.ravel(), rows.ravel()))
        away = np.hypot((pixels[:, 0] - middle[0]) / axes[0], (pixels[:, 1] - middle[1]) / axes[1])

        on_head = away < 1.06
        depth = _head_depth(pixels[on_head], away[on_head], mesh, ears, face_width)
        self.head = Surface(
            self.camera.lifted(pixels[on_head], depth),
            colours_of(still, pixels[on_head]),
            np.clip((1.06 - away[on_head]) / 0.08, 0, 1).astype(np.float32),
        )
        self.pivot = np.array([*(middle - self.camera.centre), ears + 0.1 * face_width])

        spread = np.abs(pixels[:, 0] - middle[0]) / face_width
        below = (pixels[:, 1] - (bottom - 0.12 * tall)) / tall
        body = np.clip(np.minimum((below - 0.5 * np.clip(spread - 0.45, 0, None)) / 0.06, (2.1 - spread) / 0.1), 0, 1)
        on_body = body > 0
        self.body = Surface(
            self.camera.lifted(pixels[on_body], np.full(on_body.sum(), ears + 0.15 * face_width)),
            colours_of(still, pixels[on_body]),
            body[on_body].astype(np.float32),
        )

        covered = ((away < 1.12) | on_body).astype(np.uint8).reshape(columns.shape)
        self.background = _without(still, cv2.resize(covered, (width, height), interpolation=cv2.INTER_NEAREST))

    def render(self, pose: Pose) -> Picture:
        """Photograph the person in this pose before a background that stays."""
        canvas = np.array(
            cv2.warpAffine(
                self.background,
                np.array([[1, 0, 0.15 * pose.right], [0, 1, 0.15 * pose.down]]),
                (self.camera.width, self.camera.height),
                borderMode=cv2.BORDER_REPLICATE,
            ),
            np.float32,
        )
        shift = np.array([pose.right, pose.down, 0.0])
        self.camera.draw(canvas, self.body.at(self.body.points + shift), pose.closer)
        self.camera.draw(canvas, self.head.at(turned(self.head.points, pose, self.pivot)), pose.closer)
        return np.clip(canvas, 0, 255).astype(np.uint8)


def colours_of(still: Picture, pixels: Points) -> NDArray[np.float32]:
    """The colours of a picture at points between its pixels."""
    sampled = cv2.remap(
        still,
        _map(pixels[:, 0]),
        _map(pixels[:, 1]),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(sampled.reshape(-1, 3)[: len(pixels)], np.float32)


def _map(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Fold a long row of coordinates, since OpenCV's remap takes at most 32,767 rows or columns."""
    padded = np.zeros(-(-len(values) // 4096) * 4096, np.float32)
    padded[: len(values)] = values
    return padded.reshape(-1, 4096)


def _head_depth(
    pixels: Points, away: NDArray[np.float64], mesh: Points, ears: float, width: float
) -> NDArray[np.float64]:
    """Depth behind the middle of the face: the mesh's relief inside it, an ellipsoid around it."""
    globe = ears + 0.12 * width - 0.62 * width * np.sqrt(np.clip(1 - np.minimum(away, 1) ** 2, 0, None))
    relief = LinearNDInterpolator(mesh[:, :2], mesh[:, 2])(pixels)
    filled = np.zeros(np.ceil(pixels.max(0)[::-1]).astype(int) + 2, np.uint8)
    cv2.fillConvexPoly(filled, cv2.convexHull(mesh[:, :2].astype(np.int32)), 1)
    column, row = pixels.astype(int).T
    inside = cv2.distanceTransform(filled, cv2.DIST_L2, 5)[row, column]
    blend = np.clip(inside / (0.08 * width), 0, 1)
    return np.asarray(
        np.where(np.isnan(relief), globe, np.nan_to_num(relief) * blend + globe * (1 - blend)), np.float64
    )


def _without(still: Picture, mask: NDArray[np.uint8]) -> Picture:
    """The background alone: what head and shoulders covered is painted over from around them."""
    small = cv2.resize(still, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small_mask = cv2.resize(mask, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_NEAREST)
    small_mask = cv2.dilate(small_mask, np.ones((3, 3), np.uint8))
    filled = cv2.inpaint(small, small_mask, 5, cv2.INPAINT_TELEA)
    filled = cv2.resize(filled, (still.shape[1], still.shape[0]), interpolation=cv2.INTER_CUBIC)
    soft = cv2.GaussianBlur(cv2.dilate(mask, np.ones((5, 5), np.uint8)).astype(np.float32), (0, 0), 3)[..., None]
    return np.asarray(still * (1 - soft) + filled * soft, np.uint8)
