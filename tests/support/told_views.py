"""Views whose measurements are told rather than measured, so that what is judged by them can be tried at its limits."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tests.support.faces import framed_still
from truename.vision.captures import FaceTemplate, Frame, Picture, Step
from truename.vision.face.mesh import Pose
from truename.vision.liveness.views import View, view


@lru_cache(maxsize=1)
def _looked() -> View:
    found = view(framed_still(None, (180, 240)))
    assert isinstance(found, View)
    plain = np.full_like(found.picture, 180)  # a wall that says nothing
    return replace(found, picture=plain)


def told(
    step: Step = Step.LOOK_STRAIGHT,
    at_ms: int = 0,
    yaw: float = 0.0,
    pitch: float = 0.0,
    size: float = 1.0,
    person: Sequence[float] = (1.0, 0.0),
    picture: Picture | None = None,
) -> View:
    """A view of a head that looks there; `person` is its template, `size` the face's, of 1."""
    seen = _looked()
    mesh = replace(seen.mesh, pose=Pose(yaw, pitch, 0.0), points=seen.mesh.points * np.float32(size))
    made = replace(seen, step=step, at_ms=at_ms, mesh=mesh, picture=seen.picture if picture is None else picture)
    vars(made)["template"] = FaceTemplate(tuple(person), "told")
    return made


def at(seen: View, at_ms: int) -> View:
    """The same view at another time."""
    made = replace(seen, at_ms=at_ms)
    vars(made)["template"] = seen.template
    return made


def frames_of(views: Sequence[View]) -> list[Frame]:
    """The frames that these views are of, as far as their names and times go."""
    return [Frame(image=bytes([number]), step=one.step, at_ms=one.at_ms) for number, one in enumerate(views)]
