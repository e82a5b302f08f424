"""Which jobs and regular tasks exist? Each room registers its own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from truename.plumbing.database.pool import Database

JobFunction = Callable[..., Awaitable[None]]
"""`async def work(plumbing, *, account_id, …)`: the arguments are those of the request."""
TickFunction = Callable[..., Awaitable[None]]
"""`async def tick(plumbing)`."""


class PutOff(Exception):
    """Raised by a job that is to be run a while later: no attempt is counted."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        """How long it waits at least."""


class HasDatabase(Protocol):
    """The plumbing, of which this room needs to know only the database."""

    @property
    def database(self) -> Database: ...


@dataclass(frozen=True)
class Retry:
    """How often a job is tried in all, and how long it rests in between."""

    attempts: int = 5
    first_wait_seconds: float = 2
    growth: float = 4

    def wait_after(self, attempt: int) -> float:
        """Seconds between attempt number `attempt` (from 1) and the next."""
        return self.first_wait_seconds * self.growth ** (attempt - 1)


@dataclass(frozen=True)
class Job:
    """A job: its name in the queue, what does it, and what happens when that fails."""

    name: str
    function: JobFunction
    retry: Retry
    on_exhausted: JobFunction | None
    """`async def given_up(plumbing, *, error, **args)`: called after the last attempt has failed."""


@dataclass(frozen=True)
class Tick:
    """A regular task: run by one worker, about every so many seconds."""

    name: str
    function: TickFunction
    seconds: float


JOBS: Final[dict[str, Job]] = {}
TICKS: Final[dict[str, Tick]] = {}


def job(
    name: str, *, retry: Retry | None = None, on_exhausted: JobFunction | None = None
) -> Callable[[JobFunction], JobFunction]:
    """Register a job. It must be safe to repeat: after a crash it is run again."""

    def register(function: JobFunction) -> JobFunction:
        if name in JOBS and JOBS[name].function.__module__ != function.__module__:
            raise ValueError(f"Two jobs are named {name}.")
        JOBS[name] = Job(name, function, retry or Retry(), on_exhausted)
        return function

    return register


def periodic(*, seconds: float, name: str | None = None) -> Callable[[TickFunction], TickFunction]:
    """Register a regular task: of all worker processes together, one runs it about every so many seconds."""

    def register(function: TickFunction) -> TickFunction:
        full = name or f"{function.__module__.removeprefix('truename.')}.{function.__name__}"
        if full in TICKS and TICKS[full].function.__module__ != function.__module__:
            raise ValueError(f"Two regular tasks are named {full}.")
        TICKS[full] = Tick(full, function, seconds)
        return function

    return register
