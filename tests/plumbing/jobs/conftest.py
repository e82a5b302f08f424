"""Jobs of a test's own."""

import pytest

from truename.plumbing.jobs import registry


@pytest.fixture
def seen(monkeypatch):
    """Jobs registered by a test vanish with it."""
    monkeypatch.setattr(registry, "JOBS", registry.JOBS)
    before, ticks = dict(registry.JOBS), dict(registry.TICKS)
    yield []
    registry.JOBS.clear()
    registry.JOBS.update(before)
    registry.TICKS.clear()
    registry.TICKS.update(ticks)
