"""What is wrong in how a layout file says that dates are printed."""

import re
from collections.abc import Iterator
from typing import Final

from truename.vision.document.layouts.model import DATE_FORM, YEARS_OF

_PARTS: Final = ("DD", "MM", "MON", "MONTH", *YEARS_OF)


def wrong_date_form(form: str, path: str) -> Iterator[str]:
    """A sentence for what is wrong in one form, such as DD/MM/YYYY, that stands at this key; none where nothing is."""
    parts = DATE_FORM.findall(form)
    in_small_letters = set(map(str.lower, _PARTS)) & set(re.findall("[a-z]+", form))
    if not parts or "".join(parts) != form or in_small_letters:
        yield (
            f"`{path}`: {form} is made of other parts than {', '.join(_PARTS[:-1])} and {_PARTS[-1]}; "
            "those are in capitals, words between them in small letters."
        )
        return
    years = [part for part in parts if part in YEARS_OF]
    others = sorted(part[0] for part in parts if part[0] in "DM")
    if others != ["D", "M"] or len(years) != 1:
        yield f"`{path}`: {form} must have one day, one month and one year."
