"""A face as numbers: near each other for one person, far apart for two.

Which networks take part is the configured `FaceRecipe`. SFace gives the first opinion; MobileFaceNet, where the recipe
names it, a second one that counts a fifth. Both stand in one vector, so that the dot product of two templates is the
weighted mean of both cosines. Every template carries the hash of what made it.
"""

import hashlib
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision import models, runtime
from truename.vision.captures import FaceTemplate, Picture
from truename.vision.configuration import FaceRecipe, configuration
from truename.vision.face import sface
from truename.vision.face.align import align
from truename.vision.face.detect import Face
from truename.vision.face.mesh import STEADY_POINTS, Mesh, mesh, steady_places

SECOND: Final = "mobilefacenet"
SECOND_WEIGHT: Final = 0.2
MIN_PRESENCE: Final = 0.5
"""Below this the mesh does not hold (a profile, say), and the face is aligned on the detector's five points."""
LEAST_COLOUR_SPREAD, LEAST_RED, MOST_RED, LEAST_YELLOW, MOST_YELLOW, LEAST_CONTRAST = 2.5, 3, 28, 3, 34, 60
"""What the colours of a face look like in daylight and lamplight, in CIELAB; outside of it is a tint or no colour."""

Vector = NDArray[np.float32]


def template_of(picture: Picture, face: Face, found: Mesh | None = None) -> FaceTemplate:
    """The template of a face that was found in the picture; its mesh is laid unless it is given."""
    vector = embed(aligned(picture, face, found or mesh(picture, face)))
    return FaceTemplate(tuple(vector.tolist()), template_sha256())


def aligned(picture: Picture, face: Face, found: Mesh) -> Picture:
    """The face as the networks were taught to see it, steadied by many points of its mesh."""
    if found.presence < MIN_PRESENCE:
        return align(picture, face.points)
    return align(picture, np.ascontiguousarray(found.points[STEADY_POINTS, :2]), steady_places())


def embed(face: Picture) -> Vector:
    """The vector of an aligned face, of length one."""
    shown = [face] if _has_natural_colours(face) else [face, _in_clear_grey(face)]
    first = _mean(sface.network().run(_both_ways(shown).transpose(0, 3, 1, 2))[0])
    if not has_second_opinion():
        return first
    network = runtime.tflite(SECOND)
    second = _mean(np.stack([network.run(((one - 127.5) / 128)[None])[0][0] for one in _both_ways([face])]))
    return np.concatenate([np.sqrt(1 - SECOND_WEIGHT) * first, np.sqrt(SECOND_WEIGHT) * second]).astype(np.float32)


def has_second_opinion() -> bool:
    """Does the second network vote? The configured recipe says so, and nothing else."""
    return configuration().face_recipe is FaceRecipe.SFACE_AND_MOBILEFACENET


def template_sha256() -> str:
    """What makes a template by the configured recipe: the hash of SFace, or of both networks' hashes."""
    first = models.model(sface.MODEL).sha256
    if not has_second_opinion():
        return first
    return hashlib.sha256(f"{first}+{models.model(SECOND).sha256}*{SECOND_WEIGHT}".encode()).hexdigest()


def is_ours(template: FaceTemplate) -> bool:
    """Was this template made by the models in use, so that it may be compared?"""
    return template.model_sha256 == template_sha256()


def cosine(one: FaceTemplate, other: FaceTemplate) -> float:
    """How alike two templates are, from −1 to 1; templates of different models are never compared."""
    if one.model_sha256 != other.model_sha256:
        raise ValueError("templates of different models cannot be compared")
    return float(np.clip(np.dot(np.asarray(one.vector), np.asarray(other.vector)), -1.0, 1.0))


# ── what the networks are shown ────────────────────────────────────────────────────────────────────────────


def _both_ways(faces: list[Picture]) -> Vector:
    """Each face and its mirror image: their mean refuses a quarter fewer people than one alone."""
    return np.stack([way for face in faces for way in (face, face[:, ::-1])]).astype(np.float32)


def _mean(vectors: NDArray[np.float32]) -> Vector:
    total = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).sum(0)
    return np.asarray(total / np.linalg.norm(total), np.float32)


def _has_natural_colours(face: Picture) -> bool:
    """Is this a colour photograph in ordinary light, or a grey, tinted or washed-out one?"""
    middle = (
        cv2.cvtColor(np.ascontiguousarray(face[20:100, 24:88]), cv2.COLOR_RGB2LAB).reshape(-1, 3).astype(np.float32)
    )
    _, red, yellow = middle.mean(0) - 128
    dark, light = np.percentile(middle[:, 0], [2, 98])
    return bool(
        middle[:, 1].std() >= LEAST_COLOUR_SPREAD
        and LEAST_RED <= red <= MOST_RED
        and LEAST_YELLOW <= yellow <= MOST_YELLOW
        and light - dark >= LEAST_CONTRAST
    )


def _in_clear_grey(face: Picture) -> Picture:
    """The face without its tint, its greys spread over the range that photographs have."""
    grey = cv2.cvtColor(face, cv2.COLOR_RGB2GRAY).astype(np.float32)
    dark, light = np.percentile(grey[16:100, 20:92], [2, 98])
    clear = np.clip((grey - dark) * (200 / max(light - dark, 20)) + 25, 0, 255).astype(np.uint8)
    return np.dstack([clear] * 3)
