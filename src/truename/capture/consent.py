"""Nothing is captured before the person has agreed."""

from typing import Any

from truename.accounts.tokens import SdkClaims
from truename.capture import store
from truename.capture.access import Capture, open_capture
from truename.capture.model import NewConsent
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState
from truename.plumbing.http.answers import instant


async def give_consent(connection: Connection, claims: SdkClaims, new: NewConsent) -> dict[str, Any]:
    """Record the answer with the version of the text that was shown; a refusal may be taken back."""
    capture = await open_capture(connection, claims)
    row = await store.record_consent(connection, capture, new.given, new.text_version, new.language)
    return {"given": row["given"], "text_version": row["text_version"], "at": instant(row["at"])}


async def refuse_without_consent(connection: Connection, capture: Capture) -> None:
    consent = await store.consent_of(connection, capture)
    if consent is None or not consent["given"]:
        raise WrongState("The person has not agreed yet.", code="consent_missing")
