"""All that the judgement may know of one transaction: the evidence, the config, the customer and the day.

A dossier is stored as JSON (`model_dump_json()`) and read back (`Dossier.model_validate_json`), so that the same
transaction can be judged again with the same result.
"""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator

from truename.rules.config import Config, TransactionType, without_nulls
from truename.rules.evidence import Evidence, Fact


class CustomerStatus(StrEnum):
    """The standing of a customer: SUSPICIOUS warns in every transaction, BLOCKED rejects it."""

    ACTIVE = "ACTIVE"
    SUSPICIOUS = "SUSPICIOUS"
    BLOCKED = "BLOCKED"


class FaceSearch(StrEnum):
    """How far an account has switched on the search for the live face among other customers and blocklists."""

    OFF = "off"
    REPORT = "report"
    ENFORCE = "enforce"


class EarlierRecord(Fact):
    """What the customer's last approved document said; None where it said nothing."""

    given_names: str | None = None
    surnames: str | None = None
    gender: str | None = None
    date_of_birth: date | None = None


def _as_stored(config: object) -> object:
    return without_nulls(config) if isinstance(config, Mapping) else config


class Dossier(Fact):
    """Everything that a judgement of one transaction needs; the same dossier is judged the same at any time."""

    transaction_type: TransactionType
    config: Annotated[Config, BeforeValidator(_as_stored)] = Config()
    evidence: Evidence = Evidence()
    customer_status: CustomerStatus = CustomerStatus.ACTIVE
    earlier_record: EarlierRecord | None = None
    has_reference_face: bool = False
    """True when the customer has an identity reference: a comparison with it that is missing then fails."""
    today: date
    face_search: FaceSearch = FaceSearch.OFF
