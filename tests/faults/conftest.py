"""Jobs of a test's own, as the tests of the job engine have them."""

from tests.plumbing.jobs.conftest import seen as seen
