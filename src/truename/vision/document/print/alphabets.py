"""The alphabets that names are written in, by language, and which letters look like one another.

The reader of letters (`spelling.py`) was trained on them: `training/letters` takes them from here.
"""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

from truename.vision.document.layouts.model import Script

ASCII: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LATIN: Final = {
    "en": "",
    "cs": "ÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ",
    "sk": "ÁÄČĎÉÍĹĽŇÓÔŔŠŤÚÝŽ",
    "pl": "ĄĆĘŁŃÓŚŹŻ",
    "hu": "ÁÉÍÓÖŐÚÜŰ",
    "ro": "ĂÂÎȘȚ",
    "tr": "ÇĞİÖŞÜ",
    "az": "ÇƏĞİÖŞÜ",
    "lt": "ĄČĘĖĮŠŲŪŽ",
    "lv": "ĀČĒĢĪĶĻŅŠŪŽ",
    "et": "ÄÕÖÜŠŽ",
    "sv": "ÅÄÖ",
    "da": "ÆØÅ",
    "is": "ÁÐÉÍÓÚÝÞÆÖ",
    "de": "ÄÖÜ",
    "fr": "ÀÂÆÇÉÈÊËÎÏÔŒÙÛÜŸ",
    "es": "ÁÉÍÑÓÚÜ",
    "pt": "ÁÂÃÀÇÉÊÍÓÔÕÚ",
    "it": "ÀÈÉÌÒÙ",
    "mt": "ĊĠĦŻ",
    "hr": "ČĆĐŠŽ",
    "sq": "ÇË",
    "cy": "ŴŶÂÊÎÔÛ",
    "tk": "ÄÇŇÖŞÜÝŽ",
    "yo": "ẸỌṢỊỤ",
    "vi": "ÀÁẢÃẠĂẰẮẲẴẶÂẦẤẨẪẬĐÈÉẺẼẸÊỀẾỂỄỆÌÍỈĨỊÒÓỎÕỌÔỒỐỔỖỘƠỜỚỞỠỢÙÚỦŨỤƯỪỨỬỮỰỲÝỶỸỴ",
}
"""Letters beside A to Z."""
RUSSIAN: Final = "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
CYRILLIC: Final = {
    "ru": RUSSIAN + "Ё",
    "uk": "АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ",
    "be": "АБВГДЕЁЖЗІЙКЛМНОПРСТУЎФХЦЧШЫЬЭЮЯ",
    "bg": "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЬЮЯ",
    "sr": "АБВГДЂЕЖЗИЈКЛЉМНЊОПРСТЋУФХЦЧЏШ",
    "mk": "АБВГДЃЕЖЗЅИЈКЛЉМНЊОПРСТЌУФХЦЧЏШ",
    "kk": RUSSIAN + "ӘҒҚҢӨҰҮҺІ",
    "ky": RUSSIAN + "ҢӨҮ",
    "tg": RUSSIAN + "ҒӢҚӮҲҶ",
}
LIKE_OTHERS: Final = {"no": "da", "fi": "sv", "sl": "hr", "bs": "hr", "ca": "es", "nl": "fr"}
"""Languages whose letters another has as well."""
ONLY_AT_HOME: Final = frozenset({"vi", "yo", "cy", "tk"})
"""Languages that are thought of where they are the country's: their marks are like those of many others."""
TURKISH: Final = frozenset({"tr", "az"})
OF_ONE_FORM: Final = (
    "DĐÐ",
    "LŁ",
    "OØ",
    "HĦ",
    "EƏ",
    "Aª",
    "ЕЁ",
    "ИЙ",
    "ШЩ",
    "ІЇ",
    "ГҐҒ",
    "ЬЪ",
    "УЎҮҰӮ",
    "КҚ",
    "НҢ",
    "ОӨ",
    "ХҲ",
    "ЧҶ",
)
"""Letters of one form that are not one letter with a mark to Unicode."""
TAKEN_FOR: Final = {
    "O": "ƏŮ", "A": "Ə", "Č": "ĞĎ", "P": "Þ", "D": "Þ", "Ž": "Ť", "Í": "Ĺ", "Ô": "ŮƏ", "Ö": "Ő", "$": "ŞȘŠŚ",
}  # fmt: skip
"""What the reader of Latin print makes of letters of another form (of 360 drawn lines of names)."""


@cache
def languages_of(script: Script) -> Mapping[str, str]:
    """The capitals of each language that is written so; none for scripts whose letters are not told apart here."""
    if script is Script.LATIN:
        return {code: ASCII + further for code, further in LATIN.items()}
    return CYRILLIC if script is Script.CYRILLIC else {}


def small(capitals: str, language: str) -> str:
    """The small letters, with the dots of Turkish."""
    if language in TURKISH:
        capitals = capitals.replace("İ", "i").replace("I", "ı")
    return capitals.replace("İ", "i").lower()


@cache
def form_of(letter: str) -> str:
    """What a letter is without its marks; letters of one form have the same."""
    if letter in ("İ", "ı"):
        return "I" if letter == "İ" else "i"
    upper = letter.upper() if len(letter.upper()) == 1 else letter
    first = next((group[0] for group in OF_ONE_FORM if upper in group), None)
    if first is None:
        return unicodedata.normalize("NFD", letter)[0]
    return first if letter == upper else first.lower()
