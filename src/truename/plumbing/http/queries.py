"""Read the parameters of an address as strictly as a body: a misspelt filter must not be ignored in silence."""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from itertools import count
from typing import Final
from uuid import UUID

from starlette.requests import Request

from truename.plumbing.errors import (
    BacktestNotFound,
    BlocklistEntryNotFound,
    CustomerNotFound,
    EventNotFound,
    Invalid,
    MediaNotFound,
    NotFound,
    TransactionNotFound,
)
from truename.rules.config_values import REAL_DAY
from truename.rules.faults import MOST_FAULTS, MOST_GUESSES, Fault, did_you_mean, nearest, too_many_faults

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
INSTANT_PATTERN: Final = rf"^{REAL_DAY}[Tt]{_TIME}:[0-5][0-9](\.[0-9]{{1,9}})?([Zz]|[+-]{_TIME})$"
"""RFC 3339, without leap seconds."""
_INSTANT = re.compile(INSTANT_PATTERN[1:-1])
_WHOLE = re.compile(r"0|[1-9][0-9]{0,8}")
_MISSING: Final[dict[str, type[NotFound]]] = {
    "customer_id": CustomerNotFound,
    "transaction_id": TransactionNotFound,
    "media_id": MediaNotFound,
    "event_id": EventNotFound,
    "backtest_id": BacktestNotFound,
    "entry_id": BlocklistEntryNotFound,
}


def is_uuid(text: str) -> bool:
    """Has the text the 36-character form of an identifier? The library itself forgives far too much."""
    return _UUID.fullmatch(text) is not None


def uuid_of(text: str) -> UUID | None:
    """The identifier, when the text has its 36-character form."""
    return UUID(text) if is_uuid(text) else None


def path_id(request: Request, name: str) -> UUID:
    """The identifier in the path; what cannot be one does not exist."""
    found = uuid_of(request.path_params[name])
    if found is None:
        raise _MISSING[name]
    return found


def _in_utc(moment: datetime) -> datetime:
    """The same moment in UTC, or the nearest one that can be written down: an offset may lead out of our years."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return datetime(*(1, 1, 1) if moment.year == 1 else (9999, 12, 31), tzinfo=UTC)


def instant_of(text: str) -> datetime | None:
    """The moment that an RFC 3339 timestamp with its offset names; None for anything else."""
    try:
        return _in_utc(datetime.fromisoformat(text.upper())) if _INSTANT.fullmatch(text) else None
    except ValueError:
        return None


class Query:
    """The parameters of one request; faults are gathered, so that all of them stand in one answer."""

    def __init__(self, request: Request, known: Collection[str] = ()) -> None:
        self.faults: list[Fault] = []
        self._values: dict[str, str] = {}
        if not request.scope["query_string"]:
            return
        if request.scope["query_string"].count(b"&") >= MOST_FAULTS:  # no call knows a tenth of so many
            self.faults.append(too_many_faults())
            return
        guesses = count()
        for name, value in request.query_params.multi_items():
            if name not in known:
                meant = did_you_mean(nearest(name, known) if next(guesses) < MOST_GUESSES else None)
                self._fault(name, "parameter_unknown", f"There is no such parameter.{meant}")
            elif name in self._values:
                self._fault(name, "parameter_repeated", "The parameter is given twice.")
            self._values[name] = value

    def _fault(self, name: str, code: str, detail: str) -> None:
        pointer = "/" + name.encode("utf-8", "replace").decode().replace("~", "~0").replace("/", "~1")
        self.faults.append(Fault(pointer[:256], code, detail))

    def refuse_faults(self) -> None:
        """Refuse (400) with every fault that was found so far; call it when all parameters were read."""
        if self.faults:
            raise Invalid(self.faults)

    def text(self, name: str) -> str | None:
        """The parameter as it was sent; None when it was not."""
        return self._values.get(name)

    def whole(self, name: str, low: int, high: int, default: int) -> int:
        """A whole number within bounds; the default when it is not there, or noted as a fault."""
        value = self._values.get(name)
        if value is None:
            return default
        if not _WHOLE.fullmatch(value) or not low <= int(value) <= high:
            self._fault(name, "number_out_of_range", f"The value must be a whole number from {low} to {high}.")
            return default
        return int(value)

    def word(self, name: str, words: Collection[str]) -> str | None:
        """One of these words; None when it is not there, or noted as a fault."""
        value = self._values.get(name)
        if value is not None and value not in words:
            meant = did_you_mean(nearest(value, words))
            self._fault(name, "value_not_allowed", f"The value must be one of: {', '.join(words)}.{meant}")
            return None
        return value

    def identifier(self, name: str) -> UUID | None:
        """A UUID; None when it is not there, or noted as a fault."""
        value = self._values.get(name)
        if value is None:
            return None
        found = uuid_of(value)
        if found is None:
            self._fault(name, "uuid_malformed", "The value must be a UUID in its 36-character form.")
        return found

    def instant(self, name: str) -> datetime | None:
        """A time with its offset, in UTC; None when it is not there, or noted as a fault."""
        value = self._values.get(name)
        if value is None:
            return None
        found = instant_of(value)
        if found is None:
            self._fault(name, "instant_malformed", "The value must be an ISO-8601 timestamp with its offset.")
        return found
