"""pgvector for ARM comes out of a program of another package, as pinned, and is loaded on such machines alone."""

import io
import platform
import sys
import tarfile
from pathlib import Path

import pytest
from tools import bundle

from truename.bundled.files import BundledFile
from truename.bundled.postgresql import PGVECTOR, libraries_in_place_of_the_packages
from truename.plumbing.database import embedded_programs
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.embedded_programs import EmbeddedError
from truename.wiring import damaged_files, missing_files


def archive(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def test_a_file_is_found_in_whichever_archive_of_a_program_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundle, "UNPACKED", tmp_path / "unpacked")
    program = tmp_path / "program"
    stray = bundle.GZIP + b"no archive at all"
    program.write_bytes(b"ELF" + stray + archive("a/lib/other.so", b"other") + archive("b/lib/vector.so", b"vector"))
    assert bundle.unpacked(program, "b/lib/vector.so").read_bytes() == b"vector"
    with pytest.raises(bundle.CannotBundle, match=r"program holds no archive with b/lib/third\.so"):
        bundle.unpacked(program, "b/lib/third.so")


def on(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)


@pytest.mark.parametrize(("system", "machine"), [("linux", "x86_64"), ("darwin", "arm64"), ("linux", "riscv64")])
def test_elsewhere_the_package_s_own_is_loaded(system: str, machine: str, tmp_path: Path, monkeypatch):
    on(monkeypatch, system, machine)
    assert libraries_in_place_of_the_packages() == ()
    told = " ".join(Embedded(tmp_path / "data")._given())
    assert "--option shared_buffers " in told
    assert "dynamic_library_path" not in told


def test_on_arm_ours_goes_before_the_package_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    on(monkeypatch, "linux", "aarch64")
    monkeypatch.setattr(embedded_programs, "_reachable", lambda *_: True)
    told = " ".join(Embedded(tmp_path / "data")._given())
    assert f"--option dynamic_library_path {PGVECTOR.bundled.path.parent}:$libdir" in told


def test_on_arm_the_database_does_not_start_with_another_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    on(monkeypatch, "linux", "aarch64")
    other = BundledFile(PGVECTOR.bundled.name, "0" * 64)
    monkeypatch.setattr(embedded_programs, "libraries_in_place_of_the_packages", lambda: (other,))
    monkeypatch.setattr("truename.wiring.libraries_in_place_of_the_packages", lambda: (other,))
    with pytest.raises(EmbeddedError, match=r"vector\.so has sha256"):
        Embedded(tmp_path / "data").attach()
    assert missing_files() == []
    assert [sentence for sentence in damaged_files() if "vector.so has sha256" in sentence]
