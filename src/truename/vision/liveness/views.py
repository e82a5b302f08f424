"""One frame of the sequence with the face that was found in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.rules.evidence import QualityReason
from truename.vision.captures import FaceTemplate, Frame, Picture, Step
from truename.vision.face.detect import Face, detect_faces
from truename.vision.face.embed import template_of
from truename.vision.face.mesh import CHIN, FOREHEAD, Mesh, mesh, mesh_again
from truename.vision.images import halve

MIN_PRESENCE: Final = 0.5
"""Below this the mesh network says that its crop shows no face that it could follow."""

ANOTHER_PERSON: Final = 0.55
"""A second face this tall against the first is somebody taking part; people in the room behind are smaller. The face
that is judged is the same throughout, because identity is compared between all frames."""


@dataclass(frozen=True)
class View:
    """A frame in which one face was found and could be followed, and no other for sure."""

    number: int
    """Which of the frames it is, from 0."""
    step: Step
    at_ms: int
    picture: Picture
    face: Face
    mesh: Mesh
    maybe_another: bool = False
    """The detector saw a second face, large enough to take part, in which the mesh network sees none."""

    @property
    def yaw(self) -> float:
        return self.mesh.pose.yaw

    @cached_property
    def size(self) -> float:
        """Forehead to chin in pixels, whichever way the head is turned."""
        return float(np.linalg.norm(self.mesh.points[FOREHEAD] - self.mesh.points[CHIN]))

    @cached_property
    def grey(self) -> NDArray[np.uint8]:
        """The picture without its colours, made once."""
        return np.asarray(cv2.cvtColor(self.picture, cv2.COLOR_RGB2GRAY), np.uint8)

    @cached_property
    def half(self) -> Picture:
        """The picture at half of its size, made once."""
        return halve(self.picture)

    @cached_property
    def softened_half(self) -> NDArray[np.float32]:
        """The half without its colours, blurred by one of its pixels: a camera's noise would hide small movements."""
        grey = cv2.cvtColor(self.half, cv2.COLOR_RGB2GRAY).astype(np.float32)
        return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), np.float32)

    def softened(self, by: float) -> NDArray[np.uint8]:
        """The same blurred by so many pixels, made once for each number of them."""
        if by not in self._softened:
            self._softened[by] = np.asarray(cv2.GaussianBlur(self.grey, (0, 0), by), np.uint8)
        return self._softened[by]

    @cached_property
    def _softened(self) -> dict[float, NDArray[np.uint8]]:
        return {}

    @cached_property
    def template(self) -> FaceTemplate:
        return template_of(self.picture, self.face, self.mesh)


def view(picture: Picture, step: Step = Step.LOOK_STRAIGHT, at_ms: int = 0, number: int = 0) -> View | QualityReason:
    """Find the one face of a frame, or say why there is none."""
    faces = detect_faces(picture, persistent=False) or detect_faces(picture)
    if not faces:
        return QualityReason.NO_FACE
    others = [other for other in faces[1:] if other.box[3] > ANOTHER_PERSON * faces[0].box[3]]
    if any(mesh(picture, other).presence >= MIN_PRESENCE for other in others):
        return QualityReason.SEVERAL_FACES
    found = mesh(picture, faces[0])
    if found.presence < MIN_PRESENCE:
        return QualityReason.NO_FACE
    return View(number, step, at_ms, picture, faces[0], found, maybe_another=bool(others))


def shows_another_person(seen: Sequence[View | QualityReason]) -> bool:
    """Does somebody else take part in these frames? Once for sure is enough; else in more than one of them.

    Somebody half outside the picture, or seen from the side, is a face to the detector alone, but not in one frame
    only. What it takes for a face in the folds of a coat is, and would cost an honest person the whole recording.
    """
    maybe = sum(isinstance(one, View) and one.maybe_another for one in seen)
    return QualityReason.SEVERAL_FACES in seen or maybe > (1 if len(seen) > 1 else 0)


def view_all(frames: Sequence[Frame], pictures: Sequence[Picture]) -> list[View | QualityReason]:
    """Look at every frame; the answer has one entry per frame."""
    return [
        view(picture, frame.step, frame.at_ms, number)
        for number, (frame, picture) in enumerate(zip(frames, pictures, strict=True))
    ]


def measured_again(seen: Sequence[View | QualityReason]) -> list[View | QualityReason]:
    """The same views with every mesh laid once more, by its own points; who they show is told as before."""
    return [_measured_again(one) if isinstance(one, View) else one for one in seen]


def _measured_again(one: View) -> View:
    again = mesh_again(one.picture, one.mesh)
    if again.presence < MIN_PRESENCE:
        return one
    made = replace(one, mesh=again)
    vars(made)["template"] = one.template  # faces are compared as they are cut out of documents
    return made
