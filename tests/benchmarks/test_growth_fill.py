"""Can the service show what the benchmark of growth fills a database with?"""

from benchmarks.growth_fill import contents_of_columns
from psycopg.types.json import Jsonb

from truename.transactions.answers import ShownCheck, ShownIssue


def test_what_is_filled_in_is_what_the_service_shows():
    """Seen before: a group of issues that there is not, so that the first list was answered 500."""
    contents = contents_of_columns(whole=True)
    issues, checks = contents["issues"], contents["checks"]
    assert isinstance(issues, Jsonb)
    assert isinstance(checks, Jsonb)
    assert [ShownIssue.model_validate(issue).code for issue in issues.obj] == ["EXPIRED_DOCUMENT"]
    assert len({ShownCheck.model_validate(check).check for check in checks.obj}) == 14
