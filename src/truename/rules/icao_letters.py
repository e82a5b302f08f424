"""How ICAO Doc 9303 part 3, section 6 writes national letters in the letters A to Z of a machine-readable zone.

Only where that differs from everyday transliteration, which `text.py` tries first. Greek has no table in the standard.
"""

import re
from collections.abc import Mapping
from typing import Final

LATIN: Final = {
    "Ä": "AE", "Å": "AA", "Æ": "AE", "Ð": "D", "Ö": "OE", "Ø": "OE", "Œ": "OE", "Ü": "UE", "ẞ": "SS", "Þ": "TH",
    "Ĳ": "IJ", "Ŋ": "N",
}  # fmt: skip

CYRILLIC: Final = {
    "А": "A", "Б": "B", "В": "V", "Г": "G", "Д": "D", "Е": "E", "Ё": "E", "Ж": "ZH", "З": "Z", "И": "I", "Й": "I",
    "К": "K", "Л": "L", "М": "M", "Н": "N", "О": "O", "П": "P", "Р": "R", "С": "S", "Т": "T", "У": "U", "Ф": "F",
    "Х": "KH", "Ц": "TS", "Ч": "CH", "Ш": "SH", "Щ": "SHCH", "Ъ": "IE", "Ы": "Y", "Ь": "", "Э": "E", "Ю": "IU",
    "Я": "IA", "І": "I", "Ї": "I", "Є": "IE", "Ґ": "G", "Ў": "U", "Ј": "J", "Љ": "LJ", "Њ": "NJ", "Ћ": "C",
    "Ђ": "D", "Џ": "DZ", "Ѕ": "DZ", "Ѓ": "G", "Ќ": "K", "Ѫ": "U", "Ѵ": "Y",
}  # fmt: skip
"""As in Russian passports, unless an entry below says otherwise for a language."""

EXCEPT: Final[tuple[Mapping[str, str], ...]] = (
    {"Г": "H", "И": "Y"},  # Ukrainian
    {"Г": "H", "Ё": "IO"},  # Belarusian
    {"Щ": "SHT", "Ъ": "A", "Ь": "Y"},  # Bulgarian
    {"Ж": "Z", "Х": "H", "Ц": "C", "Ч": "C", "Ш": "S"},  # Serbian
    {"Ѓ": "GJ", "Ќ": "KJ", "Х": "H", "Ц": "C", "Џ": "DJ"},  # Macedonian
)

ARABIC: Final = {
    "ء": "XE", "آ": "XAA", "أ": "XAE", "ؤ": "U", "إ": "I", "ئ": "XI", "ا": "A", "ب": "B", "ة": "XTA", "ت": "T",
    "ث": "XTH", "ج": "J", "ح": "XH", "خ": "XKH", "د": "D", "ذ": "XDH", "ر": "R", "ز": "Z", "س": "S", "ش": "XSH",
    "ص": "XSS", "ض": "XDZ", "ط": "XTT", "ظ": "XZZ", "ع": "E", "غ": "G", "ف": "F", "ق": "Q", "ك": "K", "ل": "L",
    "م": "M", "ن": "N", "ه": "H", "و": "W", "ى": "XAY", "ي": "Y", "پ": "P", "چ": "XC", "ژ": "XJ", "ک": "XKK",
    "گ": "XGG", "ی": "XYA",
}  # fmt: skip

_TABLES: Final = (
    str.maketrans(LATIN | CYRILLIC | ARABIC),
    *(str.maketrans(LATIN | CYRILLIC | ARABIC | dict(other)) for other in EXCEPT),
)
_IN_TABLES: Final = re.compile("[" + "".join({letter + letter.lower() for letter in LATIN | CYRILLIC | ARABIC}) + "]")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")


def icao_spellings(text: str) -> tuple[str, ...]:
    """The text as zones of different countries would write it, in upper case; other letters are left as they are.

    Cyrillic gives one spelling for each language that the standard knows, Latin and Arabic letters one, and a text
    that the tables have nothing to say of none.
    """
    if not _IN_TABLES.search(text):
        return ()
    upper = text.replace("ß", "ẞ").upper()
    if _CYRILLIC.search(upper):
        return tuple(upper.translate(table) for table in _TABLES)
    return (upper.translate(_TABLES[0]),)
