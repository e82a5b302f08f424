"""Codes of an authenticator app (TOTP, RFC 6238), and the recovery codes for who has lost it."""

import io
import secrets
from typing import Final
from uuid import UUID

import pyotp
import segno

from truename.audit.model import Action
from truename.operators.change import note
from truename.operators.model import Operator
from truename.plumbing import clock
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.resources import Plumbing

STEP_SECONDS: Final = 30
DRIFT_STEPS: Final = 1
"""A phone's clock may be half a minute off either way."""
RECOVERY_CODES: Final = 10
WORDS_OF_A_CODE: Final = 6
"""148 bits: so many that they need no slow hash (OWASP ASVS 6.5.2)."""
ISSUER: Final = "Truename"


async def begin_totp(plumbing: Plumbing, connection: Connection, operator: Operator) -> str:
    """A fresh secret that counts once a code made from it was shown; answers it in base32."""
    secret = pyotp.random_base32()
    sealed = plumbing.vault.seal_system(seals.operator_totp(operator.operator_id), secret.encode())
    await connection.execute(
        """UPDATE operators SET totp_sealed = %s, totp_last_step = 0 WHERE operator_id = %s
           AND totp_confirmed_at IS NULL""",
        (sealed, operator.operator_id),
    )
    return secret


async def pending_secret(plumbing: Plumbing, connection: Connection, operator: Operator) -> str | None:
    """The secret that no code has confirmed yet; None when there is none."""
    cursor = await connection.execute(
        "SELECT totp_sealed FROM operators WHERE operator_id = %s AND totp_confirmed_at IS NULL",
        (operator.operator_id,),
    )
    row = await cursor.fetchone()
    if row is None or row["totp_sealed"] is None:
        return None
    return plumbing.vault.open_system(seals.operator_totp(operator.operator_id), bytes(row["totp_sealed"])).decode()


def totp_address(operator: Operator, secret: str) -> str:
    """What the QR code says to an authenticator app."""
    return pyotp.TOTP(secret).provisioning_uri(name=operator.email, issuer_name=ISSUER)


def totp_picture(operator: Operator, secret: str) -> bytes:
    """The QR code, as an SVG."""
    out = io.BytesIO()
    segno.make(totp_address(operator, secret), error="m").save(out, kind="svg", scale=4, border=2)
    return out.getvalue()


async def confirm_totp(plumbing: Plumbing, connection: Connection, operator: Operator, code: str) -> list[str] | None:
    """Switch the codes on when this one is right; answers fresh recovery codes, or None when it is not."""
    if operator.has_totp or not await is_totp(plumbing, connection, operator.operator_id, code):
        return None
    await connection.execute(
        "UPDATE operators SET totp_confirmed_at = clock_timestamp() WHERE operator_id = %s", (operator.operator_id,)
    )
    details = {"method": "totp"}
    await note(connection, operator.operator_id, Action.OPERATOR_SECOND_FACTOR_CHANGED, operator.actor, details)
    return await new_recovery_codes(plumbing, connection, operator)


async def remove_totp(connection: Connection, operator: Operator) -> None:
    """Switch the codes off; recovery codes stay only while there is a passkey."""
    await connection.execute(
        """UPDATE operators SET totp_sealed = NULL, totp_confirmed_at = NULL,
                  recovery_hashes = CASE WHEN %s THEN recovery_hashes ELSE '{}' END
           WHERE operator_id = %s""",
        (operator.passkeys > 0, operator.operator_id),
    )
    details = {"method": "totp_removed"}
    await note(connection, operator.operator_id, Action.OPERATOR_SECOND_FACTOR_CHANGED, operator.actor, details)


async def is_totp(plumbing: Plumbing, connection: Connection, operator_id: UUID, code: str) -> bool:
    """Is this a code of now that was not used before? It counts as used from now on."""
    cursor = await connection.execute("SELECT totp_sealed FROM operators WHERE operator_id = %s", (operator_id,))
    row = await cursor.fetchone()
    if row is None or row["totp_sealed"] is None:
        return False
    secret = plumbing.vault.open_system(seals.operator_totp(operator_id), bytes(row["totp_sealed"])).decode()
    step = _step_of(pyotp.TOTP(secret), code.replace(" ", ""))
    if step is None:
        return False
    cursor = await connection.execute(
        "UPDATE operators SET totp_last_step = %s WHERE operator_id = %s AND totp_last_step < %s",
        (step, operator_id, step),
    )
    return cursor.rowcount == 1


async def new_recovery_codes(plumbing: Plumbing, connection: Connection, operator: Operator) -> list[str]:
    """Ten codes, each good for one sign-in; the earlier ones are worth nothing any more. Shown once."""
    codes = ["-".join(_word() for _ in range(WORDS_OF_A_CODE)) for _ in range(RECOVERY_CODES)]
    hashes = [_recovery_hash(plumbing, operator.operator_id, code) for code in codes]
    await connection.execute(
        "UPDATE operators SET recovery_hashes = %s WHERE operator_id = %s", (hashes, operator.operator_id)
    )
    return codes


async def use_recovery_code(plumbing: Plumbing, connection: Connection, operator_id: UUID, code: str) -> bool:
    """Is this one of the codes that are left? It is not from now on."""
    own = _recovery_hash(plumbing, operator_id, code)
    cursor = await connection.execute(
        """UPDATE operators SET recovery_hashes = array_remove(recovery_hashes, %s)
           WHERE operator_id = %s AND %s = ANY(recovery_hashes)""",
        (own, operator_id, own),
    )
    return cursor.rowcount == 1


def _step_of(totp: pyotp.TOTP, code: str) -> int | None:
    now = clock.seconds() // STEP_SECONDS
    for step in range(now - DRIFT_STEPS, now + DRIFT_STEPS + 1):
        if secrets.compare_digest(totp.generate_otp(step).encode(), code.encode()):
            return step
    return None


def _word() -> str:
    return "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(5))


def _recovery_hash(plumbing: Plumbing, operator_id: UUID, code: str) -> bytes:
    plain = code.strip().lower().replace(" ", "").replace("-", "")
    return plumbing.vault.keyed_hash("operator recovery code", f"{operator_id}:{plain}")
