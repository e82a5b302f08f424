"""Keep bytes under a key: in a folder, or in an S3, Google or Azure bucket; what was put stays put."""

import asyncio
import contextlib
import os
import stat
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import obstore
import structlog
from obstore.exceptions import BaseError, NotFoundError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, from_url

from truename.plumbing.private_files import FolderUnavailable
from truename.plumbing.storage_address import StorageAddress, storage_address

log = structlog.get_logger(__name__)

PATIENCE: Final = {"connect_timeout": timedelta(seconds=3), "timeout": timedelta(seconds=20)}
RETRIES: Final = {
    "max_retries": 4,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}
"""A store that stumbles is asked again; one that is down must be said while the person still holds the phone."""


PROBES: Final = "truename-probe"
"""First part of the keys of objects that only tell whether the store works, each with an id of its own: processes in
containers share their numbers, and one would delete what another is about to read."""


class NoSuchObject(Exception):
    """Nothing is kept under this key."""


class StorageUnavailable(Exception):
    """The store does not answer, has no room, or refuses us: nothing is known of the object itself. Try again later."""


class NoSuchStore(StorageUnavailable):
    """The bucket or the folder itself is not there: what was put into it is not gone, but somewhere else."""


class NoSuchBucket(NoSuchStore):
    """The bucket is not there. A store that makes one with its first object has not been given any yet, or lost it."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What a listing tells of an object."""

    key: str
    written_at: datetime


class Objects:
    """One store of objects; callers hand in bytes that are sealed already. All but `NoSuchObject` is unavailability.

    Only with `may_make` is a folder made where there is none: an empty one in place of a disk that is not mounted would
    pass for pictures that were deleted.
    """

    def __init__(self, where: str, *, may_make: bool = True) -> None:
        address = storage_address(where)
        self._folder: Path | None = None
        self._probes: set[asyncio.Task[None]] = set()
        self._offer: asyncio.Task[None] | None = None
        self._refused_bytes: int | None = None
        """The size of the largest object that the store would not take; None once it has taken one as large."""
        self._speaks_s3 = address.folder is None and address.bucket_url.startswith("s3")
        self._opened = _bucket(address) if address.folder is None else None
        if address.folder is not None:
            self._folder = address.folder.resolve()
            if may_make:
                _make_folder(self._folder)

    @property
    def _store(self) -> Any:
        if self._opened is None:
            self._refuse_missing_folder()
            self._opened = LocalStore(prefix=self._folder)
        return self._opened

    async def put(self, key: str, data: bytes) -> None:
        """Durable once this returns: the row that names the key may commit."""
        await self.put_all({key: data})

    async def put_all(self, objects: Mapping[str, bytes]) -> None:
        """The same for many, sent side by side; each folder is waited for once and not once for each object."""
        size = max(map(len, objects.values()), default=0)
        try:
            with _troubles():
                self._refuse_missing_folder()  # the library would make a new one
                await asyncio.gather(*(obstore.put_async(self._store, key, data) for key, data in objects.items()))
                if self._folder is not None:
                    await asyncio.to_thread(_persist, self._folder, list(objects))
        except StorageUnavailable:
            self._refused_bytes = max(self._refused_bytes or 0, size)
            raise
        if self._refused_bytes is not None and size >= self._refused_bytes:
            self._refused_bytes = None

    async def get(self, key: str) -> bytes:
        """The bytes. Raises NoSuchObject when there are none."""
        with _troubles():
            try:
                answer = await obstore.get_async(self._store, key)
                return bytes(await answer.bytes_async())
            except (NotFoundError, FileNotFoundError) as missing:
                self._refuse_missing_store(missing)
                raise NoSuchObject(key) from None

    def _refuse_missing_store(self, missing: Exception) -> None:
        """Raises NoSuchStore when "not found" was not said of the object, but of the store, or by somebody before it.

        To take that for a missing picture would fail its transaction, or take an erasure for done.
        """
        words = str(missing)
        if self._folder is not None:
            self._refuse_missing_folder()
        elif "<Code>NoSuchBucket</Code>" in words or "ContainerNotFound" in words:
            raise NoSuchBucket("The bucket of pictures does not exist.")
        elif self._speaks_s3 and "<Code>NoSuchKey</Code>" not in words:
            raise StorageUnavailable("Somebody before the store of pictures answers 404.")

    def _refuse_missing_folder(self) -> None:
        if self._folder is not None and not self._folder.is_dir():
            raise NoSuchStore("The folder of pictures is not there.")

    async def delete(self, key: str) -> None:
        """To delete what is gone already is no error."""
        with _troubles():
            try:
                await obstore.delete_async(self._store, key)
            except (NotFoundError, FileNotFoundError) as missing:
                self._refuse_missing_store(missing)
                return
            if self._folder is not None:
                await asyncio.to_thread(_sync, (self._folder / key).parent)

    async def discard(self, keys: Iterable[str]) -> None:
        """Delete what nothing refers to any more. Where the store is away it stays, sealed, until the orphan sweep."""
        for key in keys:
            try:
                await self.delete(key)
            except StorageUnavailable as trouble:
                log.warning("a loose picture is left to the sweep", error=str(trouble))

    async def list(self, prefix: str = "", at_once: int = 1000) -> AsyncIterator[Sequence[StoredObject]]:
        """Every object whose key begins with these whole parts, in chunks; in no order that can be relied on."""
        with _troubles():
            self._refuse_missing_folder()
            async for chunk in obstore.list(self._store, prefix=prefix or None, chunk_size=at_once):
                yield [StoredObject(found["path"], found["last_modified"]) for found in chunk]

    async def answers(self) -> None:
        """Ask for an object that is not there; raises StorageUnavailable unless the store says just that."""
        with contextlib.suppress(NoSuchObject):
            await self.get(f"{PROBES}/nothing")

    async def takes_again(self) -> None:
        """Where the store has refused the last object, offer one as large; raises StorageUnavailable if it still does.

        It costs nothing while all is well: a store that is full, or may only be read, shows that with the first upload.
        However many ask, one is offered at a time.
        """
        if self._refused_bytes is None:
            return
        if self._offer is None or self._offer.done():
            self._offer = asyncio.create_task(self.check(b"\0" * self._refused_bytes))
        await asyncio.shield(self._offer)

    async def check(self, data: bytes = b"truename") -> None:
        """Write, read and delete a small object; raises what is wrong.

        Who waits no longer, as /readyz does after a while, leaves it to end by itself: broken off after it was written,
        the object would stay.
        """
        asked = asyncio.create_task(self._write_read_and_delete(f"{PROBES}/{uuid4()}", data))
        self._probes.add(asked)
        asked.add_done_callback(self._probes.discard)
        await asyncio.shield(asked)

    async def _write_read_and_delete(self, key: str, data: bytes) -> None:
        await self.put(key, data)
        if await self.get(key) != data:
            raise OSError("the store gave back other bytes than it was given")
        await self.delete(key)


def _bucket(address: StorageAddress) -> Any:
    """The store behind an address. Credentials are those of the environment, as the store's own tools have them."""
    if not address.bucket_url.startswith("s3"):
        if address.bucket_url.startswith("memory"):
            return from_url(address.bucket_url)
        return from_url(address.bucket_url, client_options=PATIENCE, retry_config=RETRIES)  # type: ignore[call-overload]
    client: dict[str, object] = {**PATIENCE, "allow_http": (address.endpoint or "").startswith("http://")}
    if address.ca_file is not None:
        client["root_certificate"] = address.ca_file.read_bytes()
    given = {"endpoint": address.endpoint, "region": address.region}
    return from_url(  # type: ignore[call-overload]  # its types of options cannot be imported
        address.bucket_url,
        client_options=client,
        retry_config=RETRIES,
        **{name: value for name, value in given.items() if value is not None},
    )


@contextlib.contextmanager
def _troubles() -> Iterator[None]:
    """Whatever the store's library says, in our words: what it quotes is the address, never what was sent."""
    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError):
        raise StorageUnavailable("The store of pictures refuses our credentials.") from None
    except BaseError as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise StorageUnavailable(f"The store of pictures cannot do it: {first[:200]}") from None
    except OSError as error:
        raise StorageUnavailable(f"The store of pictures cannot do it: {error.strerror or error}.") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        raise FolderUnavailable(f"The folder of pictures {folder} cannot be made: {fault.strerror}.") from None


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
