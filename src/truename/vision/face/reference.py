"""Can this picture serve as a person's identity reference, and what is its template?"""

from dataclasses import dataclass
from typing import Final

from truename.rules.evidence import QualityReason
from truename.vision.captures import Decode, FaceTemplate, Picture, ReferenceFace
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.pixels import decode as decode_here
from truename.vision.face.detect import find_single_face
from truename.vision.face.embed import MIN_PRESENCE, is_ours, template_of
from truename.vision.face.mesh import mesh

UNSURE_SCORE: Final = 0.77
"""What the detector scores below this is a face only if the mesh holds on it.

Measured on 3,330 photographs of people that could serve: of the 52 faces on which the mesh does not hold (most of them
in profile) the lowest scores 0.812, so that nobody is refused. Of 60 views of a cat the detector took 20 for a face, at
0.60 to 0.75, and the mesh none; of 60 drawn animals 21, of which 9 are refused.
"""


@dataclass(frozen=True)
class ReferenceReading:
    """The template, or the reason why the picture cannot be compared with."""

    template: FaceTemplate | None
    reason: QualityReason | None = None

    @property
    def usable(self) -> bool:
        """Can faces be compared with it?"""
        return self.template is not None


def find_reference_face(picture: Picture) -> ReferenceReading:
    """The template of the one face in a decoded picture; none (or an animal's), several or a tiny one are unusable."""
    found = find_single_face(picture)
    if found.face is None or QualityReason.FACE_TOO_SMALL in found.reasons:
        return ReferenceReading(None, found.reasons[0])
    laid = mesh(picture, found.face)
    if found.face.score < UNSURE_SCORE and laid.presence < MIN_PRESENCE:
        return ReferenceReading(None, QualityReason.NO_FACE)
    return ReferenceReading(template_of(picture, found.face, laid))


def read_reference(image: bytes, decode: Decode = decode_here) -> ReferenceReading:
    """The same of an encoded picture; one that cannot be decoded is unusable, too."""
    try:
        return find_reference_face(decode(image))
    except ImageRefused:
        return ReferenceReading(None, QualityReason.UNREADABLE)


def template_of_reference(reference: ReferenceFace, decode: Decode = decode_here) -> FaceTemplate | None:
    """The stored template when our recipe made it, else a new one from the picture.

    Where the picture is gone the other recipe's template is returned, which no comparison will score; nothing comes
    back when there was neither.
    """
    if reference.template is not None and is_ours(reference.template):
        return reference.template
    return read_reference(reference.image, decode).template if reference.image else reference.template
