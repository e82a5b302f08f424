"""Years of Japan's eras as years of ours: 昭和61年 is 1986, and 令和元年, its first, 2019."""

import re
from typing import Final

FIRST_YEARS: Final = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
_YEAR: Final = re.compile(rf"({'|'.join(FIRST_YEARS)})\s*(\d{{1,2}}|元)\s*年")
_TWICE: Final = re.compile(r"(\d{4}\s*年)\s*[(（\[][^()（）\[\]]*年\s*[)）\]]")
"""A year of ours, and in brackets that of the era: `2024年(令和06年)06月01日`."""


def with_years_of_ours(text: str) -> str:
    """The same with each year counted as we do, and said once."""
    return _YEAR.sub(_of_ours, _TWICE.sub(r"\1", text))


def _of_ours(year: re.Match[str]) -> str:
    count = 1 if year[2] == "元" else int(year[2])
    return f"{FIRST_YEARS[year[1]] + count - 1}年"
