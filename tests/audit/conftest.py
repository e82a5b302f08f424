"""A log of its own for each module, since it is tampered with."""

import pytest

from truename.audit.adopt import begin_chains
from truename.plumbing.crypto.master_key import master_keys
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing
from truename.plumbing.storage.objects import Objects


@pytest.fixture(scope="module")
async def house(new_database, settings):
    """A database of this module's own, since its log is tampered with."""
    url = new_database()
    database = Database(url, connections=6)
    await database.open()
    plumbing = Plumbing(settings, database, Objects(settings.media_url), Vault(master_keys(settings, may_create=False)))
    await begin_chains(plumbing)
    yield plumbing
    await database.close()
