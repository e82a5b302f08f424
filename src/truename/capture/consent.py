"""Nothing is captured before the person has agreed."""

from truename.accounts.tokens import SdkClaims
from truename.capture import store
from truename.capture.access import Capture, open_capture
from truename.capture.answers import ConsentRecorded
from truename.capture.model import NewConsent
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import WrongState


async def give_consent(connection: Connection, claims: SdkClaims, new: NewConsent) -> ConsentRecorded:
    """Record the answer with the version of the text that was shown; a refusal may be taken back."""
    capture = await open_capture(connection, claims)
    at = await store.record_consent(connection, capture, new.given, new.text_version, new.language)
    return ConsentRecorded(given=new.given, text_version=new.text_version, at=at)


async def refuse_without_consent(connection: Connection, capture: Capture) -> None:
    """Refuse (409, consent_missing) when the person has not answered, or has declined."""
    if not await store.consent_given(connection, capture):
        raise WrongState("The person has not agreed yet.", code="consent_missing")
