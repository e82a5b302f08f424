"""What may be sent about a transaction; what is answered stands in answers.py."""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from truename.customers.model import WITHOUT_CONTROLS, readable
from truename.plumbing.http.bodies import Sent
from truename.plumbing.http.queries import is_uuid
from truename.rules.config import PLAIN_LOOPBACK, Config, TransactionType


def _uuid(text: str) -> str:
    if not is_uuid(text):
        raise PydanticCustomError("uuid_malformed", "The value must be a UUID in its 36-character form.")
    return text


UUID_PATTERN: Final = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


DEFAULT_CONFIG: Final = Config()


class NewTransaction(Sent):
    """Opens a verification of one customer under rules of its own."""

    customer_id: Annotated[
        str, AfterValidator(_uuid), Field(json_schema_extra={"format": "uuid", "pattern": UUID_PATTERN})
    ]
    """A customer that was created before."""
    transaction_type: Annotated[TransactionType, Field(strict=False)]
    """What is captured: the document and the live face, or only one of them."""
    config: Config = DEFAULT_CONFIG
    """The rules to enforce; an empty object is valid."""


def context(today: date) -> dict[str, date | bool]:
    """What the config must be told to be validated: it has no clock of its own, and knows no accounts.

    Plain http to this machine is let through: `create.webhook_faults` asks whether the account may use it.
    """
    return {"today": today, PLAIN_LOOPBACK: True}


class NewReview(Sent):
    """A person's decision on a transaction that waits for one."""

    outcome: Literal["APPROVED", "REJECTED"]
    """The decision."""
    reason: Annotated[
        str,
        AfterValidator(readable),
        Field(
            min_length=1,
            max_length=500,
            json_schema_extra={"pattern": WITHOUT_CONTROLS, "examples": ["Glare on the portrait; seen in person."]},
        ),
    ]
    """Why; kept in the audit log."""
