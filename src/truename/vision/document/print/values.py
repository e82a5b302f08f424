"""A printed text as the value of a field: a day that exists, a number that bears digits, a name that bears none."""

import re
import unicodedata
from typing import Final

from truename.rules import documents
from truename.vision.document.calendars import last_day
from truename.vision.document.folding import fold, fold_words
from truename.vision.document.layouts.model import DATES, NUMBERS, LayoutField
from truename.vision.document.layouts.phrases import month_names, nationalities, sex_words
from truename.vision.document.print.date_forms import ANY_FORM, DateForms, years_in
from truename.vision.document.print.dates import says_without_end
from truename.vision.document.print.unlabelled_dates import Dating

NAMES: Final = frozenset({LayoutField.SURNAMES, LayoutField.GIVEN_NAMES, LayoutField.FULL_NAME})
PLACES: Final = frozenset({LayoutField.PLACE_OF_BIRTH, LayoutField.ADDRESS})
"""They are never figures alone; an authority may be."""
LEAST_LETTERS: Final = 3
LONGEST_SEX: Final = 12
"""Letters of a text that may say the sex beside something else; a longer one says nothing but that."""
LONG_NUMBER: Final = 9
"""From this length on, three digits make a number: licences of Washington have no more."""
_ONE_SIGN: Final = re.compile("[\u3400-\u9fff\uac00-\ud7af]")
"""One sign of Korean or Chinese is two or three letters, and many a surname."""
_AT_BIRTH: Final = re.compile(r"^\s*[\[(]b[\])jJIl1]\s")
"""What stands before the name at birth on German cards, and how its bracket is misread."""
_TWO_SPELLINGS: Final = re.compile(r"(?<!\b\w)/(?!\w\b)")
"""The stroke between two; not that beside a single letter, as in `A/L`, son of, or in an Æ that was read as `/E`."""
NUMBER_SHAPE: Final = re.compile(r"[A-Z0-9][A-Z0-9 .\-/]{3,22}[A-Z0-9]")


def as_value(
    field: LayoutField, text: str, dating: Dating, country: str | None = None, again: bool = False
) -> str | None:
    """The text as this field's value; None when it cannot be one. `again`: it stands here a second time."""
    if field in DATES:
        is_expiry = field is LayoutField.DATE_OF_EXPIRY
        if is_expiry and dating.may_be_without_end and says_without_end(text):
            return documents.WITHOUT_END.isoformat()
        dates = dating.days(text, field, is_expiry, again)
        if field is LayoutField.DATE_OF_BIRTH:
            dates = [day for day in dates if day <= dating.today]  # the end of a card beside a label that was misread
        if is_expiry and dating.has_start and len(dates) == 1 and dates[0] <= dating.today:
            return None  # the day since when it is valid, beside an end that was not read
        # `03.08.20-09.03.2031`: a card that says from when on it is valid ends with the later day.
        return (max(dates) if is_expiry else dates[0]).isoformat() if dates else None
    if field is LayoutField.GENDER:
        return _sex(text, country)
    if field is LayoutField.NATIONALITY:
        return _nationality(text)
    if field in NUMBERS:
        return _number(text, dating)
    if field in NAMES:
        return _name(text)
    return _words(field, text) if not dating.days(text, future=True) else None


def _words(field: LayoutField, text: str) -> str | None:
    """A place or an authority. Letters are counted as they are printed: Arabic writes few vowels.

    The stroke behind a spelling that was not read (`北京/BEIJING`) is no part of it.
    """
    text = text.strip().lstrip("/ ")
    letters = sum(map(str.isalpha, text))
    if field in PLACES and not letters:
        return None
    return text if len(fold(text)) >= LEAST_LETTERS or letters >= LEAST_LETTERS else None


def last_day_of_year(text: str, forms: DateForms = ANY_FORM) -> str | None:
    """The last day of the last year that a text names: `2021 - 2031` is 2031-12-31."""
    ends = [day for calendar, year in years_in(text, forms) if (day := last_day(calendar, year))]
    return max(ends).isoformat() if ends else None


def _sex(text: str, country: str | None) -> str | None:
    known = sex_words(country)
    words = fold_words(text)
    parts = [part for part in words if part in known]
    if len(folded := fold(text)) == 2 and not parts:
        # The stroke between two languages was lost: `KM` is K/M, where both letters mean the same.
        parts = [letter for letter in folded if known.get(letter) == known.get(folded[-1], "")]
        parts = parts if len(parts) == len(folded) else []
    if not parts or (len(folded) > LONGEST_SEX and len(parts) < len(words)):
        return None
    # Where two languages are printed ("S/F", "K/F", "E / M") the last is the international letter.
    return known[parts[-1]]


def _nationality(text: str) -> str | None:
    known = nationalities()
    spoken = (known.get(fold(part)) for part in [text, *text.split("/")])
    if country := next((country for country in spoken if country), None):
        return country
    words = [fold(word) for word in re.split(r"[/\s]+", text)]
    # Three letters behind a word that nobody knows are a part of a name: of `VIT NAM` the last is not Namibia.
    words = [
        word for at, word in enumerate(words) if len(word) != LEAST_LETTERS or all(one in known for one in words[:at])
    ]
    return next((known[word] for word in words if word in known), None)


def _number(text: str, dating: Dating) -> str | None:
    # Words of a date are no letters of a number: `02 SPALIO 2000`.
    letters = [word for word in fold_words(text) if not word.isdigit()]
    if dating.days(text, future=True) and all(word in month_names() for word in letters):
        return None
    match = NUMBER_SHAPE.search(text.upper())
    if match is None:
        return None
    number = re.sub(r"\s+", "", match[0]).strip(".-/")
    digits = sum(character.isdigit() for character in number)
    return number if digits >= 4 or (digits == 3 and len(number) >= LONG_NUMBER) else None


def _name(text: str) -> str | None:
    if _AT_BIRTH.match(text):
        return None
    # `[a] MUSTERMANN` beside `[b]`, the name at birth; of `ТКАЧЕНКО/TKACHENKO` the international spelling.
    plain = _TWO_SPELLINGS.split(re.sub(r"^\s*[\[(]\w[\])]", "", text))[-1]
    # No word of Hindi is a bare consonant: the colon behind a label was read as one.
    plain = re.sub(r"^\s*[\u0915-\u0939][\"'’”.:]*\s+", "", plain)
    clean = re.sub(r"\s+", " ", plain).strip(" .,:;-")
    # The vowels of Thai and of Devanagari are marks.
    letters = sum(unicodedata.category(character)[0] in "LM" for character in clean)
    least = 1 if _ONE_SIGN.fullmatch(clean) else 2
    # What parts two names is no sign of something else: `NG, LI` has four letters in six.
    signs = len(re.sub(r"[\s,]", "", clean))
    if letters < least or any(character.isdigit() for character in clean) or letters < 0.7 * signs:
        return None
    return clean
