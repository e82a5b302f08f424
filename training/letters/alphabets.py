"""The letters that names are printed in, by language, and which of them each script has.

Whole alphabets and no words: what the network reads it reads letter by letter.
"""

from typing import Final

from truename.vision.document.print.alphabets import ASCII, CYRILLIC, LATIN
from truename.vision.document.print.alphabets import small as lower

DIGITS: Final = "0123456789"
POINTS: Final = "-'’.,/"
SPACE: Final = " "

GREEK: Final = {"el": "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ" + "ΆΈΉΊΌΎΏΪΫ"}
GEORGIAN: Final = {"ka": "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ"}
ARMENIAN: Final = {"hy": "ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ"}
HEBREW: Final = {"he": "אבגדהוזחטיכלמנסעפצקרשתךםןףץ"}
THAI_CONSONANTS: Final = "กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"
THAI_UPON: Final = ("", "ิ", "ี", "ึ", "ื", "ั", "็", "ุ", "ู")
THAI_TONES: Final = ("", "่", "้", "๊", "๋", "์")
THAI_BEFORE: Final = "เแโใไ"
THAI_BEHIND: Final = "ะาำ"
THAI_DIGITS: Final = "๐๑๒๓๔๕๖๗๘๙"

SCRIPTS: Final = {
    "latin": LATIN,
    "cyrillic": CYRILLIC,
    "greek": GREEK,
    "georgian": GEORGIAN,
    "armenian": ARMENIAN,
    "hebrew": HEBREW,
    "thai": {},
}
SHARES: Final = {
    "latin": 0.44, "cyrillic": 0.16, "greek": 0.07, "georgian": 0.06, "armenian": 0.06, "hebrew": 0.06, "thai": 0.15,
}  # fmt: skip
"""How often each is trained on: by how many letters there are to tell apart."""
CASELESS: Final = frozenset({"georgian", "hebrew", "thai"})


def letters_of(script: str) -> str:
    """Every letter of a script, capitals and small ones, in one order."""
    if script == "thai":
        marks = "".join(THAI_UPON) + "".join(THAI_TONES)
        return THAI_CONSONANTS + marks + THAI_BEFORE + THAI_BEHIND + THAI_DIGITS
    both: list[str] = []
    for language, own in SCRIPTS[script].items():
        capitals = (ASCII if script == "latin" else "") + own
        both += capitals if script in CASELESS else capitals + lower(capitals, language)
    further = {"latin": "ß", "greek": "ςΐΰ", "armenian": "և"}.get(script, "")
    return "".join(dict.fromkeys("".join(both) + further))


def outputs() -> str:
    """What the outputs of the network stand for, behind the first, which is "nothing"."""
    return SPACE + DIGITS + POINTS + "".join(letters_of(script) for script in SCRIPTS)


def allowed(script: str) -> list[bool]:
    """Which outputs a line of this script may have."""
    common, own = len(SPACE + DIGITS + POINTS), set(letters_of(script))
    latin = set(ASCII + ASCII.lower()) if script == "thai" else set()
    return [True, *(at < common or letter in own | latin for at, letter in enumerate(outputs()))]
