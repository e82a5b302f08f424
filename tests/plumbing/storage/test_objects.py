"""Does the store keep what it is given?"""

import asyncio
import os
from pathlib import Path

import pytest

from truename.plumbing.storage.objects import NoSuchObject, NoSuchStore, Objects


@pytest.fixture(params=["folder", "memory"])
def objects(request, tmp_path):
    return Objects(str(tmp_path / "media") if request.param == "folder" else "memory://")


async def test_what_was_put_comes_back_until_it_is_deleted(objects):
    await objects.put("a/b/c", b"\x00\xff" * 1000)
    assert await objects.get("a/b/c") == b"\x00\xff" * 1000
    await objects.put("a/b/c", b"new")
    assert await objects.get("a/b/c") == b"new"
    await objects.delete("a/b/c")
    with pytest.raises(NoSuchObject):
        await objects.get("a/b/c")


async def test_to_delete_what_is_gone_is_no_error(objects):
    await objects.delete("never/was")


async def test_a_folder_that_is_gone_is_not_taken_for_pictures_that_are(tmp_path):
    objects = Objects(str(tmp_path / "media"))
    await objects.put("a/b/c", b"x")
    (tmp_path / "media").rename(tmp_path / "elsewhere")  # as a disk that is not mounted any more
    started = Objects(str(tmp_path / "media"), may_make=False)
    for one in (objects, started):
        for work in (one.get("a/b/c"), one.delete("a/b/c"), one.answers(), one.put("a/b/d", b"y"), one.check()):
            with pytest.raises(NoSuchStore, match="folder of pictures is not there"):
                await work
    assert not (tmp_path / "media").exists(), "an empty one would pass for pictures that were deleted"
    with pytest.raises(NoSuchStore):
        [found async for found in objects.list("a/b/")]
    (tmp_path / "elsewhere").rename(tmp_path / "media")
    assert await objects.get("a/b/c") == await started.get("a/b/c") == b"x"


async def test_the_store_can_be_checked(objects):
    await objects.check()


async def test_a_check_that_nobody_waits_for_any_more_leaves_nothing_behind(tmp_path):
    class SlowToRead(Objects):
        async def get(self, key: str) -> bytes:
            written.set()
            await go_on.wait()
            return await super().get(key)

    written, go_on = asyncio.Event(), asyncio.Event()
    objects = SlowToRead(str(tmp_path / "media"))
    asked = asyncio.create_task(objects.check())
    await written.wait()
    asked.cancel()  # as /readyz does once its patience is at its end
    await asyncio.wait([asked])
    go_on.set()
    async with asyncio.timeout(10):
        while [chunk async for chunk in objects.list()]:
            await asyncio.sleep(0.01)


async def test_two_processes_of_one_number_can_check_the_store_at_once(tmp_path):
    class Hasty(Objects):
        async def get(self, key: str) -> bytes:
            await other.check()  # as another container does, whose processes have the same numbers
            return await super().get(key)

    other = Objects(str(tmp_path / "media"))
    await Hasty(str(tmp_path / "media")).check()


async def test_file_and_folders_are_on_disk_before_put_returns(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def note(descriptor):
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    objects = Objects(str(tmp_path / "media"))
    await objects.put("a/b", b"x")
    assert synced == [tmp_path / "media/a/b", tmp_path / "media/a", tmp_path / "media"]


async def test_a_deletion_is_on_disk_before_delete_returns(tmp_path, monkeypatch):
    """Else a picture that somebody was told is gone is back after a power cut."""
    objects, synced = Objects(str(tmp_path / "media")), []
    await objects.put("a/b", b"x")
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(Path(f"/proc/self/fd/{descriptor}").readlink()))
    await objects.delete("a/b")
    assert synced == [tmp_path / "media/a"]


async def test_what_is_kept_in_a_folder_is_for_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        objects = Objects(str(tmp_path / "media"))
        assert (tmp_path / "media").stat().st_mode & 0o777 == 0o700, "from the first moment"
        await objects.put("a/b/one", b"x")
        await objects.put_all({"a/b/two": b"y"})
    finally:
        os.umask(before)
    found = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    folders = dict.fromkeys(("media", "media/a", "media/a/b"), 0o700)
    assert found == {**folders, "media/a/b/one": 0o600, "media/a/b/two": 0o600}


async def test_keys_cannot_leave_the_folder(tmp_path):
    objects = Objects(str(tmp_path / "media"))
    with pytest.raises(Exception, match=r"\.\."):
        await objects.put("../outside", b"x")
    assert not (tmp_path / "outside").exists()


async def test_many_are_on_disk_before_put_all_returns_and_each_folder_is_waited_for_once(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def note(descriptor):
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    many = {f"account/customer/{number}": b"%d" % number for number in range(40)}
    objects = Objects(str(tmp_path / "media"))
    await objects.put_all(many)
    assert {key: await objects.get(key) for key in many} == many
    media = tmp_path / "media"
    folders = [media, media / "account", media / "account" / "customer"]
    assert sorted(synced) == sorted([media / key for key in many] + folders)
