"""Policies: what another config would have decided of the transactions that are stored."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, get_args
from uuid import UUID

from truename_client import arguments
from truename_client.answers import ShownBacktest
from truename_client.bodies import OtherConfig
from truename_client.conversation import Call, Pause, Retry, Steps
from truename_client.errors import BadArgument, WaitTimedOut
from truename_client.facade import AsyncResource, Resource, awaited, blocking
from truename_client.words import Mode, TransactionType

PATH: Final = "/api/account/integration/kyc/policy/backtest"
RUNNING: Final = frozenset({"QUEUED", "RUNNING"})
LOOK_AGAIN: Final = 1.0
"""Seconds between two looks at a back-test that a worker is busy with."""


@dataclass(frozen=True)
class Backtest:
    """Ends with the back-test when it is done."""

    call: Call[ShownBacktest]
    seconds: float
    progress: Callable[[int, int], None] | None

    def steps(self, retry: Retry) -> Steps[ShownBacktest]:
        """Ask for it, then look until it is done."""
        until = time.monotonic() + self.seconds
        found = yield from self.call.steps(retry)
        while found.status in RUNNING:
            if self.progress is not None:
                self.progress(found.done, found.total)
            if time.monotonic() >= until:
                raise WaitTimedOut(found.backtest_id, found.status, self.seconds, "back-test")
            yield Pause(LOOK_AGAIN)
            found = yield from read_backtest(found.backtest_id).steps(retry)
        return found


def backtest(
    config: OtherConfig,
    *,
    mode: Mode = "REPLACE",
    since: datetime | None = None,
    until: datetime | None = None,
    transaction_type: TransactionType | None = None,
    timeout: float = 600.0,
    progress: Callable[[int, int], None] | None = None,
    idempotency_key: str | None = None,
) -> Backtest:
    """Judge stored transactions again under another config, and wait for the result; nothing is changed by it.

    mode: REPLACE, as if each had been created with this config, or CHANGE, where only the fields that stand in it are
    changed. progress: called with how many of how many were judged. Raises WaitTimedOut after `timeout` seconds; the
    back-test goes on, and `read(backtest_id)` finds it. Needs the scope `explanations:read`.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 <= timeout < 10**7:
        raise BadArgument("timeout must be a number of seconds, not negative.")
    body: dict[str, object] = {
        "config": arguments.json_object("config", config),
        "mode": arguments.word("mode", mode, get_args(Mode)),
    }
    moments = {"since": arguments.instant("since", since), "until": arguments.instant("until", until)}
    body |= {name: moment for name, moment in moments.items() if moment is not None}
    if transaction_type is not None:
        kinds = get_args(TransactionType)
        body["transaction_type"] = arguments.word("transaction_type", transaction_type, kinds)
    call = Call("POST", PATH, ShownBacktest, body=body, idempotency_key=idempotency_key)
    return Backtest(call, float(timeout), progress)


def read_backtest(backtest_id: str | UUID) -> Call[ShownBacktest]:
    """A back-test and how far it is."""
    return Call("GET", f"{PATH}/{arguments.identifier('backtest_id', backtest_id)}", ShownBacktest)


class Policy(Resource):
    """`client.policy`."""

    backtest = blocking(backtest)
    read = blocking(read_backtest)


class AsyncPolicy(AsyncResource):
    """`client.policy`, awaited."""

    backtest = awaited(backtest)
    read = awaited(read_backtest)
