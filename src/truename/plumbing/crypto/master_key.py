"""Where does the master key come from? From the settings, or from a file that only we may read."""

import base64
import binascii
import os
import secrets
from pathlib import Path

from truename.plumbing.settings import Settings

KEY_BYTES = 32


class MasterKeyError(Exception):
    """The master key cannot be used, and why."""


def master_key(settings: Settings, *, may_create: bool) -> bytes:
    """The master key; made on the very first start, never silently replaced later."""
    if settings.master_key is not None:
        return _decoded(settings.master_key.get_secret_value(), "TRUENAME_MASTER_KEY")
    path = settings.key_file
    try:
        return _decoded(path.read_text("ascii"), str(path))
    except FileNotFoundError:
        if not may_create:
            raise MasterKeyError(
                f"The master key {path} is missing, but the database holds data that was sealed with it. "
                "Restore the file from your backup, or set TRUENAME_MASTER_KEY: without that key the stored images and "
                "personal data cannot be read by anyone."
            ) from None
    except PermissionError:
        raise MasterKeyError(f"The master key {path} may not be read by this user.") from None
    except UnicodeDecodeError:
        raise MasterKeyError(f"{path} does not hold a master key.") from None
    return _created(path)


def _decoded(text: str, origin: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise MasterKeyError(f"{origin} does not hold a master key: 32 bytes in base64 are expected.")
    return key


def _created(path: Path) -> bytes:
    """Write the key whole and durably before anything is sealed with it; of two that race, one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    key = secrets.token_bytes(KEY_BYTES)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, base64.b64encode(key) + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(draft, path)
    except FileExistsError:
        key = _decoded(path.read_text("ascii"), str(path))
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return key
