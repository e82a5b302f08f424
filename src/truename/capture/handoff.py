"""From a computer to a phone: a code that works once, and a number that both must show."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar
from uuid import UUID

import segno
from psycopg.rows import class_row, scalar_row

from truename.accounts.tokens import SdkClaims, issue_sdk_token, read_sdk_token
from truename.capture.access import Capture, find_capture, open_capture, refuse_closed
from truename.capture.answers import (
    AccountName,
    HandoffClaimed,
    HandoffConfirmed,
    HandoffOffered,
    HandoffOrigin,
    HandoffRefused,
    HandoffState,
)
from truename.device.origin import OriginData, origin_of
from truename.plumbing.crypto import seals
from truename.plumbing.database.pool import Connection
from truename.plumbing.database.rows import only_row
from truename.plumbing.errors import NotFound, Refusal, WrongState
from truename.plumbing.http.answers import encode
from truename.plumbing.resources import Plumbing
from truename.rules.countries import COUNTRIES
from truename.transactions.lifecycle import OPEN

LIFETIME: Final = timedelta(minutes=10)
State = Literal["WAITING", "OPENED", "CONNECTED", "FINISHED", "REFUSED", "EXPIRED"]
Row = TypeVar("Row")
_chance = secrets.SystemRandom()


@dataclass(frozen=True)
class Owner:
    """Whose capture a code hands on."""

    account_id: UUID
    transaction_id: UUID


async def offer(
    connection: Connection, plumbing: Plumbing, claims: SdkClaims, device: str, address: str | None
) -> HandoffOffered:
    """A link for the phone; it voids the one before."""
    capture = await open_capture(connection, claims)
    if not capture.settings.handoff:
        raise WrongState("The account does not allow another device.", code="wrong_step")
    await _void(connection, capture)
    code, number = secrets.token_urlsafe(24), f"{_chance.randrange(10, 100)}"
    origin = HandoffOrigin(device=device, place=_place(plumbing, address))
    sealed = (await capture.key(plumbing)).seal(encode(origin), seals.handoff_origin(_hash(code)))
    cursor = await connection.cursor(row_factory=scalar_row).execute(
        """
        INSERT INTO handoffs (handoff_hash, account_id, transaction_id, match_number, sealed_origin, created_at,
                              expires_at)
        VALUES (%(hash)s, %(account_id)s, %(transaction_id)s, %(number)s, %(origin)s, clock_timestamp(),
                least(clock_timestamp() + %(lifetime)s, %(ends)s)) RETURNING expires_at
        """,
        {
            **capture.own,
            "hash": _hash(code),
            "number": number,
            "origin": sealed,
            "lifetime": LIFETIME,
            "ends": capture.expires_at,
        },
    )
    url = f"{plumbing.settings.base_url}/verify/#h={code}"
    return HandoffOffered(
        url=url,
        qr_svg=segno.make(url, error="m").svg_inline(scale=4, border=2, dark="#000", light="#fff", omitsize=True),
        match_number=number,
        state="WAITING",
        expires_at=await only_row(cursor),
    )


async def _void(connection: Connection, capture: Capture) -> None:
    """End the hand-offs before. One that a phone opened stays on record: without it that phone's token would pass for
    the computer's own, which needs no number."""
    await connection.execute(
        "DELETE FROM handoffs WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s "
        "AND phone_jti IS NULL",
        capture.own,
    )
    await connection.execute(
        "UPDATE handoffs SET state = 'REFUSED' WHERE account_id = %(account_id)s "
        "AND transaction_id = %(transaction_id)s",
        capture.own,
    )


async def state_of(connection: Connection, claims: SdkClaims) -> HandoffState:
    """What the computer shows while it waits; it works after the submission too."""
    capture, _ = await find_capture(connection, claims, lock=False)
    row = await _of_transaction(connection, capture)
    state = row.state
    if state == "CONNECTED" and capture.status not in OPEN:
        state = "FINISHED"
    if row.too_late and state in ("WAITING", "OPENED"):
        state = "EXPIRED"
    return HandoffState(state=state, expires_at=row.expires_at)


async def owner_of(plumbing: Plumbing, code: str) -> Owner:
    """Whose capture a code hands on; raises NotFound where there is no such code."""
    async with plumbing.database.system() as connection:
        cursor = await connection.cursor(row_factory=class_row(Owner)).execute(
            "SELECT account_id, transaction_id FROM handoffs WHERE handoff_hash = %s", (_hash(code),)
        )
        return _known(await cursor.fetchone())


async def claim(connection: Connection, plumbing: Plumbing, owner: Owner, code: str) -> HandoffClaimed:
    """The phone opens the link: it gets a token of its own, which waits for the number."""
    # The transaction is locked first, as every other call does: the other way round two calls could wait for ever.
    await connection.execute(
        "SELECT FROM transactions WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s FOR UPDATE",
        {"account_id": owner.account_id, "transaction_id": owner.transaction_id},
    )
    row = await _locked(connection, code)
    if row.state != "WAITING":
        raise WrongState("The link was opened already.", code="handoff_used")
    if row.too_late:
        raise WrongState("The link has expired.", code="handoff_expired")
    token = await issue_sdk_token(plumbing, owner.account_id, owner.transaction_id, row.ends)
    claims = await read_sdk_token(plumbing, token)
    capture, _ = await find_capture(connection, claims, lock=True)
    refuse_closed(capture.status)
    await connection.execute(
        "UPDATE handoffs SET state = 'OPENED', seen_at = clock_timestamp(), phone_jti = %s WHERE handoff_hash = %s",
        (claims.jti, _hash(code)),
    )
    key = await capture.key(plumbing)
    origin = HandoffOrigin.model_validate_json(key.open(row.sealed_origin, seals.handoff_origin(_hash(code))))
    numbers = {row.match_number}
    while len(numbers) < 3:
        numbers.add(f"{_chance.randrange(10, 100)}")
    return HandoffClaimed(
        sdk_token=token,
        origin=origin,
        account=AccountName(name=capture.account_name),
        numbers=_chance.sample(sorted(numbers), 3),
        expires_at=row.ends,
    )


async def confirm(connection: Connection, claims: SdkClaims, number: str) -> HandoffConfirmed | Refusal:
    """The person names the number on the computer: one guess only."""
    row = await _of_phone(connection, claims)
    if row.state == "CONNECTED":
        return HandoffConfirmed(state="CONNECTED")
    if row.state != "OPENED":
        raise WrongState("The hand-off is over.", code="handoff_used")
    if row.too_late:
        raise WrongState("The link has expired.", code="handoff_expired")
    right = secrets.compare_digest(row.match_number, number) if number.isascii() else False
    await _set_state(connection, claims, "CONNECTED" if right else "REFUSED")
    if not right:
        # Not raised: the refusal must be written down, so the database transaction must commit.
        return WrongState("That is not the number on the computer.", code="handoff_number_wrong")
    return HandoffConfirmed(state="CONNECTED")


async def refuse(connection: Connection, claims: SdkClaims) -> HandoffRefused:
    """ "I did not start this": the phone's token is worth nothing from here on."""
    await _of_phone(connection, claims)
    await _set_state(connection, claims, "REFUSED")
    return HandoffRefused(state="REFUSED")


@dataclass(frozen=True)
class _PhonesHandoff:
    state: State
    match_number: str
    too_late: bool


@dataclass(frozen=True)
class _LastHandoff:
    state: State
    expires_at: datetime
    too_late: bool


@dataclass(frozen=True)
class _OpenedHandoff:
    state: State
    match_number: str
    sealed_origin: bytes
    ends: datetime
    """When the transaction expires."""
    too_late: bool


async def _of_phone(connection: Connection, claims: SdkClaims) -> _PhonesHandoff:
    await open_capture(connection, claims, confirming=True)
    cursor = await connection.cursor(row_factory=class_row(_PhonesHandoff)).execute(
        "SELECT state, match_number, expires_at <= clock_timestamp() AS too_late FROM handoffs "
        "WHERE account_id = %s AND transaction_id = %s AND phone_jti = %s FOR UPDATE",
        (claims.account_id, claims.transaction_id, claims.jti),
    )
    return _known(await cursor.fetchone())


async def _of_transaction(connection: Connection, capture: Capture) -> _LastHandoff:
    cursor = await connection.cursor(row_factory=class_row(_LastHandoff)).execute(
        "SELECT state, expires_at, expires_at <= clock_timestamp() AS too_late FROM handoffs "
        "WHERE account_id = %(account_id)s AND transaction_id = %(transaction_id)s ORDER BY created_at DESC LIMIT 1",
        capture.own,
    )
    return _known(await cursor.fetchone())


async def _locked(connection: Connection, code: str) -> _OpenedHandoff:
    cursor = await connection.cursor(row_factory=class_row(_OpenedHandoff)).execute(
        """
        SELECT h.state, h.match_number, h.sealed_origin, t.expires_at AS ends,
               h.expires_at <= clock_timestamp() AS too_late
        FROM handoffs h JOIN transactions t ON t.transaction_id = h.transaction_id AND t.account_id = h.account_id
        WHERE h.handoff_hash = %s AND h.sealed_origin IS NOT NULL FOR UPDATE OF h
        """,
        (_hash(code),),
    )
    return _known(await cursor.fetchone())


async def _set_state(connection: Connection, claims: SdkClaims, state: State) -> None:
    await connection.execute(
        "UPDATE handoffs SET state = %s, seen_at = clock_timestamp() "
        "WHERE account_id = %s AND transaction_id = %s AND phone_jti = %s",
        (state, claims.account_id, claims.transaction_id, claims.jti),
    )


def _hash(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()


def _known(row: Row | None) -> Row:
    if row is None:
        raise NotFound("There is no such hand-off.", code="handoff_unknown")
    return row


def _place(plumbing: Plumbing, address: str | None) -> str | None:
    settings = plumbing.settings
    country = origin_of(address or "", OriginData(settings.geoip_city_file, settings.geoip_asn_file)).country
    found = COUNTRIES.get(country) if country else None
    return found.name if found else None
