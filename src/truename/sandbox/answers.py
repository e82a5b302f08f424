"""What the sandbox answers, and the body that moves its clock."""

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field

from truename.plumbing.http.bodies import Marked, Sent, Shown, named
from truename.rules.config import TransactionType
from truename.rules.config_values import whole_number
from truename.rules.issues import Severity
from truename.sandbox.clock import MOST_SECONDS
from truename.transactions.lifecycle import Status


class NewTime(Sent):
    """The body that moves the clock."""

    advance_seconds: Annotated[int, Field(ge=1, le=MOST_SECONDS), BeforeValidator(whole_number)]
    """How much time passes; only forwards."""


class ShownClock(Marked):
    """The time of the account."""

    now: datetime
    """The service's time, by which every time of the account is shown."""
    advanced_seconds: int
    """How much older everything in the account was made, in all."""


class ScenarioIssue(Shown):
    """One issue of a scenario."""

    code: Annotated[str, named("IssueCode")]
    """The issue."""
    severity: Severity
    """How grave it is."""


class ShownScenario(Shown):
    """One scenario."""

    name: str
    """For `scenario` of a simulation."""
    description: str
    """What happens, in one sentence."""
    transaction_types: list[TransactionType]
    """Types of transaction that it is for."""
    config: dict[str, object]
    """What the transaction must be created with for these issues; empty: nothing."""
    status: Status
    """Where the transaction is afterwards."""
    issues: list[ScenarioIssue]
    """The issues that it gives."""
    simulation: dict[str, object]
    """The body that it stands for: change it, and send it without the name."""


class ScenarioList(Marked):
    """The scenarios."""

    data: list[ShownScenario]
    """Every scenario there is."""
