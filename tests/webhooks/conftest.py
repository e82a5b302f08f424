"""A receiver of webhooks on loopback, and a house that trusts it."""

import dataclasses

import pytest

from tests.support.receiver import a_receiver


@pytest.fixture
async def receiver(tmp_path):
    async with a_receiver(tmp_path) as receiver:
        yield receiver


@pytest.fixture
def house(plumbing, receiver):
    """The plumbing, with the receiver's authority trusted."""
    trusting = plumbing.settings.model_copy(update={"webhook_ca_file": receiver.ca_file})
    return dataclasses.replace(plumbing, settings=trusting)
