"""What the list shows, as the address says it; each filter is a chip that can be taken off.

Nothing of a person stands in an address: a name or a number that was searched for is there as its keyed hash.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from starlette.datastructures import QueryParams

from truename.dashboard.listing.columns import known_columns
from truename.dashboard.words import STATUS
from truename.plumbing.http.pagination import Position
from truename.plumbing.http.queries import uuid_of
from truename.rules.config import TransactionType
from truename.rules.issues import IssueCode
from truename.rules.strangers import STEPS, step_words
from truename.statistics.model import Step
from truename.transactions.lifecycle import Status

WITHIN: Final = {"today": 0, "7d": 6, "30d": 29, "90d": 89}
"""Days before today that still count."""
WITHIN_WORDS: Final = {"today": "today", "7d": "last 7 days", "30d": "last 30 days", "90d": "last 90 days"}
WAITS_WORDS: Final = {
    "any": "waits for a person",
    "1h": "waits for less than 1 h",
    "4h": "waits for 1 to 4 h",
    "24h": "waits for 4 to 24 h",
    "more": "waits for more than 24 h",
}
Value = TypeVar("Value")
TYPES: Final = {kind.value: kind.value.replace("_", " ").lower() for kind in TransactionType}


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter that is on, and the address without it."""

    words: str
    without: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What to show. Anything in the address that is none of this is left out, and said to be."""

    status: tuple[Status, ...] = ()
    type: TransactionType | None = None
    issue: IssueCode | None = None
    customer: UUID | None = None
    decided_by: str | None = None
    within: str | None = None
    created_from: date | None = None
    created_to: date | None = None
    ended_from: date | None = None
    ended_to: date | None = None
    stopped: Step | None = None
    waits: str | None = None
    """In the queue for a person, not yet decided: any, or by how long."""
    queued_from: date | None = None
    queued_to: date | None = None
    """When it was submitted, of what went to a person."""
    score: int | None = None
    """Which step of the scale of strangers the faces of document and camera reach."""
    group: bytes | None = None
    """The keyed hash of a country, type, age band or device."""
    mine: bool = False
    near: bool = False
    stuck: bool = False
    webhook_failing: bool = False
    keys: tuple[bytes, ...] = ()
    oldest_first: bool = False
    after: Position | None = None
    columns: tuple[str, ...] | None = None
    """What to show of each; None: the usual."""
    ids: tuple[UUID, ...] = ()
    """Only these; chosen on a page, never in an address."""
    ignored: tuple[str, ...] = field(default=())
    """Parameters that could not be understood."""

    @property
    def by_end(self) -> bool:
        """In the order of their ends, when the end is what was asked for."""
        return self.ended_from is not None or self.ended_to is not None

    @property
    def is_filtered(self) -> bool:
        return any(True for _ in self.pairs(paging=False, look=False))

    def pairs(self, *, paging: bool = True, look: bool = True) -> Iterator[tuple[str, str]]:
        """The parameters of the address, in a fixed order."""
        yield from (("status", status.value) for status in self.status)
        plain: Mapping[str, str | None] = {
            "type": self.type.value if self.type else None,
            "issue": self.issue.name if self.issue else None,
            "customer": str(self.customer) if self.customer else None,
            "decided_by": self.decided_by,
            "within": self.within,
            "from": _iso(self.created_from),
            "to": _iso(self.created_to),
            "ended_from": _iso(self.ended_from),
            "ended_to": _iso(self.ended_to),
            "stopped": self.stopped.value if self.stopped else None,
            "waits": self.waits,
            "queued_from": _iso(self.queued_from),
            "queued_to": _iso(self.queued_to),
            "score": str(self.score) if self.score is not None else None,
            "group": self.group.hex() if self.group else None,
            "holder": "me" if self.mine else None,
            "near": "1" if self.near else None,
            "stuck": "1" if self.stuck else None,
            "webhook": "failing" if self.webhook_failing else None,
            "key": ".".join(key.hex() for key in self.keys) or None,
        }
        yield from ((name, value) for name, value in plain.items() if value is not None)
        if look and self.oldest_first:
            yield "sort", "oldest"
        if look and self.columns:
            yield "cols", ".".join(self.columns)
        if paging and self.after is not None:
            yield "after", self.after.cursor()

    def query(self, *, paging: bool = False) -> str:
        """The address's query."""
        return urlencode(list(self.pairs(paging=paging)))

    def chips(self) -> list[Chip]:
        """The filters that are on, in words."""
        first = replace(self, after=None)
        chips = [
            Chip(
                STATUS[status.value][1],
                replace(first, status=tuple(one for one in self.status if one is not status)).query(),
            )
            for status in self.status
        ]
        by = "decided by a person" if self.decided_by == "REVIEWER" else "decided by the engine"
        words: tuple[tuple[str, object, str], ...] = (
            ("type", self.type, self.type.value.replace("_", " ").lower() if self.type else ""),
            ("issue", self.issue, self.issue.name if self.issue else ""),
            ("customer", self.customer, f"customer …{str(self.customer)[-8:]}"),
            ("decided_by", self.decided_by, by),
            ("within", self.within, f"created {WITHIN_WORDS.get(self.within or '', '')}"),
            ("created_from", self.created_from, f"created from {self.created_from}"),
            ("created_to", self.created_to, f"created to {self.created_to}"),
            ("ended_from", self.ended_from, f"ended from {self.ended_from}"),
            ("ended_to", self.ended_to, f"ended to {self.ended_to}"),
            ("stopped", self.stopped, self.stopped.words if self.stopped else ""),
            ("waits", self.waits, WAITS_WORDS.get(self.waits or "", "")),
            ("queued_from", self.queued_from, f"for a person, sent from {self.queued_from}"),
            ("queued_to", self.queued_to, f"for a person, sent to {self.queued_to}"),
            ("score", self.score is not None, f"faces alike: {step_words(self.score or 0)}"),
            ("group", self.group, "one group of people"),
            ("mine", self.mine, "held by me"),
            ("near", self.near, "score near its threshold"),
            ("stuck", self.stuck, "stuck for more than 15 min"),
            ("webhook_failing", self.webhook_failing, "webhook failing"),
            ("keys", self.keys, "the name or number searched for"),
        )
        empty = Filters()
        chips += [
            Chip(text, replace(first, **{name: getattr(empty, name)}).query()) for name, is_on, text in words if is_on
        ]
        return chips


def filters_of(query: QueryParams) -> Filters:
    """The filters that an address asks for."""
    ignored: list[str] = []

    def one(name: str, read: Callable[[str], Value | None]) -> Value | None:
        text = query.get(name, "")
        if not text:
            return None
        try:
            value = read(text)
        except (ValueError, KeyError):
            value = None
        if value is None:
            ignored.append(name)
        return value

    statuses = []
    for text in dict.fromkeys(part for one in query.getlist("status") for part in one.split(".")):
        if text in Status.__members__:
            statuses.append(Status(text))
        elif text:
            ignored.append("status")
    return Filters(
        status=tuple(statuses),
        type=one("type", TransactionType),
        issue=one("issue", lambda text: IssueCode[text]),
        customer=one("customer", uuid_of),
        decided_by=one("decided_by", lambda text: text if text in ("ENGINE", "REVIEWER") else None),
        within=one("within", lambda text: text if text in WITHIN else None),
        created_from=one("from", _day),
        created_to=one("to", _day),
        ended_from=one("ended_from", _day),
        ended_to=one("ended_to", _day),
        stopped=one("stopped", Step),
        waits=one("waits", lambda text: text if text in WAITS_WORDS else None),
        queued_from=one("queued_from", _day),
        queued_to=one("queued_to", _day),
        score=one("score", lambda text: int(text) if text.isascii() and text.isdigit() and int(text) < STEPS else None),
        group=one("group", lambda text: (_keys(text) or (None,))[0] if "." not in text else None),
        mine=one("holder", lambda text: text == "me" or None) is not None,
        near=one("near", lambda text: text == "1" or None) is not None,
        stuck=one("stuck", lambda text: text == "1" or None) is not None,
        webhook_failing=one("webhook", lambda text: text == "failing" or None) is not None,
        keys=one("key", _keys) or (),
        oldest_first=one("sort", lambda text: text == "oldest" or None) is not None,
        after=one("after", Position.of),
        columns=known_columns(_words(query)),
        ignored=tuple(dict.fromkeys(ignored)),
    )


def _words(query: QueryParams) -> list[str]:
    """The names of columns, as an address of ours or a form of ticks says them."""
    return [name for text in query.getlist("cols") for name in text.split(".")]


def _keys(text: str) -> tuple[bytes, ...] | None:
    keys = tuple(bytes.fromhex(part) for part in text.split("."))
    return keys if keys and len(keys) <= 12 and all(len(key) == 16 for key in keys) else None


def _day(text: str) -> date | None:
    day = date.fromisoformat(text)
    return day if 2000 <= day.year < 2200 else None


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def first_day(within: str, today: date) -> date:
    """The day with which a range begins that ends today."""
    return today - timedelta(days=WITHIN[within])
