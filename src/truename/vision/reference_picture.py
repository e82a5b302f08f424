"""Describe the picture that an integrator enrols as a customer's reference face."""

from dataclasses import dataclass

from truename.rules.evidence import QualityReason
from truename.vision.captures import FaceTemplate, Picture
from truename.vision.face.detect import find_single_face
from truename.vision.face.embed import template_of
from truename.vision.images import CleanImage


@dataclass(frozen=True)
class Reference:
    """The copy that is safe to keep, and its face, or why there is none that can be compared."""

    image: CleanImage
    template: FaceTemplate | None
    reason: str | None

    @property
    def usable(self) -> bool:
        return self.template is not None


def describe_reference(image: CleanImage, picture: Picture) -> Reference:
    """Look for the one face in the pixels of a picture, of which `image` is the copy to keep."""
    sought = find_single_face(picture)
    if sought.face is None or QualityReason.FACE_TOO_SMALL in sought.reasons:
        return Reference(image, None, str(sought.reasons[0]) if sought.reasons else str(QualityReason.NO_FACE))
    return Reference(image, template_of(picture, sought.face), None)
