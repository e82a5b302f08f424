"""What browsers load from us that others wrote: the table `npm.toml`, one entry for each package of npm."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Final

from truename.bundled.files import FOLDER, BundledFile

TABLE: Final = FOLDER / "npm.toml"


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package of npm, and the files of it that a page loads."""

    name: str
    version: str
    licence: str
    used_by: str
    """The door that serves it: `capture_page`, `dashboard` or `api`."""
    files: tuple[str, ...]
    hashes: tuple[str, ...]

    def bundled(self, file: str) -> BundledFile:
        """Where one of its files lies, and what it must hash to."""
        return BundledFile(f"npm/{self.name}/{file}", self.hashes[self.files.index(file)])


@cache
def npm_packages(used_by: str | None = None) -> tuple[NpmPackage, ...]:
    """Every package of the table, or those that one door serves."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["package"]
    packages = (
        NpmPackage(
            entry["name"],
            entry["version"],
            entry["licence"],
            entry["used_by"],
            tuple(entry["files"]),
            tuple(entry["files"].values()),
        )
        for entry in entries
    )
    return tuple(package for package in packages if used_by in (None, package.used_by))


def npm_files() -> tuple[BundledFile, ...]:
    """Every file of every package."""
    return tuple(package.bundled(file) for package in npm_packages() for file in package.files)
