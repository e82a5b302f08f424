"""Where do the master keys come from? From the settings, a file that only we may read, or a program such as a KMS's.

Each source gives one key or several, the one that seals first; the others still open what they sealed. So a new key
is put in front of the old one, `truename keys rewrap` seals everything anew, and the old one is taken away.
"""

import base64
import binascii
import contextlib
import os
import secrets
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from truename.plumbing.private_files import private_folder
from truename.plumbing.settings import Settings

KEY_BYTES: Final = 32
COMMAND_SECONDS: Final = 60


class MasterKeyError(Exception):
    """The master key cannot be used, and why."""


class MasterKeySource(Protocol):
    """What a key service must be able to do for us."""

    def read_keys(self) -> tuple[bytes, ...]:
        """Every key of 32 bytes, the one that seals first; raises MasterKeyError when there is none to be had."""

    def changed(self) -> bool:
        """Would `read_keys` give others than the last time? Asked often, so it must cost next to nothing."""


@dataclass(frozen=True)
class GivenKeys:
    """Keys that are at hand, such as those of the environment."""

    given: tuple[bytes, ...]

    def read_keys(self) -> tuple[bytes, ...]:
        return self.given

    def changed(self) -> bool:
        return False


@dataclass
class KeyFile:
    """A file with one key in base64 on each line. A running service notices when it changes."""

    path: Path
    may_create: bool = False
    _seen: tuple[int, int, int] | None = field(default=None, repr=False)

    def read_keys(self) -> tuple[bytes, ...]:
        self._seen = self._state()  # before the text: what is written meanwhile is a change
        try:
            text = self.path.read_text("ascii")
        except FileNotFoundError:
            if not self.may_create:
                raise MasterKeyError(
                    f"The master key {self.path} is missing. If the database holds data that was sealed with it: "
                    "restore the file from your backup, or set TRUENAME_MASTER_KEY; without that key the stored images "
                    "and personal data cannot be read by anyone. For a new database, `truename serve` makes a key."
                ) from None
            text = _created(self.path)
        except PermissionError:
            raise MasterKeyError(f"The master key {self.path} may not be read by this user.") from None
        except UnicodeDecodeError:
            raise MasterKeyError(f"{self.path} does not hold a master key.") from None
        except OSError as error:
            raise MasterKeyError(f"The master key {self.path} cannot be read: {error.strerror}.") from None
        keys = decoded_keys(text, str(self.path))
        self.may_create = False  # one that is gone later was lost
        return keys

    def changed(self) -> bool:
        return self._state() not in (None, self._seen)

    def _state(self) -> tuple[int, int, int] | None:
        with contextlib.suppress(OSError):
            found = self.path.stat()
            return found.st_mtime_ns, found.st_ino, found.st_size
        return None


def _how_it_ended(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it did not end within {COMMAND_SECONDS} seconds"
    if isinstance(error, FileNotFoundError):
        return "there is no such program"
    if isinstance(error, PermissionError):
        return "the program may not be run"
    if isinstance(error, UnicodeDecodeError):
        return "it printed what is no text"
    if isinstance(error, ValueError):
        return "it cannot be read as a command line; is a quotation mark left open?"
    return type(error).__name__


@dataclass(frozen=True)
class KeyCommand:
    """A program that prints the keys: the door to a KMS, an HSM or a secret store. Asked once at each start."""

    command: str

    def read_keys(self) -> tuple[bytes, ...]:
        try:
            done = subprocess.run(
                shlex.split(self.command), capture_output=True, text=True, timeout=COMMAND_SECONDS, check=True
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            # Neither its output nor its arguments are repeated: either may hold a secret.
            raise MasterKeyError(f"TRUENAME_MASTER_KEY_COMMAND failed: {_how_it_ended(error)}.") from None
        return decoded_keys(done.stdout, "The output of TRUENAME_MASTER_KEY_COMMAND")

    def changed(self) -> bool:
        return False


def master_keys(settings: Settings, *, may_create: bool) -> MasterKeySource:
    """The source that the settings name; a key file is made on the very first start, never silently replaced later."""
    if settings.master_key is not None:
        return GivenKeys(decoded_keys(settings.master_key.get_secret_value(), "TRUENAME_MASTER_KEY"))
    if settings.master_key_command is not None:
        return KeyCommand(settings.master_key_command)
    return KeyFile(settings.key_file, may_create)


def decoded_keys(text: str, origin: str) -> tuple[bytes, ...]:
    """The keys in a text: 32 bytes in base64 each, separated by commas, spaces or line ends."""
    keys: list[bytes] = []
    for part in text.replace(",", " ").split():
        try:
            key = base64.b64decode(part, validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if len(key) != KEY_BYTES:
            keys = []
            break
        keys.append(key)
    if not keys:
        raise MasterKeyError(f"{origin} does not hold a master key: 32 bytes in base64 are expected.")
    return tuple(dict.fromkeys(keys))


def _created(path: Path) -> str:
    """Write a key whole and durably before anything is sealed with it; of two that race, one wins."""
    private_folder(path.parent)
    text = base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n"
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(draft, path)
    except FileExistsError:
        text = path.read_text("ascii")
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return text
