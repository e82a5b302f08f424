"""A file of the folder `bundled/`: where it lies, and what it must hash to.

The folder is filled by `tools/bundle.py` (`make install`, `make wheel`) from packages that are pinned by hash; nothing
of it is committed. A checkout and an installed wheel look in the same place, beside this module, and nowhere else.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
INSTALL_AGAIN: Final = "install the wheel again, or run `make install` in a checkout"


class BundleFault(Exception):
    """A bundled file is missing, or is not the one that was pinned; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class BundledFile:
    """One file; `name` is its path inside the folder, with slashes."""

    name: str
    sha256: str

    @property
    def path(self) -> Path:
        return FOLDER / self.name

    def read(self) -> bytes:
        """The bytes; raises BundleFault when the file is missing or another than the one that was pinned."""
        try:
            data = self.path.read_bytes()
        except OSError:
            raise BundleFault(f"The file {self.path} is missing: {INSTALL_AGAIN}.") from None
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            raise BundleFault(f"The file {self.path} has sha256 {found}, not {self.sha256}: {INSTALL_AGAIN}.")
        return data


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file of a package of PyPI that is pinned in requirements/, or of npm, in package-lock.json."""

    package: str
    """`npm:…` for a package of npm."""
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
    member: str | None = None
    """Where `path` is a program that unpacks archives out of itself: the name of the file in one of them."""
