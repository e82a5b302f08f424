"""How is anything kept secret at rest? AES-256-GCM under keys that the master key wraps, each bound to its place.

A value sealed under a customer's key is `1 | nonce (12) | ciphertext and tag`; one sealed under a master key is
`2 | id of the master key (4) | nonce (12) | ciphertext and tag`, or of the first form when it was sealed before there
could be several. The associated data names the account, the customer and the record, so that a value moved to another
row does not open.
"""

import hashlib
import hmac
import os
import time
from enum import StrEnum
from typing import Final
from uuid import UUID

import orjson
import structlog
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from truename.plumbing.crypto.master_key import MasterKeyError, MasterKeySource
from truename.plumbing.crypto.seals import Seal

log = structlog.get_logger(__name__)

WITHOUT_KEY_ID: Final = b"\x01"
WITH_KEY_ID: Final = b"\x02"
KEY_ID_BYTES: Final = 4
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16
LOOK_AGAIN_SECONDS: Final = 10.0
"""How often a vault asks its source whether there are other keys."""


class CannotOpen(Exception):
    """A sealed value does not open: another key, another place, or altered bytes."""


class DataKey:
    """The key of one customer: whoever destroys its wrapped form destroys what was sealed with it."""

    def __init__(self, key: bytes, place: str) -> None:
        self._key = key
        self._cipher = AESGCM(key)
        self._place = place

    def seal(self, plaintext: bytes, record: Seal) -> bytes:
        """The plaintext under this customer's key, bound to the record that the seal names."""
        return _seal(self._cipher, WITHOUT_KEY_ID, plaintext, f"{self._place}/{record}")

    def open(self, sealed: bytes, record: Seal) -> bytes:
        """What was sealed under this key for this very record; CannotOpen for anything else."""
        return _open(self._cipher, WITHOUT_KEY_ID, sealed, f"{self._place}/{record}")

    def derived(self, record: Seal) -> bytes:
        """A secret of 32 bytes for one record: always the same, and gone for ever with the key."""
        return _derived(self._key, f"derived: {self._place}/{record}")


class Purpose(StrEnum):
    """What a key derived from a master key is for."""

    CUSTOMERS = "customer keys"
    ACCOUNTS = "account secrets"
    SYSTEM = "system secrets"


class MasterKey:
    """One master key: its id, which tells nothing about it, and a cipher for each purpose."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.prefix = WITH_KEY_ID + _derived(key, "key id")[:KEY_ID_BYTES]
        self.ciphers = {purpose: AESGCM(_derived(key, purpose)) for purpose in Purpose}

    @property
    def key_id(self) -> str:
        """The name of the key, in hex: every value that it sealed begins with it."""
        return self.prefix[1:].hex()


class Vault:
    """Everything that the master keys protect. The first key seals, each opens what it sealed."""

    def __init__(self, source: MasterKeySource) -> None:
        self._source = source
        self._looked_at = 0.0
        self._keys = [MasterKey(key) for key in source.read_keys()]
        self._hash_root: bytes | None = None

    def new_customer_key(self, account_id: UUID, customer_id: UUID) -> bytes:
        """A fresh data key, wrapped for storage beside its customer."""
        return self.make_customer_key(account_id, customer_id)[0]

    def make_customer_key(self, account_id: UUID, customer_id: UUID) -> tuple[bytes, DataKey]:
        """A fresh data key, wrapped for storage and ready for use."""
        chance, place, master = os.urandom(KEY_BYTES + NONCE_BYTES), _customer(account_id, customer_id), self._current()
        key, nonce = chance[:KEY_BYTES], chance[KEY_BYTES:]
        wrapped = _sealed_with(nonce, master.ciphers[Purpose.CUSTOMERS], master.prefix, key, place)
        return wrapped, DataKey(key, place)

    def customer_key(self, wrapped: bytes, account_id: UUID, customer_id: UUID) -> DataKey:
        """The data key of this customer, unwrapped; CannotOpen when it is not this customer's."""
        place = _customer(account_id, customer_id)
        return DataKey(self._open(Purpose.CUSTOMERS, wrapped, place), place)

    def seal_for_account(self, account_id: UUID, record: Seal, plaintext: bytes) -> bytes:
        """A secret of one account, bound to it and to its record."""
        return self._seal(Purpose.ACCOUNTS, plaintext, f"account/{account_id}/{record}")

    def open_for_account(self, account_id: UUID, record: Seal, sealed: bytes) -> bytes:
        """What was sealed for this account and record; CannotOpen for anything else."""
        return self._open(Purpose.ACCOUNTS, sealed, f"account/{account_id}/{record}")

    def seal_system(self, record: Seal, plaintext: bytes) -> bytes:
        """A secret of the whole installation, bound to its record."""
        return self._seal(Purpose.SYSTEM, plaintext, f"system/{record}")

    def open_system(self, record: Seal, sealed: bytes) -> bytes:
        """What was sealed for this record of the installation; CannotOpen for anything else."""
        return self._open(Purpose.SYSTEM, sealed, f"system/{record}")

    # ── rotation: the same value under the key that seals now ──────────────────────────────────────────────

    @property
    def current_prefix(self) -> bytes:
        """How every value begins that needs no new wrapping."""
        return self._current().prefix

    @property
    def known_prefixes(self) -> tuple[bytes, ...]:
        """How values begin that one of our keys opens."""
        return tuple(key.prefix for key in self._keys)

    @property
    def current_key_id(self) -> str:
        """The name of the master key that seals now."""
        return self._current().key_id

    def rewrapped_customer_key(self, wrapped: bytes, account_id: UUID, customer_id: UUID) -> bytes:
        """The same data key under the master key that seals now; CannotOpen when none of ours opens it."""
        return self._rewrapped(Purpose.CUSTOMERS, wrapped, _customer(account_id, customer_id))

    def rewrapped_for_account(self, account_id: UUID, record: Seal, sealed: bytes) -> bytes:
        """The same secret of an account under the master key that seals now; CannotOpen as before."""
        return self._rewrapped(Purpose.ACCOUNTS, sealed, f"account/{account_id}/{record}")

    def rewrapped_system(self, record: Seal, sealed: bytes) -> bytes:
        """The same secret of the installation under the master key that seals now; CannotOpen as before."""
        return self._rewrapped(Purpose.SYSTEM, sealed, f"system/{record}")

    # ── hashes ─────────────────────────────────────────────────────────────────────────────────────────────

    def use_hash_root(self, root: bytes) -> None:
        """Derive keyed hashes from this secret of the installation, which outlives every master key."""
        self._hash_root = root

    def keyed_hash(self, purpose: str, value: bytes | str) -> bytes:
        """A hash that can be searched for, yet tells nothing to one who has only the database."""
        text = value.encode() if isinstance(value, str) else value
        root = self._hash_root or self._current().key
        return hmac.new(_derived(root, f"keyed hash: {purpose}"), text, hashlib.sha256).digest()

    def _current(self) -> MasterKey:
        moment = time.monotonic()
        if moment - self._looked_at > LOOK_AGAIN_SECONDS:
            self._looked_at = moment
            self._look_again()
        return self._keys[0]

    def _look_again(self) -> None:
        """Take up other keys where there are any; the work goes on with those at hand where they cannot be read.

        What was known still opens until this process ends: a file may be read while it is written, and a key be taken
        away that something still needs, which the next start says in words.
        """
        if not self._source.changed():
            return
        try:
            given = self._source.read_keys()
        except MasterKeyError as fault:
            log.error("the master keys were changed and cannot be read: those from before stay", reason=str(fault))
            return
        at_hand = [key for key in self._keys if key.key not in given]
        self._keys = [*map(MasterKey, given), *at_hand]

    def _seal(self, purpose: Purpose, plaintext: bytes, place: str) -> bytes:
        key = self._current()
        return _seal(key.ciphers[purpose], key.prefix, plaintext, place)

    def _open(self, purpose: Purpose, sealed: bytes, place: str) -> bytes:
        if sealed[:1] == WITH_KEY_ID:
            key = self._key_of(sealed)
            if key is None:
                raise _other_key(place)
            return _open(key.ciphers[purpose], key.prefix, sealed, place)
        for key in self._keys[:-1]:
            try:
                return _open(key.ciphers[purpose], WITHOUT_KEY_ID, sealed, place)
            except CannotOpen:
                continue
        return _open(self._keys[-1].ciphers[purpose], WITHOUT_KEY_ID, sealed, place)

    def _key_of(self, sealed: bytes) -> MasterKey | None:
        for attempt in range(2):
            for key in self._keys:
                if sealed.startswith(key.prefix):
                    return key
            # Sealed by a process that knows a newer key than we do: look whether there is one.
            if attempt == 0:
                self._look_again()
        return None

    def _rewrapped(self, purpose: Purpose, sealed: bytes, place: str) -> bytes:
        if sealed.startswith(self._current().prefix):
            return sealed
        return self._seal(purpose, self._open(purpose, sealed, place), place)


def _derived(key: bytes, purpose: str) -> bytes:
    return HKDFExpand(SHA256(), 32, b"truename 1: " + purpose.encode()).derive(key)


def _customer(account_id: UUID, customer_id: UUID) -> str:
    # Identifiers as `str` writes them; the JSON library takes a quarter of the time, and each new customer pays it.
    return f"account/{orjson.dumps(account_id)[1:-1].decode()}/customer/{orjson.dumps(customer_id)[1:-1].decode()}"


def _other_key(place: str) -> CannotOpen:
    return CannotOpen(
        f"{place} does not open: the master key is another one, or the stored bytes were altered or moved."
    )


def _seal(cipher: AESGCM, prefix: bytes, plaintext: bytes, place: str) -> bytes:
    return _sealed_with(os.urandom(NONCE_BYTES), cipher, prefix, plaintext, place)


def _sealed_with(nonce: bytes, cipher: AESGCM, prefix: bytes, plaintext: bytes, place: str) -> bytes:
    """The nonce must come from `os.urandom`, for this one seal."""
    return prefix + nonce + cipher.encrypt(nonce, plaintext, prefix + place.encode())


def _open(cipher: AESGCM, prefix: bytes, sealed: bytes, place: str) -> bytes:
    if len(sealed) < len(prefix) + NONCE_BYTES + TAG_BYTES or not sealed.startswith(prefix):
        raise CannotOpen(f"{place} is not sealed in a form that this version knows.")
    start = len(prefix)
    nonce, ciphertext = bytes(sealed[start : start + NONCE_BYTES]), bytes(sealed[start + NONCE_BYTES :])
    try:
        return cipher.decrypt(nonce, ciphertext, prefix + place.encode())
    except InvalidTag:
        raise _other_key(place) from None
