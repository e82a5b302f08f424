"""Is the quick way to accept an ordinary e-mail address never more lenient than the library?"""

import pytest
from email_validator import EmailNotValidError, validate_email
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from truename.customers.model import _PLAIN_EMAIL, _SPECIAL_DOMAINS, CustomerFields, NewCustomer
from truename.rules.faults import Fault, faults_of

PARTS = st.text(alphabet="aZ09.-_+@!{~é ", min_size=1, max_size=12)


@given(st.builds(lambda local, domain, top: f"{local}@{domain}.{top}", PARTS, PARTS, PARTS))
def test_what_the_quick_way_accepts_the_library_accepts(text: str) -> None:
    if _PLAIN_EMAIL.fullmatch(text) and not text.lower().endswith(_SPECIAL_DOMAINS):
        validate_email(text, check_deliverability=False, strict=True)


@pytest.mark.parametrize(
    "text", ["x" * 65 + "@c.de", "a@b", "a..b@c.de", ".a@c.de", "a.@c.de", "a@-c.de", "a@c-.de", "a@c.1"]
)
def test_the_quick_way_leaves_doubtful_addresses_to_the_library(text: str) -> None:
    assert not _PLAIN_EMAIL.fullmatch(text)
    with pytest.raises(EmailNotValidError):
        validate_email(text, check_deliverability=False, strict=True)


def test_the_quick_way_is_taken_for_ordinary_addresses() -> None:
    assert _PLAIN_EMAIL.fullmatch("ana.maria+tag@mail-1.example.com")


@pytest.mark.parametrize("address", ["ü" * 20_000 + "@c.de", "a@" + "ü" * 20_000 + ".de", "a" * 250 + "@c.de"])
@pytest.mark.parametrize("model", [NewCustomer, CustomerFields])
def test_an_address_that_is_too_long_never_comes_to_the_library(
    model: type[NewCustomer] | type[CustomerFields], address: str
) -> None:
    """It takes the square of a length: an hour for what fits into a body, in a thread that nobody can end."""
    with pytest.raises(ValidationError) as caught:
        model.model_validate(
            {"external_customer_id": "a", "email": address} if model is NewCustomer else {"email": address}
        )
    assert faults_of(caught.value) == [Fault("/email", "text_too_long", "The text must have at most 254 characters.")]
