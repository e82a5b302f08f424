"""A face as numbers: near each other for one person, far apart for two.

Which networks take part is the configured `FaceRecipe`. SFace gives the first opinion; a second network, where the
recipe names one, its share. Both stand in one vector, so that the dot product of two templates is the weighted mean of
both cosines. Every template carries the hash of what made it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from truename.vision.images import percentiles_of_bytes

MIN_PRESENCE: Final = 0.5
"""Below this the mesh does not hold (a profile, say), and the face is aligned on the detector's five points."""
LEAST_COLOUR_SPREAD, LEAST_RED, MOST_RED, LEAST_YELLOW, MOST_YELLOW, LEAST_CONTRAST = 2.5, 3, 28, 3, 34, 60
"""What the colours of a face look like in daylight and lamplight, in CIELAB; outside of it is a tint or no colour."""

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class SecondOpinion:
    """A network that judges beside SFace."""

    model: str
    weight: float
    """Its share of the whole; SFace has the rest."""
    vectors: Callable[[Vector], Vector]
    """From aligned faces (n × 112 × 112 × 3, RGB 0–255) to one vector each."""


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
    ways = _both_ways(face)
    shown = ways if _has_natural_colours(face) else np.concatenate([ways, _both_ways(_in_clear_grey(face))])
    first = _mean(sface.network().run(shown.transpose(0, 3, 1, 2))[0])
    other = SECOND_OPINIONS.get(configuration().face_recipe)
    if other is None:
        return first
    second = _mean(other.vectors(ways))
    return np.concatenate([np.sqrt(1 - other.weight) * first, np.sqrt(other.weight) * second]).astype(np.float32)


def template_sha256(recipe: FaceRecipe | None = None) -> str:
    """What makes a template by this recipe (the configured one): the hash of SFace, or of both networks' hashes."""
    first = models.model(sface.MODEL).sha256
    other = SECOND_OPINIONS.get(recipe or configuration().face_recipe)
    if other is None:
        return first
    return hashlib.sha256(f"{first}+{models.model(other.model).sha256}*{other.weight}".encode()).hexdigest()


def networks() -> tuple[models.Model, ...]:
    """The rows of all networks of the configured recipe: also of one whose file is not installed with the others."""
    other = SECOND_OPINIONS.get(configuration().face_recipe)
    return tuple(models.model(name) for name in (sface.MODEL, *([other.model] if other else ())))


def mean_template(templates: Sequence[FaceTemplate]) -> FaceTemplate:
    """One template of several pictures of one person, made by one recipe: what they agree on outweighs what differs.

    Each network's part is averaged for itself and brought back to its share, so that cosines keep their meaning.
    Raises ValueError when there is none, or when they were made by different recipes.
    """
    made_by = {one.model_sha256 for one in templates}
    if len(made_by) != 1:
        raise ValueError("a mean needs templates, and all of one recipe")
    total = np.asarray([one.vector for one in templates], np.float64).sum(0)
    shares = np.asarray([np.linalg.norm(part) for part in _parts(np.asarray(templates[0].vector))])
    parts = [part / np.linalg.norm(part) * share for part, share in zip(_parts(total), shares, strict=True)]
    return FaceTemplate(tuple(np.concatenate(parts).tolist()), made_by.pop())


def _parts(vector: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """SFace's numbers, and those of the second network where there is one."""
    return [part for part in (vector[: sface.NUMBERS], vector[sface.NUMBERS :]) if len(part)]


def is_ours(template: FaceTemplate) -> bool:
    """Was this template made by the models in use, so that it may be compared?"""
    return template.model_sha256 == template_sha256()


def cosine(one: FaceTemplate, other: FaceTemplate) -> float:
    """How alike two templates are, from −1 to 1; templates of different models are never compared."""
    if one.model_sha256 != other.model_sha256:
        raise ValueError("templates of different models cannot be compared")
    return float(np.clip(np.dot(np.asarray(one.vector), np.asarray(other.vector)), -1.0, 1.0))


def cosines_in_turn(first: FaceTemplate, others: Sequence[FaceTemplate]) -> tuple[list[float], list[float]]:
    """How alike each of the others is to the first, and how alike each is to the next; as `cosine` says."""
    if any(one.model_sha256 != first.model_sha256 for one in others):
        raise ValueError("templates of different models cannot be compared")
    vectors = np.array([one.vector for one in others])
    to_first, to_next = vectors @ np.asarray(first.vector), np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    return np.clip(to_first, -1.0, 1.0).tolist(), np.clip(to_next, -1.0, 1.0).tolist()


# ── the second opinions ────────────────────────────────────────────────────────────────────────────────────


def _by_mobilefacenet(faces: Vector) -> Vector:
    network = runtime.tflite("mobilefacenet")
    return np.stack([network.run(((one - 127.5) / 128)[None])[0][0] for one in faces])


def _by_edgeface(faces: Vector) -> Vector:
    """The graph takes one face at a time."""
    network = runtime.onnx("edgeface", np.zeros((1, 3, 112, 112), np.float32))
    return np.stack([network.run(one[None])[0][0] for one in ((faces - 127.5) / 127.5).transpose(0, 3, 1, 2)])


SECOND_OPINIONS: Final[Mapping[FaceRecipe, SecondOpinion]] = {
    FaceRecipe.SFACE_AND_MOBILEFACENET: SecondOpinion("mobilefacenet", 0.3, _by_mobilefacenet),
    FaceRecipe.EDGEFACE: SecondOpinion("edgeface", 0.7, _by_edgeface),
}


# ── what the networks are shown ────────────────────────────────────────────────────────────────────────────


def _both_ways(face: Picture) -> Vector:
    """The face and its mirror image: their mean refuses a quarter fewer people than one alone."""
    return np.stack([face, cv2.flip(face, 1)]).astype(np.float32)


def _mean(vectors: NDArray[np.float32]) -> Vector:
    total = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).sum(0)
    return np.asarray(total / np.linalg.norm(total), np.float32)


def _has_natural_colours(face: Picture) -> bool:
    """Is this a colour photograph in ordinary light, or a grey, tinted or washed-out one?"""
    middle = cv2.cvtColor(face[20:100, 24:88], cv2.COLOR_RGB2LAB)
    means, spreads = cv2.meanStdDev(middle)
    red, yellow = means[1:, 0] - 128
    lightness = cv2.extractChannel(middle, 0)
    dark, light = percentiles_of_bytes(lightness, 2, 98)
    return bool(
        spreads[1, 0] >= LEAST_COLOUR_SPREAD
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
