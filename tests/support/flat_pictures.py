"""The same still as a sheet held before the camera: what an attacker shows instead of a head."""

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.sandbox.drawing.head_scene import FINENESS, Camera, Pose, Surface, colours_of, turned
from truename.vision.captures import Picture


class FlatPicture:
    """The same still as a sheet held before the camera: flat, or bent about a vertical axis."""

    def __init__(self, still: Picture, bend: float = 0.0, scenery: Picture | None = None) -> None:
        """`bend` is the angle in degrees that the sheet spans on its cylinder: positive bulges to the camera."""
        height, width = still.shape[:2]
        self.camera = Camera(width, height, distance=1.1 * max(width, height))
        self.scenery = scenery
        size = 1.0 if scenery is None else 0.78
        self.corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
        self.flat = np.column_stack(((self.corners - self.camera.centre) * size, np.zeros(4)))
        self.sheet = self._bent(still, size, bend) if bend else None
        self.still = still

    def render(self, pose: Pose) -> Picture:
        """Photograph the sheet in this pose; where it leaves the picture bare, its own edge is smeared on."""
        canvas = self.behind.copy()
        if self.sheet is None:
            return self._photographed_flat(canvas, pose)
        self.camera.draw(canvas, self.sheet.at(turned(self.sheet.points, pose, np.zeros(3))), pose.closer)
        return np.clip(canvas, 0, 255).astype(np.uint8)

    def _bent(self, still: Picture, size: float, bend: float) -> Surface:
        height, width = still.shape[:2]
        columns, rows = np.meshgrid(np.arange(0, width, FINENESS), np.arange(0, height, FINENESS))
        pixels = np.column_stack((columns.ravel(), rows.ravel()))
        sheet = (pixels - self.camera.centre) * size
        radius = width * size / np.radians(bend)
        angle = sheet[:, 0] / radius
        points = np.column_stack((radius * np.sin(angle), sheet[:, 1], radius * (1 - np.cos(angle))))
        return Surface(points, colours_of(still, pixels), np.ones(len(pixels), np.float32))

    def _photographed_flat(self, canvas: NDArray[np.float32], pose: Pose) -> Picture:
        points = turned(self.flat, pose, np.zeros(3))
        depth = self.camera.distance / pose.closer + points[:, 2]
        seen = points[:, :2] * (self.camera.distance / depth)[:, None] + self.camera.centre
        matrix = cv2.getPerspectiveTransform(self.corners.astype(np.float32), seen.astype(np.float32))
        size = (self.camera.width, self.camera.height)
        drawn = cv2.warpPerspective(self.still, matrix, size, flags=cv2.INTER_LINEAR)
        mask = cv2.warpPerspective(np.full(self.still.shape[:2], 1.0, np.float32), matrix, size)[..., None]
        return np.clip(canvas * (1 - mask) + drawn * mask, 0, 255).astype(np.uint8)

    @cached_property
    def behind(self) -> NDArray[np.float32]:
        """What is seen around the sheet."""
        size = (self.camera.width, self.camera.height)
        if self.scenery is not None:
            return np.array(cv2.resize(self.scenery, size, interpolation=cv2.INTER_AREA), np.float32)
        return np.array(cv2.GaussianBlur(self.still, (0, 0), 25), np.float32)
