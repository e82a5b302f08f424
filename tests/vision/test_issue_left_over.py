"""The day of issue whose label could not be read, beside the days of birth and expiry."""

from datetime import date
from pathlib import Path

import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName
from truename.vision.document.print.fields import read_fields

TODAY = date(2026, 11, 18)
TANZANIA = """
country = "TZ"
languages = ["en"]
issuers = ["United Republic of Tanzania"]
[[documents]]
kind = "TEMP_PERMIT_ID"
version = "2019"
known_from = "description"
form = "ID-3"
titles = ["Residence permit class B"]
years = [1, 2]
dates = "DDMONYYYY"
[documents.fields]
date_of_birth = { labels = ["Date of birth"] }
date_of_issue = { labels = ["Issued on"] }
date_of_expiry = { labels = ["Enter before"] }
"""


@pytest.mark.parametrize(
    ("others", "issued"),
    [
        (["10MAR2026"], "2026-03-10"),
        (["10MAR2025"], "2025-03-10"),
        (["10MAR2024"], None),
        (["01JUN2026"], None),
        (["10MAR2026", "10MAR2025"], None),
        ([], None),
    ],
)
def test_one_day_without_a_label_is_that_of_issue_where_it_is_as_many_years_before_the_expiry(
    tmp_path: Path, others: list[str], issued: str | None
) -> None:
    """Of a shaken visa `Issued on` was read as `toued on`, and the day below it was nobody's."""
    lines = [line("United Republic of Tanzania", 40, 10), line("Residence permit class B", 40, 40)]
    for at, (label, value) in enumerate(
        [
            ("Date of birth", "19JUL1981"),
            *(("tud n", other) for other in others),
            ("Enter before", "09MAR2027"),
        ]
    ):
        lines += [line(label, 300, 100 + 68 * at, 18), line(value, 300, 124 + 68 * at, 28)]
    with tried(tmp_path, TANZANIA, "TZ"):
        found = read_fields(lines, "TZ", DocumentType.TEMP_PERMIT_ID, TODAY)
    assert [value.value for value in found[FieldName.DATE_OF_EXPIRY]] == ["2027-03-09"]
    assert [value.value for value in found.get(FieldName.DATE_OF_ISSUE, [])] == ([issued] if issued else [])
