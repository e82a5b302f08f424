"""Addresses of pictures that work for a short while, in one session, for one picture."""

import hmac
from typing import Final
from urllib.parse import quote
from uuid import UUID

from truename.plumbing import clock
from truename.plumbing.crypto.vault import Vault

PATH: Final = "/dashboard/media"
LIVES_SECONDS: Final = 60


def signed_address(vault: Vault, session_id: UUID, account_id: UUID, media_id: UUID, part: str = "") -> str:
    """An address of this picture that the session may open for a minute; `part`: `/face` for the face cut out of it."""
    until = clock.seconds() + LIVES_SECONDS
    proof = quote(_proof(vault, session_id, account_id, media_id, until))
    return f"{PATH}/{media_id}{part}?until={until}&proof={proof}"


def is_good(vault: Vault, session_id: UUID, account_id: UUID, media_id: UUID, until: str, proof: str) -> bool:
    """Was this address made by us, for this session and account, and is its time not over?"""
    if not until.isascii() or not until.isdigit() or len(until) > 12 or int(until) < clock.seconds():
        return False
    return hmac.compare_digest(proof.encode(), _proof(vault, session_id, account_id, media_id, int(until)).encode())


def _proof(vault: Vault, session_id: UUID, account_id: UUID, media_id: UUID, until: int) -> str:
    return vault.keyed_hash("dashboard picture", f"{session_id}/{account_id}/{media_id}/{until}").hex()
