"""A clock for tests of what is due when."""


class HandClock:
    """A clock that stands still unless it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now
