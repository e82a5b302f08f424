"""From one description of each call to a method that blocks and to one that is awaited."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from truename_client.conversation import Call, Plan

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Page(Protocol[T_co]):
    """One page of a list, as the service answers it."""

    @property
    def data(self) -> Sequence[T_co]: ...

    @property
    def next_cursor(self) -> str | None: ...


@dataclass(frozen=True)
class Pages(Generic[T]):
    """A list that is read page by page."""

    first: Call[Any]

    def after(self, page: Page[T]) -> "Pages[T] | None":
        """The rest of the list, if there is any."""
        if not page.next_cursor:
            return None
        return Pages(replace(self.first, query={**self.first.query, "cursor": page.next_cursor}))


class Runs(Protocol):
    """A client that blocks."""

    def run(self, plan: Plan[T]) -> T: ...


class RunsLater(Protocol):
    """A client that is awaited."""

    async def run(self, plan: Plan[T]) -> T: ...


class Resource:
    """The calls about one noun."""

    def __init__(self, client: Runs) -> None:
        self._client = client


class AsyncResource:
    """The calls about one noun, awaited."""

    def __init__(self, client: RunsLater) -> None:
        self._client = client


def blocking(plan: Callable[P, Plan[T]]) -> Callable[Concatenate[Resource, P], T]:
    """The method that runs this plan and gives its answer."""

    @wraps(plan)
    def method(self: Resource, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._client.run(plan(*args, **kwargs))

    return _shown(method, plan)


def awaited(plan: Callable[P, Plan[T]]) -> Callable[Concatenate[AsyncResource, P], Awaitable[T]]:
    """The same, to be awaited."""

    @wraps(plan)
    def method(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        return self._client.run(plan(*args, **kwargs))

    return _shown(method, plan)


def blocking_pages(pages: Callable[P, Pages[T]]) -> Callable[Concatenate[Resource, P], Iterator[T]]:
    """The method that iterates over a list, fetching each page when it is needed."""

    def rest(self: Resource, left: Pages[T] | None) -> Iterator[T]:
        while left is not None:
            page = self._client.run(left.first)
            yield from page.data
            left = left.after(page)

    @wraps(pages)
    def method(self: Resource, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return rest(self, pages(*args, **kwargs))

    return _shown(method, pages)


def awaited_pages(pages: Callable[P, Pages[T]]) -> Callable[Concatenate[AsyncResource, P], AsyncIterator[T]]:
    """The same, for `async for`."""

    async def rest(self: AsyncResource, left: Pages[T] | None) -> AsyncIterator[T]:
        while left is not None:
            page = await self._client.run(left.first)
            for one in page.data:
                yield one
            left = left.after(page)

    @wraps(pages)
    def method(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        return rest(self, pages(*args, **kwargs))

    return _shown(method, pages)


Method = TypeVar("Method", bound=Callable[..., object])


def _shown(method: Method, plan: Callable[..., object]) -> Method:
    """Let help() and editors that run the code show the arguments of the plan."""
    own = inspect.signature(plan)
    me = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[me, *own.parameters.values()], return_annotation=inspect.Signature.empty
    )
    return method
