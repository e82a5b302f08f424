"""What may be the value of a field, taken from a line of print."""

from datetime import date

import pytest

from truename.vision.document.layouts.model import LayoutField
from truename.vision.document.print.dates import Order
from truename.vision.document.print.unlabelled_dates import Dating
from truename.vision.document.print.values import as_value


@pytest.mark.parametrize(
    ("read", "name"),
    [
        ("न प्रिया श्रीवास्तव", "प्रिया श्रीवास्तव"),
        ("न” प्रिया श्रीवास्तव", "प्रिया श्रीवास्तव"),
        ("के प्रिया श्रीवास्तव", "के प्रिया श्रीवास्तव"),  # an initial has its vowel
        ("राम श्रीवास्तव", "राम श्रीवास्तव"),
    ],
)
def test_a_colon_that_was_read_as_a_bare_consonant_is_no_part_of_a_hindi_name(read: str, name: str) -> None:
    assert (
        as_value(LayoutField.FULL_NAME, read, Dating(Order.DAY_FIRST, date(2026, 11, 16), may_be_without_end=False))
        == name
    )
