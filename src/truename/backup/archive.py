"""The file of a backup: an ordinary tar with the database, the sealed pictures, and a sum for each.

database.dump     PostgreSQL's own format
media/KEY         each picture as it lies in the store, sealed
backup.json       what it holds
SHA256SUMS        of all the others, as `sha256sum --check` reads it
"""

import hashlib
import io
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from truename.plumbing.database.migrate import newest
from truename.plumbing.private_files import private_draft

DATABASE: Final = "database.dump"
CONTENTS: Final = "backup.json"
SUMS: Final = "SHA256SUMS"
MEDIA: Final = "media/"
PICTURE: Final = re.compile(MEDIA + "/".join(["[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"] * 3))
FORMAT: Final = 1
CHUNK: Final = 1 << 20


class BrokenArchive(Exception):
    """This is no backup, or not all of it, or not as it was written; the message says which."""


class LaterArchive(Exception):
    """A later Truename wrote this backup, and this one cannot put it back; the message says so, and which it was."""

    def __init__(self, truename: str) -> None:
        super().__init__(f"It was written by a later Truename ({truename}) than this one: use that version.")


Version = Annotated[str, Field(pattern=r"^[0-9A-Za-z.+-]{1,40}$")]
Step = Annotated[str, Field(pattern=r"^[0-9]{4}$")]


class Origin(BaseModel):
    """What a backup says of itself in whatever format."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int
    truename: Version


class Contents(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = FORMAT
    truename: Version
    """The version that wrote it."""
    step: Step
    """The last migration of its database."""
    taken_at: datetime
    """The moment that it shows."""
    pictures: int
    missing: int
    """Pictures that the database names and the store did not have."""


class ArchiveWriter:
    """Writes a new archive under a name of its own, and gives it the real one when all of it is on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._draft = opened.enter_context(private_draft(self.path))
            self._file = opened.enter_context(self._draft.open("wb"))
            self._tar = tarfile.open(fileobj=self._file, mode="w|", format=tarfile.PAX_FORMAT)
            opened.callback(self._end_tar)
            self._sums = opened.enter_context(tempfile.TemporaryFile(dir=self.path.parent))
            self._open = opened.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._open.close()

    def _end_tar(self) -> None:
        """Of one that was broken off: it would be ended when it is collected, into a file that is closed by then."""
        with suppress(OSError):
            self._tar.close()

    def add(self, name: str, data: bytes) -> None:
        """Add bytes under a name."""
        self._sums.write(f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode())
        self._tar.addfile(_member(name, len(data)), io.BytesIO(data))

    def add_file(self, name: str, path: Path) -> None:
        """Add the bytes of a file, however large."""
        with path.open("rb") as source:
            total = hashlib.file_digest(source, "sha256").hexdigest()
            self._sums.write(f"{total}  {name}\n".encode())
            source.seek(0)
            self._tar.addfile(_member(name, path.stat().st_size), source)

    def finish(self, contents: Contents) -> None:
        """Close it: from now on the file is there, whole."""
        self.add(CONTENTS, contents.model_dump_json(indent=2).encode() + b"\n")
        size = self._sums.tell()
        self._sums.seek(0)
        self._tar.addfile(_member(SUMS, size), self._sums)
        self._tar.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        os.link(self._draft, self.path)  # fails where something has this name by now


def check(path: Path) -> Contents:
    """Read all of an archive and compare every sum; what it holds. Raises BrokenArchive with what is wrong.

    Raises LaterArchive for one of a later Truename: whatever else is in it, its own word on that is looked for first.
    """
    contents: Contents | None = None
    unknown: str | None = None
    databases = 0
    complete = False
    with tempfile.TemporaryFile() as sums, _reading(path) as tar:
        for member in tar:
            if complete:
                raise BrokenArchive(f"{member.name} stands behind the end of the backup.")
            source = _source(tar, member)
            if member.name == SUMS:
                sums.seek(0)
                complete = _same(sums, source)
                if not complete:
                    raise BrokenArchive("The sums do not agree: something in it was altered.")
                continue
            if contents is not None:
                raise BrokenArchive(f"{member.name} stands where nothing should.")
            if member.name == CONTENTS:
                contents = _contents(data := source.read())
                total = hashlib.sha256(data).hexdigest()
            else:
                databases += member.name == DATABASE
                if member.name != DATABASE and not PICTURE.fullmatch(member.name):
                    unknown = unknown or member.name
                total = _sum(source)
            sums.write(f"{total}  {member.name}\n".encode())
    strange = f"{unknown} is nothing that a backup holds."
    if contents is None or not complete:
        raise BrokenArchive("It ends too early." if unknown is None else strange)
    if contents.step > newest():
        raise LaterArchive(contents.truename)
    if unknown is not None:
        raise BrokenArchive(strange)
    if databases != 1:
        raise BrokenArchive(f"There is {'no database' if not databases else 'more than one database'} in it.")
    return contents


def pictures(path: Path) -> Iterator[tuple[str, bytes]]:
    """The key and the sealed bytes of each picture, one after another."""
    with _reading(path) as tar:
        for member in tar:
            if member.name.startswith(MEDIA):
                yield member.name.removeprefix(MEDIA), _source(tar, member).read()


def take_database(path: Path, to: IO[bytes]) -> None:
    """Write the dump of the database into a file."""
    with _reading(path) as tar:
        for member in tar:
            if member.name == DATABASE:
                source = _source(tar, member)
                while chunk := source.read(CHUNK):
                    to.write(chunk)
                to.flush()
                return
    raise BrokenArchive("There is no database in it.")


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member


@contextmanager
def _reading(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, mode="r|") as tar:
            yield tar
    except (tarfile.TarError, EOFError) as fault:
        raise BrokenArchive(f"It cannot be read: {fault}.") from None


def _source(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    source = tar.extractfile(member) if member.isreg() else None
    if source is None:
        raise BrokenArchive(f"{member.name} is no file.")
    return source


def _contents(data: bytes) -> Contents:
    wrong = BrokenArchive(f"{CONTENTS} is not as a backup writes it.")
    try:
        origin = Origin.model_validate_json(data)
    except ValidationError:
        raise wrong from None
    if origin.format > FORMAT:
        raise LaterArchive(origin.truename)
    try:
        return Contents.model_validate_json(data)
    except ValidationError as fault:
        if all(one["type"] == "extra_forbidden" for one in fault.errors()):  # only a later version writes more
            raise LaterArchive(origin.truename) from None
        raise wrong from None


def _sum(source: IO[bytes]) -> str:
    total = hashlib.sha256()
    while chunk := source.read(CHUNK):
        total.update(chunk)
    return total.hexdigest()


def _same(one: IO[bytes], other: IO[bytes]) -> bool:
    while True:
        ours, theirs = one.read(CHUNK), other.read(CHUNK)
        if ours != theirs:
            return False
        if not ours:
            return True
