"""One installation for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.support.installed import Installed, installed_wheel


@pytest.fixture(scope="session")
def installed() -> Iterator[Installed]:
    with installed_wheel() as made:
        yield made
