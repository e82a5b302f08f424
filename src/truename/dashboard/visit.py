"""One request of the dashboard, seen by its handler: who looks, at which account, what was sent, and how to answer."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final
from uuid import UUID

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from truename.accounts.authentication import Caller
from truename.accounts.model import SCOPES, AccountSettings
from truename.dashboard import cookies, forms, navigation, policy, words
from truename.dashboard.cookies import Cookie
from truename.dashboard.forms import Form
from truename.dashboard.media_address import signed_address
from truename.dashboard.rendering import render
from truename.operators.model import Membership, Operator, Role, Session, SignedIn
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import RoleMissing
from truename.plumbing.http.request_context import request_id
from truename.plumbing.resources import Plumbing

HTML: Final = "text/html; charset=utf-8"
READS: Final = frozenset({"customers:read", "transactions:read", "media:read"})
SCOPES_OF: Final[Mapping[Role, frozenset[str]]] = {
    Role.VIEWER: READS,
    Role.REVIEWER: READS | {"transactions:write"},
    Role.ADMIN: frozenset(SCOPES),
}
"""What a role may ask of the other rooms, in the words of the interface."""


class Notice(StrEnum):
    """What was just done, said once on the next page; the cookie bears the name, so that nobody puts words in."""

    words: str

    def __new__(cls, value: str, said: str) -> "Notice":
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = said
        return member

    SAVED = "saved", "Saved."
    SIGNED_IN = "signed-in", ""
    """The page shows the sign-in before this one."""
    SIGNED_OUT = "signed-out", "You are signed out."
    SWITCHED = "switched", "You look at another account now."
    PASSWORD_CHANGED = "password-changed", "Your password is changed; every other session of yours has ended."
    SECOND_FACTOR_ON = "second-factor-on", "Your second factor is on."
    SECOND_FACTOR_OFF = "second-factor-off", "It is removed."
    SESSION_ENDED = "session-ended", "That session has ended."
    CLIENT_REVOKED = "client-revoked", "The client is revoked: its tokens are refused from now on."
    STATUS_CHANGED = "status-changed", "The customer's status is changed."
    FACE_LISTED = "face-listed", "The face is on the blocklist."
    FACE_REMOVED = "face-removed", "The face is off the blocklist; what was kept of it is destroyed."
    REDELIVERED = "redelivered", "The event is on its way again."
    OPERATOR_CHANGED = "operator-changed", "The operator's role is changed."
    RELEASED = "released", "The case is back in the queue."
    DECIDED = "decided", "The decision is taken."
    UNDONE = "undone", "The decision is taken back."
    POLICY_DRAFTED = "policy-drafted", "The draft is saved; it changes nothing until it is agreed to."
    POLICY_AGREED = "policy-agreed", "The policy is agreed to."
    POLICY_WITHDRAWN = "policy-withdrawn", "The draft is withdrawn."
    ASSIGNED = "assigned", "Handed on: {n}. Only what waits for a person can be handed on."
    FREED = "freed", "Put back into the queue: {n}."
    SENT_AGAIN = "sent-again", "On their way again: {n}."
    VIEW_SAVED = "view-saved", "The view is saved."
    VIEW_FORGOTTEN = "view-forgotten", "The view is deleted."


@dataclass(frozen=True)
class Stranger:
    """A request of somebody who is not signed in: the pages of the sign-in."""

    request: Request
    plumbing: Plumbing
    form: Form
    visitor: str
    """Random, in a cookie of this browser; the form's token is made from it."""

    def page(self, name: str, status: int = 200, /, **values: object) -> Response:
        """A page; it never says whether anybody is known."""
        values |= {"csrf": csrf_field(self.visitor), "csrf_token": forms.csrf_token(self.visitor), "visit": None}
        values.setdefault("notice", notice_of(self.request, self.plumbing))
        response = Response(render(name, values), status, dict(policy.HEADERS), HTML)
        cookies.put(response, self.plumbing.settings, Cookie.VISITOR, self.visitor)
        cookies.take(response, self.plumbing.settings, Cookie.NOTICE)
        return response


@dataclass(frozen=True)
class Visit:
    """A request of an operator, in the account that the session looks at."""

    request: Request
    plumbing: Plumbing
    signed_in: SignedIn
    membership: Membership
    settings: AccountSettings
    """What the account has chosen."""
    form: Form = field(default_factory=Form)
    last_sign_in: Session | None = None
    """The sign-in before this one; only on the page right after it."""

    @property
    def operator(self) -> Operator:
        return self.signed_in.operator

    @property
    def role(self) -> Role:
        return self.membership.role

    @property
    def account_id(self) -> UUID:
        return self.membership.account_id

    @property
    def actor(self) -> str:
        """As the audit log calls who looks."""
        return self.operator.actor

    @property
    def caller(self) -> Caller:
        """Who asks other rooms for something: the operator, with what the role may."""
        return Caller(
            self.account_id, str(self.operator.operator_id), SCOPES_OF[self.role], "operator", self.membership.live
        )

    @cached_property
    def times(self) -> words.Times:
        """Writes times in the operator's zone."""
        return words.Times(self.operator.time_zone)

    def may(self, role: Role | str) -> bool:
        """Does the operator have this role here, or one that includes it?"""
        return self.role.includes(Role(role))

    def demand(self, role: Role) -> None:
        """Refuse an operator who does not have the role."""
        if not self.may(role):
            raise RoleMissing(role)

    def connection(self) -> AbstractAsyncContextManager[Connection]:
        """One database transaction that sees this account alone."""
        return self.plumbing.database.account(self.account_id)

    def picture(self, media_id: UUID) -> str:
        """An address for an `<img>`: for a minute, for this session; each read is audited and never cached."""
        return signed_address(self.plumbing.vault, self.signed_in.session.session_id, self.account_id, media_id)

    def face(self, media_id: UUID) -> str:
        """The same for the face in the picture, cut with its eyes on the same two points as in every other."""
        return signed_address(
            self.plumbing.vault, self.signed_in.session.session_id, self.account_id, media_id, "/face"
        )

    def page(self, name: str, status: int = 200, /, **values: object) -> Response:
        """A whole page."""
        response = self.part(name, status, **values)
        cookies.take(response, self.plumbing.settings, Cookie.NOTICE)
        return response

    def part(self, name: str, status: int = 200, /, **values: object) -> Response:
        """A piece of a page, for htmx; a notice that waits stays for the next whole page."""
        values |= {
            "visit": self,
            "csrf": csrf_field(self.signed_in.token),
            "csrf_token": forms.csrf_token(self.signed_in.token),
            "times": self.times,
            "zone": words.zone_words(self.operator.time_zone),
            "navigation": navigation.entries_for(self.role),
            "request_id": request_id(self.request),
        }
        values.setdefault("notice", notice_of(self.request, self.plumbing))
        return Response(render(name, values), status, dict(policy.HEADERS), HTML)

    def redirect(self, path: str, notice: Notice | None = None, number: int | None = None) -> Response:
        """Go on elsewhere after a change, so that loading the page again repeats nothing."""
        return redirect(self.plumbing, path, notice, number)


def redirect(plumbing: Plumbing, path: str, notice: Notice | None = None, number: int | None = None) -> Response:
    """See Other, with a word of what was done, and with how many."""
    response = RedirectResponse(path, 303, {"Cache-Control": "no-store"})
    if notice is not None:
        word = notice.value if number is None else f"{notice.value}.{number}"
        cookies.put(response, plumbing.settings, Cookie.NOTICE, word, seconds=60)
    return response


def csrf_field(secret: str) -> Markup:
    """The hidden field that every form of ours carries."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(forms.FIELD, forms.csrf_token(secret))


@dataclass(frozen=True)
class Told:
    """A notice as a page says it."""

    notice: Notice
    words: str


def notice_of(request: Request, plumbing: Plumbing) -> Told | None:
    """What was done before this page, if the browser says so; anything but a word of ours and a number is ignored."""
    sent, _, number = (cookies.read(request, plumbing.settings, Cookie.NOTICE) or "").partition(".")
    found = next((one for one in Notice if one.value == sent), None)
    if found is None:
        return None
    known = number.isascii() and number.isdigit() and len(number) < 10
    return Told(found, found.words.format(n=f"{int(number):,}" if known else "some"))
