"""Light on pictures of a drawn head: a screen's colours, by how far each thing is from it, and what cameras do."""

import numpy as np
from numpy.typing import NDArray

from truename.sandbox.drawing.head_scene import HeadScene, Pose, turned
from truename.vision.captures import Picture, Step
from truename.vision.liveness.light import COLOURS

Linear = NDArray[np.float32]

LEAK = 0.06
"""What a screen lets through of the primaries that are off."""
FINE = 4095


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
    share = 1.0 if person is None else behind + (1 - behind) * person
    return developed(lit(linear(picture), colour, share, strength))


def linear(picture: Picture) -> Linear:
    """The light of each pixel, from 0 to 1."""
    return np.asarray((picture.astype(np.float32) / 255) ** 2.2, np.float32)


def developed(light: Linear) -> Picture:
    """The picture of this light; what is more than 1 is clipped."""
    return np.asarray(_CODED[(np.clip(light, 0, 1) * FINE + 0.5).astype(np.int32)], np.uint8)


def lit(light: Linear, colour: Step | None, share: Linear | float, strength: float, gloss: float = 0.0) -> Linear:
    """The light with a screen's colour on it, `share` of it at each pixel; the mean stays, as a camera exposes.

    Light is multiplied by what a thing reflects of it. `gloss` of it is thrown back as it is, whatever is below.
    """
    if colour is None:
        return light
    added = strength * share * np.maximum(np.array(COLOURS[colour], np.float32), LEAK)
    made = light * (1 + added) + gloss * added
    return np.asarray(made * (light.mean() / made.mean()), np.float32)


def blended(light: Linear, colour: Step | None, part: float) -> Linear:
    """The picture with a colour laid over all of it, as a program fades one picture into another: no light does so."""
    if colour is None:
        return light
    coded = (1 - part) * light ** (1 / 2.2) + part * np.array(COLOURS[colour], np.float32)
    return np.asarray(coded**2.2, np.float32)


def contrasted(light: Linear, by: float) -> Linear:
    """As a camera that deepens shadows and lifts lights: so much of the way from a plain curve to a bent one."""
    coded = np.clip(light, 0, 1) ** (1 / 2.2)
    return np.asarray(((1 - by) * coded + by * coded * coded * (3 - 2 * coded)) ** 2.2, np.float32)


_CODED = np.rint(255 * (np.arange(FINE + 1) / FINE) ** (1 / 2.2)).astype(np.uint8)
