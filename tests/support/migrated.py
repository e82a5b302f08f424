"""A data folder whose database is migrated, copied instead of made anew: that takes seconds of a core."""

import os
import subprocess
from pathlib import Path

from tests.support.once import KEPT_IN, once
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.migrate import _migrate
from truename.plumbing.private_files import private_folder


def migrate_by_copy(data: Path) -> None:
    """What `truename migrate` does in an empty folder; where one may have changed the other, `truename` finds it out.

    Without a run of tests in which others would need it, too, nothing is done.
    """
    if KEPT_IN in os.environ and not (data / "postgres").exists():
        made = once("a migrated data folder", _make)
        private_folder(data)
        subprocess.run(["cp", "-a", "--reflink=auto", made / "postgres", data / "postgres"], check=True)


def _make() -> Path:
    folder = Path(os.environ[KEPT_IN]) / "migrated"
    embedded = Embedded(folder)
    embedded.attach()
    try:
        _migrate(embedded.url)
    finally:
        embedded.close()
    return folder
