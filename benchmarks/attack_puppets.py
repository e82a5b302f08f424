"""Photographs that are made to move: what a program can do to one or two stills so that a face follows a challenge.

Each puppet has `render(pose)`, like the drawn head (`truename.sandbox.drawing.head_scene`), and can therefore aim
itself by what the service measures (`aimed_pose`): an attacker would do the same.
"""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RBFInterpolator

from truename.sandbox.drawing.head_scene import HeadScene, Pose, Surface, turned
from truename.vision.captures import Picture
from truename.vision.face.detect import detect_faces
from truename.vision.face.mesh import mesh

Points = NDArray[np.float64]

KNOTS = 64
"""Mesh points that a bent picture is pulled by."""
GRID = 12
"""Pixels between the places at which a bend is worked out; it is smooth between them."""


class Warped:
    """A still whose mesh points are put where a turned head's would be; how the pixels follow is the subclass's."""

    def __init__(self, still: Picture) -> None:
        self.still = still
        self.height, self.width = still.shape[:2]
        self.points = mesh(still, detect_faces(still)[0]).points.astype(np.float64)
        # The same camera, head and pivot as the drawn head's, so that one table of first guesses serves all.
        self.scene = HeadScene(still, self.points)

    def moved(self, pose: Pose) -> Points:
        """Where the mesh points of a head in this pose are seen, in pixels."""
        camera = self.scene.camera
        lifted = camera.lifted(self.points[:, :2], self.points[:, 2])
        there = turned(lifted, pose, self.scene.pivot)
        scale = camera.distance / (camera.distance / pose.closer + there[:, 2])
        return np.asarray(there[:, :2] * scale[:, None] + camera.centre)

    def _by_matrix(self, matrix: Points) -> Picture:
        size = (self.width, self.height)
        return np.asarray(
            cv2.warpPerspective(self.still, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )


class Affine(Warped):
    """The whole picture moved by the affine map that brings the points nearest to a turned head's."""

    def render(self, pose: Pose) -> Picture:
        known = np.column_stack((self.points[:, :2], np.ones(len(self.points))))
        fitted, *_ = np.linalg.lstsq(known, self.moved(pose), rcond=None)
        return self._by_matrix(np.vstack((fitted.T, [0, 0, 1])))


class Perspective(Warped):
    """The same by a homography."""

    def render(self, pose: Pose) -> Picture:
        fitted, _ = cv2.findHomography(self.points[:, :2], self.moved(pose), 0)
        return self._by_matrix(np.asarray(fitted, np.float64))


class ThinPlate(Warped):
    """The picture as a thin plate that is pulled by the face's points and held at its edges."""

    def render(self, pose: Pose) -> Picture:
        chosen = np.linspace(0, 467, KNOTS).astype(int)
        across, down = np.linspace(0, self.width - 1, 5), np.linspace(0, self.height - 1, 6)
        edges = np.array([(x, y) for x in across for y in down if x in across[[0, -1]] or y in down[[0, -1]]])
        near, far = self.moved(pose)[chosen], self.points[chosen, :2]
        held = (edges - self.scene.camera.centre) / pose.closer + self.scene.camera.centre
        bend = RBFInterpolator(np.vstack((near, edges)), np.vstack((far, held)), smoothing=1.0)
        columns, rows = np.arange(0, self.width + GRID, GRID), np.arange(0, self.height + GRID, GRID)
        places = np.array([(x, y) for y in rows for x in columns], np.float64)
        coarse = bend(places).reshape(len(rows), len(columns), 2).astype(np.float32)
        x, y = np.meshgrid(np.arange(self.width) / GRID, np.arange(self.height) / GRID)
        fine = cv2.remap(coarse, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
        return np.asarray(
            cv2.remap(self.still, fine[..., 0], fine[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )


class FaceAlone(Warped):
    """The face on its own relief, turned and drawn over the still: hair, ears, neck and room stay where they were."""

    def __init__(self, still: Picture) -> None:
        super().__init__(still)
        head, camera = self.scene.head, self.scene.camera
        depth = head.points[:, 2]
        pixels = head.points[:, :2] * (camera.distance / (camera.distance + depth))[:, None] + camera.centre
        hull = np.zeros((self.height, self.width), np.uint8)
        cv2.fillConvexPoly(hull, cv2.convexHull(self.points[:468, :2].astype(np.int32)), 1)
        inside = cv2.distanceTransform(hull, cv2.DIST_L2, 5)
        column = np.clip(np.rint(pixels[:, 0]), 0, self.width - 1).astype(int)
        row = np.clip(np.rint(pixels[:, 1]), 0, self.height - 1).astype(int)
        soft = np.clip(inside[row, column] / 6.0, 0, 1).astype(np.float32)
        kept = soft > 0
        self.face = Surface(head.points[kept], head.colours[kept], soft[kept])

    def render(self, pose: Pose) -> Picture:
        middle = self.scene.camera.centre
        zoom = np.array(
            [[pose.closer, 0, middle[0] * (1 - pose.closer)], [0, pose.closer, middle[1] * (1 - pose.closer)]]
        )
        size = (self.width, self.height)
        drawn = cv2.warpAffine(self.still, zoom, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        canvas = np.array(drawn, np.float32)
        still = replace(pose, right=0.0, down=0.0)
        self.scene.camera.draw(canvas, self.face.at(turned(self.face.points, still, self.scene.pivot)), pose.closer)
        return np.clip(canvas, 0, 255).astype(np.uint8)


class Blend:
    """Two photographs of one person, straight and aside, laid on each other and faded into each other.

    The one that looks aside serves the other side as its mirror image; nods are made by a homography.
    """

    def __init__(self, straight: Picture, aside: Picture) -> None:
        self.straight = Perspective(straight)
        seen = mesh(aside, detect_faces(aside)[0])
        if seen.pose.yaw < 0:
            aside = aside[:, ::-1].copy()
            seen = mesh(aside, detect_faces(aside)[0])
        self.yaw = seen.pose.yaw
        fitted, _ = cv2.estimateAffinePartial2D(
            seen.points[:468, :2].astype(np.float64), self.straight.points[:468, :2].copy(), method=cv2.LMEDS
        )
        size = (self.straight.width, self.straight.height)
        self.aside = np.asarray(cv2.warpAffine(aside, fitted, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def render(self, pose: Pose) -> Picture:
        part = float(np.clip(abs(pose.yaw) / self.yaw, 0, 1))
        other = self.aside if pose.yaw > 0 else self.aside[:, ::-1]
        mixed = (1 - part) * self.straight.still.astype(np.float32) + part * other.astype(np.float32)
        flat = replace(pose, yaw=0.0)
        fitted, _ = cv2.findHomography(self.straight.points[:, :2], self.straight.moved(flat), 0)
        size = (self.straight.width, self.straight.height)
        return np.asarray(cv2.warpPerspective(mixed, fitted, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)
