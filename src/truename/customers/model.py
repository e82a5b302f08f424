"""A customer: what may be sent, and what is answered."""

import base64
import binascii
import re
from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal
from uuid import UUID

import orjson
from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel
from pydantic_core import PydanticCustomError

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.vault import DataKey
from truename.plumbing.http.bodies import Marked, Sent, Shown
from truename.rules.config_values import LEFT_OUT
from truename.rules.dossier import CustomerStatus
from truename.rules.evidence import QualityReason

MAX_IMAGE_BYTES: Final = 4 * 1024 * 1024
IMAGE_TOO_LARGE: Final = "The image must have at most 4,194,304 bytes before encoding."
MAX_IMAGE_TEXT: Final = -(-MAX_IMAGE_BYTES // 3) * 4
EXAMPLE_IMAGE: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNsYGBiYAAAApIAhOoU7S4AAAAASUVORK5CYII="
)
_WORD = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_PLAIN_EMAIL = re.compile(
    rf"(?=[^@]{{1,64}}@){_WORD}(\.{_WORD})*@([A-Za-z0-9]([A-Za-z0-9]|-(?!-)){{0,61}}(?<!-)\.)+[A-Za-z]{{2,63}}",
    re.ASCII,
)
_SPECIAL_DOMAINS: Final = tuple(SPECIAL_USE_DOMAIN_NAMES)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PHONE = re.compile(r"\+[1-9][0-9]{1,14}")


def _own_identifier(text: str) -> str:
    if text != text.strip():
        raise PydanticCustomError("text_has_outer_space", "The text must not begin or end with a space.")
    return readable(text)


def readable(text: str) -> str:
    """Refuse control characters and lone surrogates, which nobody can read and PostgreSQL does not keep."""
    if _CONTROL.search(text):
        raise PydanticCustomError("text_forbidden_character", "The text must not hold control characters.")
    return text


def _email(text: str) -> str:
    # The usual address needs no library, which takes longer over it than all the rest of the request.
    if _PLAIN_EMAIL.fullmatch(text) and not text.lower().endswith(_SPECIAL_DOMAINS):
        return text
    try:
        if text != text.strip():
            raise EmailNotValidError
        found = validate_email(text, check_deliverability=False, test_environment=True, strict=True)
    except EmailNotValidError:
        raise PydanticCustomError("email_malformed", "The text is not an e-mail address.") from None
    if "." not in found.ascii_domain:
        raise PydanticCustomError("email_malformed", "The domain of the e-mail address is not complete.")
    return text


def _phone(text: str) -> str:
    if not _PHONE.fullmatch(text):
        raise PydanticCustomError("phone_number_malformed", "The number must be in E.164 form: + and 2 to 15 digits.")
    return text


def canonical_base64(text: str) -> str:
    """Plain base64 that has one reading only: the library forgives stray padding and non-zero last bits."""
    if not text:
        raise PydanticCustomError("image_empty", "The image must not be empty.")
    if len(text) > MAX_IMAGE_TEXT:
        raise PydanticCustomError("image_too_large", IMAGE_TOO_LARGE)
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        data = b""
    if base64.b64encode(data) != text.encode("utf-8", "surrogatepass"):
        words = "The image must be plain base64: standard alphabet, padded, no prefix and no line breaks."
        raise PydanticCustomError("image_not_base64", words)
    if len(data) > MAX_IMAGE_BYTES:
        raise PydanticCustomError("image_too_large", IMAGE_TOO_LARGE)
    return text


_EDGE: Final = r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
TRIMMED: Final = rf"^{_EDGE}([^\u0000-\u001f\u007f-\u009f]*{_EDGE})?$"
"""As a pattern: no control characters, and no space at either end."""
WITHOUT_CONTROLS: Final = r"^[^\u0000-\u001f\u007f-\u009f]+$"
ExternalId = Annotated[
    str,
    AfterValidator(_own_identifier),
    Field(min_length=1, max_length=255, json_schema_extra={"pattern": TRIMMED, "examples": ["person-4711"]}),
]
Email = Annotated[
    str,
    Field(
        max_length=254,  # before the library, which takes the square of a length: hours for one of megabytes
        json_schema_extra={"pattern": r"^[^@\s]+@[^@\s]+$", "x-format": "email", "examples": ["ana@example.com"]},
    ),
    AfterValidator(_email),
]
PhoneNumber = Annotated[
    str,
    AfterValidator(_phone),
    Field(json_schema_extra={"pattern": r"^\+[1-9][0-9]{1,14}$", "examples": ["+5491123456789"]}),
]
ReferenceImage = Annotated[
    str,
    AfterValidator(canonical_base64),
    Field(
        json_schema_extra={
            "contentEncoding": "base64",
            "minLength": 4,
            "maxLength": MAX_IMAGE_TEXT,
            "pattern": "^(/9j/|iVBORw0KGgo)[A-Za-z0-9+/]*={0,2}$",
            "x-format": "picture",
            "examples": [EXAMPLE_IMAGE],
        },
    ),
]


Why = Annotated[
    str,
    AfterValidator(_own_identifier),
    Field(min_length=1, max_length=500, json_schema_extra={"pattern": TRIMMED, "examples": ["Chargeback on 3 orders"]}),
]
"""A reason in free text."""


class NewCustomer(Sent):
    """A person who is to be verified, under the integrator's own identifier."""

    pictures: ClassVar[frozenset[str]] = frozenset({"face_reference_image"})

    external_customer_id: ExternalId
    """The integrator's own identifier of the person, unique within the account, echoed back."""
    email: Annotated[Email | None, *LEFT_OUT] = None
    """The person's e-mail address."""
    phone_number: Annotated[PhoneNumber | None, *LEFT_OUT] = None
    """The person's telephone number."""
    face_reference_image: Annotated[ReferenceImage | None, *LEFT_OUT] = None
    """Plain base64 of the file: standard alphabet, no data: prefix, no line breaks. Enrols the reference face."""


class CustomerFields(Sent):
    """What can be changed of a customer: a field that is left out stays as it is, null takes it away."""

    pictures: ClassVar[frozenset[str]] = frozenset({"face_reference_image"})

    email: Email | None = None
    """The person's e-mail address."""
    phone_number: PhoneNumber | None = None
    """The person's telephone number."""
    face_reference_image: ReferenceImage | None = None
    """Plain base64 of the file, as at creation. Replaces the reference face."""


class ContactData(BaseModel):
    """How the person can be reached: what is sealed as the customer's profile."""

    model_config = ConfigDict(frozen=True)

    email: str | None = None
    phone_number: str | None = None

    def sealed_by(self, key: DataKey) -> bytes:
        """As it is stored, under the customer's own key."""
        return sealed_contact_data(key, self.email, self.phone_number)


def sealed_contact_data(key: DataKey, email: str | None, phone_number: str | None) -> bytes:
    """The JSON of a `ContactData`, as it is stored, of values that were checked: each new customer has it made."""
    return key.seal(orjson.dumps({"email": email, "phone_number": phone_number}), seals.PROFILE)


class NewStatus(Sent):
    """Moves a customer to another status, with the reason."""

    status: Annotated[CustomerStatus, Field(strict=False)]
    """The status to move to."""
    reason: Why
    """Why; kept in the audit log."""


class CustomerCreated(Marked):
    """The customer that was created."""

    customer_id: UUID
    """Identifier of the customer."""
    external_customer_id: str
    """Echo of the request."""
    created_at: datetime
    """Time of creation, ISO 8601."""


class ShownReferenceFace(Shown):
    """The face that later ones are compared with: where it came from, and whether it can be used."""

    usable: bool
    """Whether faces can be compared with it."""
    reason: QualityReason | None
    """Why it cannot be compared, for example NO_FACE; null when it can."""
    origin: Literal["REFERENCE_IMAGE", "LIVENESS"]
    """REFERENCE_IMAGE: sent by you. LIVENESS: the live face of the first approved transaction."""
    enrolled_at: datetime
    """Since when it is compared with."""


class ShownCustomer(Marked):
    """A customer with its contact data and its reference face."""

    customer_id: UUID
    """Identifier of the customer."""
    external_customer_id: str
    """Your own identifier of the person."""
    status: CustomerStatus
    """ACTIVE; SUSPICIOUS warns in every transaction; BLOCKED rejects it."""
    email: str | None
    """The person's e-mail address, when you gave one."""
    phone_number: str | None
    """The person's telephone number, when you gave one."""
    reference_face: ShownReferenceFace | None
    """The face that later ones are compared with; null while there is none."""
    created_at: datetime
    """Time of creation."""


class CustomerChange(Marked):
    """What a token without `customers:read` is answered."""

    customer_id: UUID
    """Identifier of the customer."""
    external_customer_id: str
    """Your own identifier of the person."""
    status: CustomerStatus
    """ACTIVE; SUSPICIOUS warns in every transaction; BLOCKED rejects it."""
    created_at: datetime
    """Time of creation."""


class ChangedCustomer(RootModel[ShownCustomer | CustomerChange]):
    """The whole customer if the token has `customers:read`, otherwise ids and status only."""


class CustomerList(Marked):
    """The customer of one external identifier, or none."""

    data: list[ShownCustomer]
    """None or one."""
    has_more: bool
    """Always false: an identifier names one customer."""
    next_cursor: str | None
    """Always null."""


class ErasureReceipt(Marked):
    """Proof that a customer was erased: what was deleted, and what remains as bare facts."""

    receipt_id: UUID
    """Name this when somebody asks whether the erasure was done."""
    customer_id: UUID
    """The customer that was erased."""
    erased_at: datetime
    """When the customer's key was destroyed."""
    media_deleted: int
    """How many pictures are deleted with it."""
    transactions_kept: int
    """Transactions that remain as bare facts, without personal data."""
