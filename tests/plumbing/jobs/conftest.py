"""Jobs of a test's own."""

from tests.support.jobs import seen as seen
