"""What stands in the navigation, in the order of the eye; each has a key: `g` and its letter."""

from dataclasses import dataclass
from typing import Final

from truename.operators.model import Role


@dataclass(frozen=True)
class Entry:
    """One line of the navigation."""

    name: str
    """Which one is marked: a page says `{% set here = "name" %}`."""
    title: str
    path: str
    key: str
    icon: str
    role: Role = Role.VIEWER


ENTRIES: Final[tuple[Entry, ...]] = (
    Entry("home", "Home", "/dashboard", "h", "home"),
    Entry("transactions", "Transactions", "/dashboard/transactions", "t", "list"),
    Entry("review", "Review", "/dashboard/review", "r", "review", Role.REVIEWER),
    Entry("customers", "Customers", "/dashboard/customers", "c", "people"),
    Entry("lab", "Policy lab", "/dashboard/lab", "p", "lab", Role.ADMIN),
    Entry("developers", "Developers", "/dashboard/developers", "d", "code", Role.ADMIN),
    Entry("audit", "Audit", "/dashboard/audit", "a", "seal", Role.ADMIN),
    Entry("settings", "Settings", "/dashboard/settings", "s", "sliders", Role.ADMIN),
)


def entries_for(role: Role) -> list[Entry]:
    """What this role may open."""
    return [entry for entry in ENTRIES if role.includes(entry.role)]
