"""Keep bytes under a key: in a folder, or in an S3, Google or Azure bucket; what was put stays put."""

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import NotFoundError
from obstore.store import LocalStore, from_url

SCHEMES = ("s3://", "s3a://", "gs://", "az://", "azure://", "abfs://", "abfss://", "memory://")


class NoSuchObject(Exception):
    """Nothing is kept under this key."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What a listing tells of an object."""

    key: str
    written_at: datetime


class Objects:
    """One store of objects; callers hand in bytes that are sealed already."""

    def __init__(self, where: str) -> None:
        self._folder: Path | None = None
        self._store: Any
        if where.startswith(SCHEMES):
            self._store = from_url(where)
        else:
            self._folder = Path(where.removeprefix("file://")).resolve()
            _make_folder(self._folder)
            self._store = LocalStore(prefix=self._folder)

    async def put(self, key: str, data: bytes) -> None:
        """Durable once this returns: the row that names the key may commit."""
        await obstore.put_async(self._store, key, data)
        if self._folder is not None:
            await asyncio.to_thread(_persist, self._folder, [key])

    async def put_all(self, objects: Mapping[str, bytes]) -> None:
        """The same for many, sent side by side; each folder is waited for once and not once for each object."""
        await asyncio.gather(*(obstore.put_async(self._store, key, data) for key, data in objects.items()))
        if self._folder is not None:
            await asyncio.to_thread(_persist, self._folder, list(objects))

    async def get(self, key: str) -> bytes:
        try:
            answer = await obstore.get_async(self._store, key)
            return bytes(await answer.bytes_async())
        except (NotFoundError, FileNotFoundError):
            raise NoSuchObject(key) from None

    async def delete(self, key: str) -> None:
        """To delete what is gone already is no error."""
        try:
            await obstore.delete_async(self._store, key)
        except (NotFoundError, FileNotFoundError):
            return
        if self._folder is not None:
            await asyncio.to_thread(_sync, (self._folder / key).parent)

    async def list(self, prefix: str = "", at_once: int = 1000) -> AsyncIterator[Sequence[StoredObject]]:
        """Every object whose key begins with these whole parts, in chunks; in no order that can be relied on."""
        async for chunk in obstore.list(self._store, prefix=prefix or None, chunk_size=at_once):
            yield [StoredObject(found["path"], found["last_modified"]) for found in chunk]

    async def check(self) -> None:
        """Write, read and delete a small object; raises what is wrong."""
        key = f"doctor/{os.getpid()}"
        await self.put(key, b"truename")
        if await self.get(key) != b"truename":
            raise OSError("the store gave back other bytes than it was given")
        await self.delete(key)


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _persist(folder: Path, keys: Sequence[str]) -> None:
    """The local store renames into place without fsync, so that a power cut could leave a row without its image.

    And it makes files as readable as the process's umask says; they are nobody else's business.
    """
    folders = set()
    for key in keys:
        path = folder / key
        _sync(path, mode=0o600)
        folders |= {parent for parent in path.parents if parent == folder or folder in parent.parents}
    for parent in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        _sync(parent, mode=0o700)


def _sync(path: Path, mode: int | None = None) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        if mode is not None and stat.S_IMODE(os.fstat(descriptor).st_mode) & ~mode:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
