"""A passkey lets in whom it belongs to, at our address, once for each question, and only after a finger or a PIN."""

import hashlib
import json
import struct
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from uuid import UUID

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from tests.support.dashboard import an_operator
from truename.operators.change import disable_operator
from truename.operators.model import Role
from truename.operators.passkeys import (
    PasskeyRefused,
    Site,
    add_passkey,
    list_passkeys,
    operator_of_passkey,
    options_to_add,
    options_to_sign_in,
    remove_passkey,
)
from truename.plumbing.database.ids import new_id

SITE = Site("https://kyc.example.com")
PRESENT, VERIFIED, WITH_KEY = 0x01, 0x04, 0x40


def text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Phone:
    """What a device does that holds a passkey (WebAuthn, 6.1 and 6.5), with everything that it may do wrong."""

    operator_id: UUID
    used: int = 0
    credential_id: bytes = field(default_factory=lambda: new_id().bytes)
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def _says(self, kind: str, options: str, origin: str) -> bytes:
        return json.dumps({"type": kind, "challenge": json.loads(options)["challenge"], "origin": origin}).encode()

    def _head(self, flags: int) -> bytes:
        self.used += 1
        return hashlib.sha256(b"kyc.example.com").digest() + struct.pack(">BI", flags, self.used)

    def makes(self, options: str, *, origin: str = SITE.origin, flags: int = PRESENT | VERIFIED) -> str:
        point = self.key.public_key().public_numbers()
        public = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")})
        named = bytes(16) + struct.pack(">H", len(self.credential_id)) + self.credential_id + public
        made = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": self._head(flags | WITH_KEY) + named})
        said = self._says("webauthn.create", options, origin)
        return self._sends({"clientDataJSON": text(said), "attestationObject": text(made)})

    def answers(
        self, options: str, *, origin: str = SITE.origin, flags: int = PRESENT | VERIFIED, owner: UUID | None = None
    ) -> str:
        said, head = self._says("webauthn.get", options, origin), self._head(flags)
        signature = self.key.sign(head + hashlib.sha256(said).digest(), ec.ECDSA(SHA256()))
        parts = {"clientDataJSON": said, "authenticatorData": head, "signature": signature}
        return self._sends(
            {name: text(data) for name, data in (parts | {"userHandle": (owner or self.operator_id).bytes}).items()}
        )

    def _sends(self, response: dict[str, str]) -> str:
        own = text(self.credential_id)
        return json.dumps({"id": own, "rawId": own, "type": "public-key", "response": response})


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN})


@pytest.fixture
async def ben(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN})


@pytest.fixture
async def phone(plumbing, ana):
    """Holds a passkey of Ana's."""
    made = Phone(ana.operator_id)
    async with plumbing.database.system() as connection:
        await add_passkey(connection, SITE, ana, made.makes(await options_to_add(connection, SITE, ana)), "phone")
    return made


async def test_a_passkey_says_who_it_is_and_a_question_is_answered_once(plumbing, ana, phone):
    async with plumbing.database.system() as connection:
        for _ in range(2):
            answer = phone.answers(await options_to_sign_in(connection, SITE))
            assert await operator_of_passkey(connection, SITE, answer) == ana.operator_id
            with pytest.raises(PasskeyRefused, match="answered before"):
                await operator_of_passkey(connection, SITE, answer)


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://kyc.example.com.evil.example"},
        {"flags": PRESENT},
        {"flags": VERIFIED},
        {"owner": UUID(int=7)},
    ],
    ids=["another site", "no finger and no PIN", "nobody there", "another's handle"],
)
async def test_what_a_device_may_do_wrong_lets_nobody_in(plumbing, phone, wrong):
    async with plumbing.database.system() as connection:
        options = await options_to_sign_in(connection, SITE)
        with pytest.raises(PasskeyRefused):
            await operator_of_passkey(connection, SITE, phone.answers(options, **wrong))


async def test_a_copy_of_a_passkey_that_counts_behind_the_first_lets_nobody_in(plumbing, phone):
    async with plumbing.database.system() as connection:
        copy = Phone(phone.operator_id, phone.used, phone.credential_id, phone.key)
        for _ in range(2):
            await operator_of_passkey(connection, SITE, phone.answers(await options_to_sign_in(connection, SITE)))
        with pytest.raises(PasskeyRefused):
            await operator_of_passkey(connection, SITE, copy.answers(await options_to_sign_in(connection, SITE)))


async def test_a_key_of_ones_own_under_the_name_of_anothers_passkey_lets_nobody_in(plumbing, phone):
    forged = Phone(phone.operator_id, 100, phone.credential_id)
    async with plumbing.database.system() as connection:
        with pytest.raises(PasskeyRefused):
            await operator_of_passkey(connection, SITE, forged.answers(await options_to_sign_in(connection, SITE)))


async def test_the_passkey_of_somebody_who_is_disabled_lets_nobody_in(plumbing, ana, phone):
    async with plumbing.database.system() as connection:
        await disable_operator(connection, ana, by="test")
        with pytest.raises(PasskeyRefused, match="not known"):
            await operator_of_passkey(connection, SITE, phone.answers(await options_to_sign_in(connection, SITE)))


async def test_a_passkey_is_added_by_whom_it_was_asked_of_once_and_after_a_finger_or_a_pin(plumbing, ana, ben):
    async with plumbing.database.system() as connection:
        device = Phone(ben.operator_id)
        answer = device.makes(await options_to_add(connection, SITE, ana))
        with pytest.raises(PasskeyRefused, match="answered before, or too late"):
            await add_passkey(connection, SITE, ben, answer, "Ben's")
        answer = device.makes(await options_to_add(connection, SITE, ben), flags=PRESENT)
        with pytest.raises(PasskeyRefused):
            await add_passkey(connection, SITE, ben, answer, "Ben's")
        answer = device.makes(await options_to_add(connection, SITE, ben), origin="https://evil.example")
        with pytest.raises(PasskeyRefused):
            await add_passkey(connection, SITE, ben, answer, "Ben's")
        assert await list_passkeys(connection, ben.operator_id) == []
        answer = device.makes(await options_to_add(connection, SITE, ben))
        await add_passkey(connection, SITE, ben, answer, "Ben's")
        with pytest.raises(PasskeyRefused, match="answered before"):
            await add_passkey(connection, SITE, ben, answer, "Ben's")
        assert [one.name for one in await list_passkeys(connection, ben.operator_id)] == ["Ben's"]


async def test_nobody_takes_the_passkey_of_another_away(plumbing, ana, ben, phone):
    async with plumbing.database.system() as connection:
        assert not await remove_passkey(connection, ben, phone.credential_id)
        assert [one.credential_id for one in await list_passkeys(connection, ana.operator_id)] == [phone.credential_id]
        assert await remove_passkey(connection, ana, phone.credential_id)
        with pytest.raises(PasskeyRefused, match="not known"):
            await operator_of_passkey(connection, SITE, phone.answers(await options_to_sign_in(connection, SITE)))
