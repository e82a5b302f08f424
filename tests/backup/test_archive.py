"""A file that somebody made on purpose: is anything put back that a backup does not hold?"""

import hashlib
import io
import os
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from truename.backup.archive import (
    CHUNK,
    CONTENTS,
    DATABASE,
    MEDIA,
    SUMS,
    ArchiveWriter,
    BrokenArchive,
    Contents,
    LaterArchive,
    check,
)

PICTURE = MEDIA + "/".join(str(UUID(int=number)) for number in (1, 2, 3))
TOLD = Contents(truename="0.2.0", step="0001", taken_at=datetime(2026, 11, 18, tzinfo=UTC), pictures=1, missing=0)
WHOLE = ((DATABASE, b"dump"), (PICTURE, b"sealed"), (CONTENTS, TOLD.model_dump_json().encode()))


def an_archive(path: Path, members: tuple[tuple[str, bytes], ...], behind: tuple[tuple[str, bytes], ...] = ()) -> Path:
    """With right sums of all members; what is `behind` stands behind the sums. No bytes: a link."""
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in members)
    with tarfile.open(path, "w") as tar:
        for name, data in (*members, (SUMS, sums.encode()), *behind):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            if not data:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/hostname"
            tar.addfile(member, io.BytesIO(data))
    return path


def test_what_is_as_a_backup_writes_it_is_taken(tmp_path):
    assert check(an_archive(tmp_path / "backup", WHOLE)) == TOLD


@pytest.mark.parametrize(
    ("members", "behind", "words"),
    [
        ((("media/../../master.key", b"x"), *WHOLE), (), "nothing that a backup holds"),
        (((f"{PICTURE}/more", b"x"), *WHOLE), (), "nothing that a backup holds"),
        ((("notes.txt", b"x"), *WHOLE), (), "nothing that a backup holds"),
        (((PICTURE, b""), *WHOLE), (), "is no file"),
        ((*WHOLE, (PICTURE, b"another")), (), "stands where nothing should"),
        (WHOLE, ((PICTURE, b"another"),), "stands behind the end"),
        (WHOLE[:2], (), "ends too early"),
        ((*WHOLE[:2], (CONTENTS, b"{}")), (), "not as a backup writes it"),
        ((*WHOLE[:2], (CONTENTS, WHOLE[2][1].replace(b'"step":"0001"', b'"step":"head"'))), (), "not as a backup"),
        (WHOLE[1:], (), "no database in it"),
        ((WHOLE[0], *WHOLE), (), "more than one database"),
    ],
)
def test_what_no_backup_holds_is_refused_though_its_sums_are_right(tmp_path, members, behind, words):
    with pytest.raises(BrokenArchive, match=words):
        check(an_archive(tmp_path / "backup", members, behind))


LATER: tuple[tuple[tuple[bytes, bytes], ...], ...] = (
    ((b'"format":1', b'"format":2'),),
    ((b'"format":1', b'"format":2'), (b'"missing"', b'"lacking"')),
    ((b'"step":"0001"', b'"step":"9999"'),),
    ((b'"missing":0', b'"missing":0,"events":3'),),
)
"""What a later version may write otherwise into what a backup says of itself."""


@pytest.mark.parametrize("otherwise", LATER)
@pytest.mark.parametrize("before", [(), (("events/1", b"x"),)])
def test_one_of_a_later_truename_is_said_to_be_that_and_not_broken(tmp_path, otherwise, before):
    told = WHOLE[2][1].replace(b"0.2.0", b"7.1.0")
    for found, written in otherwise:
        assert found in told
        told = told.replace(found, written)
    with pytest.raises(LaterArchive, match=r"later Truename \(7\.1\.0\)"):
        check(an_archive(tmp_path / "backup", (*before, *WHOLE[:2], (CONTENTS, told))))


def test_one_of_a_later_truename_that_was_altered_is_broken_none_the_less(tmp_path):
    later = an_archive(tmp_path / "backup", (*WHOLE[:2], (CONTENTS, WHOLE[2][1].replace(b"0001", b"9999"))))
    later.write_bytes(later.read_bytes().replace(b"sealed", b"SEALED"))
    with pytest.raises(BrokenArchive, match="The sums do not agree"):
        check(later)


@pytest.mark.slow
def test_one_altered_picture_is_noticed_however_many_there_are(tmp_path):
    """The sums of six thousand are more than is compared at once."""
    names = [f"{MEDIA}{UUID(int=1)}/{UUID(int=2)}/{UUID(int=number)}" for number in range(6000)]
    whole = an_archive(tmp_path / "backup", (WHOLE[0], *((name, b"sealed") for name in names), WHOLE[2]))
    assert check(whole) == TOLD
    with tarfile.open(whole) as tar:
        last = tar.getmember(names[-1])
        assert tar.getmember(SUMS).size > CHUNK
    with whole.open("r+b") as file:
        file.seek(last.offset_data)
        file.write(b"SEALED")
    with pytest.raises(BrokenArchive, match="The sums do not agree"):
        check(whole)


def test_one_that_ends_before_its_sums_is_refused(tmp_path):
    whole = an_archive(tmp_path / "backup", WHOLE)
    with tarfile.open(whole) as tar:
        end = tar.getmember(SUMS).offset
    cut = tmp_path / "cut"
    cut.write_bytes(whole.read_bytes()[:end] + bytes(2 * tarfile.BLOCKSIZE))
    with pytest.raises(BrokenArchive, match="ends too early"):
        check(cut)


def test_a_backup_has_its_name_only_once_all_of_it_is_on_disk(tmp_path, monkeypatch):
    steps, link = [], os.link
    monkeypatch.setattr(os, "fsync", lambda descriptor: steps.append(f"synced {os.fstat(descriptor).st_size}"))

    def note(draft: Path, path: Path) -> None:
        steps.append(f"named {draft.stat().st_size}")
        link(draft, path)

    monkeypatch.setattr(os, "link", note)
    with ArchiveWriter(tmp_path / "backup") as archive:
        for name, data in WHOLE[:2]:
            archive.add(name, data)
        assert not (tmp_path / "backup").exists()
        archive.finish(TOLD)
    size = (tmp_path / "backup").stat().st_size
    assert steps == [f"synced {size}", f"named {size}"]
    assert check(tmp_path / "backup") == TOLD
