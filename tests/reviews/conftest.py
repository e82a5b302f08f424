"""Two reviewers at their desks."""

import pytest

from tests.support.reviews import ANA, BEN, Desk


@pytest.fixture
def ana(plumbing, an_account):
    return Desk(plumbing, an_account, ANA)


@pytest.fixture
def ben(plumbing, an_account):
    return Desk(plumbing, an_account, BEN)
