"""Light on pictures of a drawn head: a screen's colours, by how far each thing is from it."""

import numpy as np
from numpy.typing import NDArray

from truename.sandbox.drawing.head_scene import HeadScene, Pose, turned
from truename.vision.captures import Picture, Step
from truename.vision.liveness.light import COLOURS

LEAK = 0.06
"""What a screen lets through of the primaries that are off."""


def covered(scene: HeadScene, pose: Pose) -> NDArray[np.float32]:
    """How much of each pixel is the person, from 0 to 1."""
    canvas = np.zeros((scene.camera.height, scene.camera.width, 3), np.float32)
    shift = np.array([pose.right, pose.down, 0.0])
    for surface in (
        scene.body.at(scene.body.points + shift),
        scene.head.at(turned(scene.head.points, pose, scene.pivot)),
    ):
        vars(surface)["paint"] = np.column_stack((np.ones_like(surface.colours), surface.opacity))
        scene.camera.draw(canvas, surface, pose.closer)
    return canvas[..., :1]


def under_light(
    picture: Picture, colour: Step | None, person: NDArray[np.float32] | None, strength: float, behind: float = 0.05
) -> Picture:
    """The picture under a screen's colour that gives the face `strength` of the light it has, the room less.

    Without `person` the whole picture is tinted alike, as on a screen that shows a recording and is tinted itself.
    The camera keeps its exposure by the picture's mean.
    """
    if colour is None:
        return picture
    screen = np.maximum(np.array(COLOURS[colour], np.float32), LEAK)
    share = np.float32(1.0) if person is None else behind + (1 - behind) * person
    linear = (picture.astype(np.float32) / 255) ** 2.2
    lit = linear * (1 + strength * share * screen)
    lit *= linear.mean() / lit.mean()
    return np.clip(255 * np.clip(lit, 0, 1) ** (1 / 2.2), 0, 255).astype(np.uint8)
