"""Is what is sealed of a customer's contact data what is read of it later?"""

import pytest

from truename.customers.model import ContactData, sealed_contact_data
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.master_key import GivenKeys
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.ids import new_id


@pytest.mark.parametrize("email", [None, "ana@example.com", '"a\\"b\\\\"@exämple.com', "\U0001f600@example.com"])
@pytest.mark.parametrize("phone_number", [None, "+5491123456789"])
def test_contact_data_that_was_sealed_is_read_again(email, phone_number):
    _, key = Vault(GivenKeys((bytes(32),))).make_customer_key(new_id(), new_id())
    contact = ContactData(email=email, phone_number=phone_number)
    for sealed in (sealed_contact_data(key, email, phone_number), contact.sealed_by(key)):
        stored = key.open(sealed, seals.PROFILE)
        assert stored == contact.model_dump_json().encode()
        assert ContactData.model_validate_json(stored) == contact
