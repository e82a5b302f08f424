"""What every room may use: settings, database, store of objects, vault, keys of customers and decoders of pictures."""

from dataclasses import dataclass, field
from functools import cached_property

from truename.plumbing.crypto.vault import Vault
from truename.plumbing.customer_keys import CustomerKeys
from truename.plumbing.database.keys_database import KeysDatabase
from truename.plumbing.database.pool import Database
from truename.plumbing.settings import Settings
from truename.plumbing.storage.objects import Objects
from truename.vision.decoding.pool import Decoders


@dataclass(frozen=True, eq=False)
class Plumbing:
    """Made once per process by the wiring, and handed to whoever needs it."""

    settings: Settings
    database: Database
    objects: Objects
    vault: Vault
    decoders: Decoders = field(default_factory=Decoders)
    keys_database: KeysDatabase | None = None

    def __post_init__(self) -> None:
        self.database.vault = self.vault

    def wait_for_databases(self, seconds: float) -> None:
        """From now on wait so long for the answer to one statement, and hang up then."""
        self.database.wait_at_most(seconds)
        if self.keys_database is not None:
            self.keys_database.wait_at_most(seconds)

    @cached_property
    def keys(self) -> CustomerKeys:
        """The data keys of customers."""
        return CustomerKeys(self.vault, self.keys_database)
