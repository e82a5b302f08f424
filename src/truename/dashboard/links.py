"""What links a customer to others, with how rare it is: as a table, which unlike a graph can be read aloud."""

from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

from truename.plumbing.database.pool import Connection
from truename.transactions.search import KeyKind

MOST_CUSTOMERS: Final = 100_000
MOST_OTHERS: Final = 1000
MANY: Final = 20
"""A link to more people than these tells little: a carrier's address, a common telephone."""
SHOWN: Final = 5

LINKS: LiteralString = """
SELECT own.kind, own.key, own.transactions,
       (SELECT count(*) FROM (SELECT DISTINCT o.customer_id FROM search_keys o WHERE o.account_id = %(account_id)s
        AND o.key = own.key AND o.customer_id <> %(customer_id)s LIMIT %(most_others)s) AS found) AS others,
       ARRAY(SELECT DISTINCT o.customer_id FROM search_keys o WHERE o.account_id = %(account_id)s
             AND o.key = own.key AND o.customer_id <> %(customer_id)s LIMIT %(shown)s) AS who
FROM (SELECT k.kind, k.key, count(*) AS transactions FROM search_keys k
      WHERE k.account_id = %(account_id)s AND k.customer_id = %(customer_id)s AND k.kind = ANY(%(kinds)s)
      GROUP BY k.kind, k.key LIMIT 100) AS own
"""
CUSTOMERS: LiteralString = """
SELECT count(*) AS n FROM (SELECT 1 FROM customers WHERE account_id = %(account_id)s LIMIT %(most)s) AS found
"""
KINDS: Final = {
    KeyKind.NUMBER: "document number",
    KeyKind.DEVICE: "device, by all that it tells of itself",
    KeyKind.ADDRESS: "internet address",
}


@dataclass(frozen=True, slots=True)
class Link:
    """One thing that this customer shares with others."""

    kind: str
    others: int
    who: tuple[UUID, ...]
    key: str
    """The keyed hash, by which the list finds every transaction with it."""
    grave: bool
    """A document number that two customers have."""

    @property
    def others_words(self) -> str:
        return f"{MOST_OTHERS:,} or more" if self.others >= MOST_OTHERS else f"{self.others:,}"

    @property
    def meaning(self) -> str:
        """How much it tells."""
        if self.grave:
            return "one document, several customers: look at them together"
        if self.others > MANY:
            return "shared by many: a carrier, an office or a common device; tells little"
        return "rare: worth a look"


@dataclass(frozen=True, slots=True)
class Links:
    """Everything that is shared, the rarest first, and among how many customers."""

    links: tuple[Link, ...]
    alone: int
    """Things of this customer that nobody else has."""
    customers: int

    @property
    def customers_words(self) -> str:
        return f"more than {MOST_CUSTOMERS:,}" if self.customers >= MOST_CUSTOMERS else f"{self.customers:,}"


async def read_links(connection: Connection, account_id: UUID, customer_id: UUID) -> Links:
    """What the customer shares with others of the account."""
    own = {"account_id": account_id, "customer_id": customer_id, "most_others": MOST_OTHERS, "shown": SHOWN}
    cursor = await connection.execute(LINKS, {**own, "kinds": [kind.value for kind in KINDS]})
    rows = await cursor.fetchall()
    row = await (await connection.execute(CUSTOMERS, {"account_id": account_id, "most": MOST_CUSTOMERS})).fetchone()
    links = [
        Link(
            KINDS[KeyKind(one["kind"])],
            one["others"],
            tuple(one["who"]),
            bytes(one["key"]).hex(),
            one["kind"] == KeyKind.NUMBER,
        )
        for one in rows
        if one["others"]
    ]
    links.sort(key=lambda link: (not link.grave, link.others))
    return Links(tuple(links), sum(not one["others"] for one in rows), row["n"] if row else 0)
