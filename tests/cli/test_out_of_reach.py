"""A data folder that this user may not use is said so in a sentence, by every command alike."""

import contextlib
import errno
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.served import truename_here
from truename.cli.exit_codes import ExitCode
from truename.plumbing.database.embedded import Embedded, OutOfReach, holds_data, within_reach
from truename.plumbing.private_files import FolderUnavailable


@contextlib.contextmanager
def rights_of_a_stranger(folder: Path) -> Iterator[None]:
    """To us it is as if somebody else had made the folder, and closed it."""
    if os.geteuid() == 0:
        folder.chmod(0o700)
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        folder.chmod(0o000)
        try:
            yield
        finally:
            folder.chmod(0o700)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    (data / "postgres").mkdir(parents=True)
    return data


@pytest.mark.parametrize(
    "command",
    [
        "account list",
        "account create shop",
        "migrate",
        "doctor",
        "keys rotate",
        "database dump {file}",
        "backup {file}",
        "webhook listen --account shop",
        "operator list",
        "audit verify",
    ],
)
def test_a_data_folder_that_cannot_be_used_is_the_fault_that_is_told(tmp_path: Path, command: str):
    """Seen before, of a folder of another user: a traceback, a backup that could not be written, a port in use.

    A name that no file can have stands for it: the system refuses that to root as well.
    """
    data = tmp_path / ("d" * 300)
    done = truename_here(data, *command.format(file=tmp_path / "x.tar").split())
    told = done.stdout if command == "doctor" else done.stderr
    assert done.returncode == (ExitCode.NEGATIVE if command == "doctor" else ExitCode.CONFIGURATION), told
    assert f"The data folder {data} cannot be used: File name too long" in told


@pytest.mark.parametrize("command", ["backup {file}", "database dump {file}"])
def test_a_file_that_cannot_be_used_is_said_so(tmp_path: Path, command: str):
    """Seen before: "a defect of Truename", with a traceback, of a folder that this user may not enter."""
    file = tmp_path / ("f" * 300)
    done = truename_here(tmp_path / "data", *command.format(file=file).split())
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert done.stderr == f"{file} cannot be used: File name too long.\n"


def test_a_data_folder_that_is_a_link_to_itself_is_said_so(tmp_path: Path):
    (tmp_path / "data").symlink_to(tmp_path / "data")
    for command in ("account list", "account create shop", "doctor"):
        done = truename_here(tmp_path / "data", *command.split())
        assert done.returncode in (ExitCode.CONFIGURATION, ExitCode.NEGATIVE), done.stderr
        assert str(tmp_path / "data") in done.stderr + done.stdout


def test_a_stranger_to_the_data_folder_is_told_who_may_use_it(data: Path):
    with rights_of_a_stranger(data):
        with pytest.raises(OutOfReach, match=r"Permission denied \(.*Run this as the user that runs the service"):
            holds_data(data)
        with pytest.raises((OutOfReach, FolderUnavailable)):
            Embedded(data)
    assert not holds_data(data.parent)
    with pytest.raises(OutOfReach, match="Read-only file system"), within_reach(data):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(data / "postgres.log"))
