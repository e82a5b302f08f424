"""What may be sent about a blocklist, and what is answered."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import BeforeValidator, Field

from truename.customers.model import ReferenceImage, Why
from truename.plumbing.http.bodies import Marked, Sent
from truename.rules.config_values import LEFT_OUT, whole_number

Days = Annotated[int, Field(ge=1, le=36500), BeforeValidator(whole_number)]


class NewListing(Sent):
    """Why a face is put on the blocklist, and for how long."""

    reason: Why
    """Why; kept sealed, and shown with the entry."""
    valid_days: Annotated[Days | None, *LEFT_OUT] = None
    """After so many days the entry ends and is deleted. Left out: it stays until it is removed."""


class NewFaceListing(NewListing):
    """A picture whose face is put on the blocklist."""

    pictures: ClassVar[frozenset[str]] = frozenset({"face_image"})

    face_image: ReferenceImage
    """Plain base64 of a JPEG or PNG that shows one face, at most 4 MB before encoding."""


class ShownEntry(Marked):
    """A face on the account's blocklist; the face itself is never answered."""

    entry_id: UUID
    """Identifier of the entry."""
    customer_id: UUID | None
    """The customer from whom the face was taken; null where it came from a picture."""
    reason: str
    """Why it is on the list."""
    added_by: str
    """Who put it there: `client:ID`, `operator:ID` or `operator` (the command line)."""
    created_at: datetime
    """When it was put there."""
    expires_at: datetime | None
    """When it ends; null: it stays until it is removed."""


class EntryList(Marked):
    """One page of the account's blocklist, the newest entries first."""

    data: list[ShownEntry]
    """Entries of this page."""
    has_more: bool
    """There is a further page."""
    next_cursor: str | None
    """`cursor` of the next page; null on the last."""


class RemovedEntry(Marked):
    """What was taken off the list."""

    entry_id: UUID
    """Identifier of the entry that was removed."""
