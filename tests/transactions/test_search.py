"""A transaction is found by a name or a number of which only hashes are kept; they go with the person."""

import pytest

from tests.support.dossiers import a_dossier
from tests.support.transactions import a_customer, a_transaction
from truename.privacy.erase import erase
from truename.transactions.search import find, keys_for, keys_of, remember


@pytest.mark.parametrize("typed", ["pérez", "O'Neill", "ana maría Perez", "AB123456", "ab-123 456", "PEREZ ANA"])
async def test_it_is_found_by_any_word_of_the_name_and_by_the_number(plumbing, an_account, typed):
    account_id = an_account.account_id
    customer_id = await a_customer(plumbing, an_account)
    transaction_id = await a_transaction(plumbing, an_account, customer_id)
    async with plumbing.database.account(account_id) as connection:
        await remember(connection, plumbing.vault, account_id, customer_id, transaction_id, a_dossier())
        found = [await find(connection, account_id, keys) for keys in keys_for(plumbing.vault, account_id, typed)]
        assert [transaction_id] in found
        await erase(connection, account_id, customer_id, actor="client:x")
        found = [await find(connection, account_id, keys) for keys in keys_for(plumbing.vault, account_id, typed)]
        assert [one for one in found if one] == []


def test_other_words_and_other_accounts_have_other_keys(plumbing, an_account, another_account):
    mine = set(keys_of(plumbing.vault, an_account.account_id, a_dossier()))
    theirs = set(keys_of(plumbing.vault, another_account.account_id, a_dossier()))
    assert len(mine) == 5
    assert mine & theirs == set()
    assert not any(set(keys) <= mine for keys in keys_for(plumbing.vault, an_account.account_id, "ana gomez"))
