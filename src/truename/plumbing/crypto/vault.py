"""How is anything kept secret at rest? AES-256-GCM under keys that the master key wraps, each bound to its place.

A sealed value is `version byte | nonce (12) | ciphertext and tag`. The associated data names the account, the customer
and the record, so that a value moved to another row does not open.
"""

import hashlib
import hmac
import os
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from truename.plumbing.crypto.seals import Seal

VERSION: Final = 1
NONCE_BYTES: Final = 12


class CannotOpen(Exception):
    """A sealed value does not open: another key, another place, or altered bytes."""


class DataKey:
    """The key of one customer: whoever destroys its wrapped form destroys what was sealed with it."""

    def __init__(self, key: bytes, place: str) -> None:
        self._cipher = AESGCM(key)
        self._place = place

    def seal(self, plaintext: bytes, record: Seal) -> bytes:
        return _seal(self._cipher, plaintext, f"{self._place}/{record}")

    def open(self, sealed: bytes, record: Seal) -> bytes:
        return _open(self._cipher, sealed, f"{self._place}/{record}")


class Vault:
    """Everything that the master key protects."""

    def __init__(self, master_key: bytes) -> None:
        self._master = master_key
        self._customers = AESGCM(self._derived("customer keys"))
        self._accounts = AESGCM(self._derived("account secrets"))
        self._system = AESGCM(self._derived("system secrets"))

    def new_customer_key(self, account_id: UUID, customer_id: UUID) -> bytes:
        """A fresh data key, wrapped for storage beside its customer."""
        return _seal(self._customers, AESGCM.generate_key(256), _customer(account_id, customer_id))

    def customer_key(self, wrapped: bytes, account_id: UUID, customer_id: UUID) -> DataKey:
        place = _customer(account_id, customer_id)
        return DataKey(_open(self._customers, wrapped, place), place)

    def seal_for_account(self, account_id: UUID, record: Seal, plaintext: bytes) -> bytes:
        return _seal(self._accounts, plaintext, f"account/{account_id}/{record}")

    def open_for_account(self, account_id: UUID, record: Seal, sealed: bytes) -> bytes:
        return _open(self._accounts, sealed, f"account/{account_id}/{record}")

    def seal_system(self, record: Seal, plaintext: bytes) -> bytes:
        return _seal(self._system, plaintext, f"system/{record}")

    def open_system(self, record: Seal, sealed: bytes) -> bytes:
        return _open(self._system, sealed, f"system/{record}")

    def keyed_hash(self, purpose: str, value: bytes | str) -> bytes:
        """A hash that can be searched for, yet tells nothing to one who has only the database."""
        text = value.encode() if isinstance(value, str) else value
        return hmac.new(self._derived(f"keyed hash: {purpose}"), text, hashlib.sha256).digest()

    def _derived(self, purpose: str) -> bytes:
        return HKDFExpand(SHA256(), 32, b"truename 1: " + purpose.encode()).derive(self._master)


def _customer(account_id: UUID, customer_id: UUID) -> str:
    return f"account/{account_id}/customer/{customer_id}"


def _seal(cipher: AESGCM, plaintext: bytes, place: str) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return bytes([VERSION]) + nonce + cipher.encrypt(nonce, plaintext, bytes([VERSION]) + place.encode())


def _open(cipher: AESGCM, sealed: bytes, place: str) -> bytes:
    if len(sealed) < 1 + NONCE_BYTES + 16 or sealed[0] != VERSION:
        raise CannotOpen(f"{place} is not sealed in a form that this version knows.")
    nonce, ciphertext = bytes(sealed[1 : 1 + NONCE_BYTES]), bytes(sealed[1 + NONCE_BYTES :])
    try:
        return cipher.decrypt(nonce, ciphertext, bytes([VERSION]) + place.encode())
    except InvalidTag:
        raise CannotOpen(
            f"{place} does not open: the master key is another one, or the stored bytes were altered or moved."
        ) from None
