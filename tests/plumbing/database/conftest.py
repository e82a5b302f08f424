"""A server of the operator's own, of each version that is at hand."""

from collections.abc import Iterator

import pytest

from tests.support.existing_server import binaries, emptied, running


@pytest.fixture(scope="module", params=binaries(), ids=str)
def started(request: pytest.FixtureRequest) -> Iterator[str]:
    """Its address, as a superuser; made once for each file."""
    with running(request.param) as url:
        yield url


@pytest.fixture
def server(started: str) -> str:
    """The same, without the databases and roles of an earlier test: roles are the whole server's."""
    return emptied(started)
