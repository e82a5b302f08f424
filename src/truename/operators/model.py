"""What an operator is, and what each role may do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID


class Role(StrEnum):
    """What an operator may do in one account; each role may do all that the one before it may."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """May this role do what the other may?"""
        ranks = tuple(Role)
        return ranks.index(self) >= ranks.index(other)


ROLE_MEANINGS: Final[Mapping[Role, str]] = {
    Role.VIEWER: "Sees transactions, customers and numbers; each look at a person is written down. Changes nothing.",
    Role.REVIEWER: "Also decides what waits for a person.",
    Role.ADMIN: "Also changes settings, clients, policies and customers, erases people and reads the audit log.",
}


@dataclass(frozen=True)
class Membership:
    """A role in one account."""

    account_id: UUID
    account_name: str
    role: Role
    live: bool
    """False: the account is a sandbox."""


@dataclass(frozen=True)
class Operator:
    """A person who may sign in to the dashboard."""

    operator_id: UUID
    email: str
    name: str
    created_at: datetime
    disabled_at: datetime | None
    has_totp: bool
    passkeys: int
    recovery_codes: int
    time_zone: str
    single_keys: bool
    compact: bool
    owes_password: bool = False
    """The password was made by somebody else: the first thing to do is to choose another."""

    @property
    def has_second_factor(self) -> bool:
        return self.has_totp or self.passkeys > 0

    @property
    def called(self) -> str:
        """How the pages call this person."""
        return self.name or self.email

    @property
    def actor(self) -> str:
        """As the audit log calls it: never by a name."""
        return actor(self.operator_id)


@dataclass(frozen=True)
class Session:
    """One browser in which an operator is signed in."""

    session_id: UUID
    second_factor: bool
    created_at: datetime
    seen_at: datetime
    ends_at: datetime
    address: str
    place: str
    browser: str


@dataclass(frozen=True)
class SignedIn:
    """Who stands behind a session's cookie, and what that person may do where."""

    operator: Operator
    session: Session
    memberships: tuple[Membership, ...]
    current: Membership | None
    """The account that is looked at; None when the operator has no role anywhere."""
    token: str
    was_moved: bool = False
    """The role in the account that was looked at is gone, so `current` is another: no page of it was seen yet."""


@dataclass(frozen=True)
class Origin:
    """Where a sign-in came from, as far as it can be told."""

    address: str
    place: str
    browser: str


class SignInRefused(Exception):
    """E-mail, password or code is not right; which of them is never said."""


def actor(operator_id: UUID) -> str:
    """As the audit log calls an operator."""
    return f"operator:{operator_id}"
