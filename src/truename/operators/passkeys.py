"""Passkeys (WebAuthn): a key pair that stays in the person's device, which also asks for a finger, a face or a PIN.

One passkey is both factors: something that one has, and something that one is or knows. So each ceremony demands that
the device has verified its user.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import webauthn
from webauthn.helpers import base64url_to_bytes, parse_authentication_credential_json, parse_client_data_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from truename.audit.model import Action
from truename.operators.challenges import Purpose, ask, use_up
from truename.operators.change import note
from truename.operators.model import Operator
from truename.plumbing.database.pool import Connection

UNREADABLE: Final = (WebAuthnException, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What the library raises for an answer that proves nothing, or is none at all."""
WANTED: UserVerificationRequirement = UserVerificationRequirement.REQUIRED


class PasskeyRefused(Exception):
    """The answer of the device proves nothing."""


@dataclass(frozen=True)
class Passkey:
    """A passkey as its owner sees it."""

    credential_id: bytes
    name: str
    created_at: datetime
    used_at: datetime | None

    @property
    def short_id(self) -> str:
        return self.credential_id.hex()


@dataclass(frozen=True)
class Site:
    """Whom a passkey is for: our address, as the browser knows it."""

    origin: str

    @property
    def host(self) -> str:
        return urlsplit(self.origin).hostname or "localhost"


async def list_passkeys(connection: Connection, operator_id: UUID) -> list[Passkey]:
    """The passkeys of an operator, the oldest first."""
    cursor = await connection.execute(
        """SELECT credential_id, name, created_at, used_at FROM operator_passkeys WHERE operator_id = %s
           ORDER BY created_at""",
        (operator_id,),
    )
    return [
        Passkey(bytes(row["credential_id"]), row["name"], row["created_at"], row["used_at"])
        for row in await cursor.fetchall()
    ]


async def options_to_add(connection: Connection, site: Site, operator: Operator) -> str:
    """What the browser needs to make a passkey, as JSON."""
    known = await list_passkeys(connection, operator.operator_id)
    return webauthn.options_to_json(
        webauthn.generate_registration_options(
            rp_id=site.host,
            rp_name="Truename",
            user_id=operator.operator_id.bytes,
            user_name=operator.email,
            user_display_name=operator.called,
            challenge=await ask(connection, Purpose.ADD_PASSKEY, operator.operator_id),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=WANTED
            ),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=one.credential_id) for one in known],
        )
    )


async def add_passkey(connection: Connection, site: Site, operator: Operator, answer: str, name: str) -> None:
    """Keep the passkey that the browser has made; raises PasskeyRefused."""
    try:
        parsed = webauthn.helpers.parse_registration_credential_json(answer)
        challenge = parse_client_data_json(parsed.response.client_data_json).challenge
        if not await use_up(connection, Purpose.ADD_PASSKEY, challenge, operator.operator_id):
            raise PasskeyRefused("This was answered before, or too late. Try again.")
        made = webauthn.verify_registration_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except UNREADABLE as fault:
        raise PasskeyRefused("The device's answer could not be verified.") from fault
    await connection.execute(
        """INSERT INTO operator_passkeys (credential_id, operator_id, public_key, sign_count, name)
           VALUES (%s, %s, %s, %s, %s) ON CONFLICT (credential_id) DO NOTHING""",
        (made.credential_id, operator.operator_id, made.credential_public_key, made.sign_count, name),
    )
    details = {"method": "passkey"}
    await note(connection, operator.operator_id, Action.OPERATOR_SECOND_FACTOR_CHANGED, operator.actor, details)


async def remove_passkey(connection: Connection, operator: Operator, credential_id: bytes) -> bool:
    """Forget one passkey of this operator; says whether there was one."""
    cursor = await connection.execute(
        "DELETE FROM operator_passkeys WHERE operator_id = %s AND credential_id = %s",
        (operator.operator_id, credential_id),
    )
    if cursor.rowcount:
        details = {"method": "passkey_removed"}
        await note(connection, operator.operator_id, Action.OPERATOR_SECOND_FACTOR_CHANGED, operator.actor, details)
    return cursor.rowcount == 1


async def options_to_sign_in(connection: Connection, site: Site) -> str:
    """What the browser needs to ask for a passkey, whoever's: so nothing is told about who exists."""
    return webauthn.options_to_json(
        webauthn.generate_authentication_options(
            rp_id=site.host,
            challenge=await ask(connection, Purpose.SIGN_IN_BY_PASSKEY),
            user_verification=WANTED,
        )
    )


async def operator_of_passkey(connection: Connection, site: Site, answer: str) -> UUID:
    """Whose passkey answered; raises PasskeyRefused when it proves nothing, or belongs to a disabled operator."""
    try:
        parsed = parse_authentication_credential_json(answer)
        challenge = parse_client_data_json(parsed.response.client_data_json).challenge
        if not await use_up(connection, Purpose.SIGN_IN_BY_PASSKEY, challenge):
            raise PasskeyRefused("This was answered before, or too late.")
        cursor = await connection.execute(
            """SELECT p.operator_id, p.public_key, p.sign_count FROM operator_passkeys p JOIN operators o
               USING (operator_id) WHERE p.credential_id = %s AND o.disabled_at IS NULL FOR UPDATE OF p""",
            (base64url_to_bytes(parsed.id),),
        )
        row = await cursor.fetchone()
        if row is None:
            raise PasskeyRefused("The passkey is not known.")
        proof = webauthn.verify_authentication_response(
            credential=parsed,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=bytes(row["public_key"]),
            credential_current_sign_count=row["sign_count"],
            require_user_verification=True,
        )
    except UNREADABLE as fault:
        raise PasskeyRefused("The device's answer could not be verified.") from fault
    await connection.execute(
        "UPDATE operator_passkeys SET sign_count = %s, used_at = clock_timestamp() WHERE credential_id = %s",
        (proof.new_sign_count, proof.credential_id),
    )
    found: UUID = row["operator_id"]
    if parsed.response.user_handle and not secrets.compare_digest(parsed.response.user_handle, found.bytes):
        raise PasskeyRefused("The passkey belongs to somebody else.")
    return found
