"""Identity cards of Hong Kong as they are laid out, of people who do not exist.

The title in two languages, names without labels, in signs and below in Latin letters, their telegraph codes, labels in
two languages, the number with its check digit in brackets at the foot.
"""

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

from PIL import ImageDraw, ImageFont

from benchmarks.card_paper import Card, on_paper, with_portrait
from truename.rules.evidence import DocumentType, FieldName
from truename.rules.national_numbers import is_valid

NAMES: Final = (
    ("陳大文", "CHAN", "Tai Man"), ("李嘉欣", "LEE", "Ka Yan"), ("黃志強", "WONG", "Chi Keung"),
    ("張美玲", "CHEUNG", "Mei Ling"), ("何偉明", "HO", "Wai Ming"), ("吳詠詩", "NG", "Wing Sze"),
    ("歐陽慧珊", "AU YEUNG", "Wai Shan"), ("梁國雄", "LEUNG", "Kwok Hung"), ("鄭秀文", "CHENG", "Sau Man"),
    ("林子軒", "LAM", "Tsz Hin, Jason"), ("馮寶儀", "FUNG", "Po Yi"), ("郭俊傑", "KWOK", "Chun Kit"),
)  # fmt: skip
INK: Final = (25, 25, 30)


def hong_kong_card(chance: Random, font: Path) -> Card:
    """A card of somebody, its front."""
    signs, surname, given = chance.choice(NAMES)
    sex = chance.choice("MF")
    born = date(1945, 1, 1) + timedelta(days=chance.randrange(22_000))
    issued = date(chance.randint(2004, 2026), chance.randint(1, 10), chance.randint(1, 28))
    number = _number(chance)
    printed = {
        FieldName.SURNAMES: surname,
        FieldName.GIVEN_NAMES: given,
        FieldName.GENDER: sex,
        FieldName.DATE_OF_BIRTH: born.isoformat(),
        FieldName.DATE_OF_ISSUE: issued.isoformat(),
        FieldName.DOCUMENT_NUMBER: number,
    }
    codes = " ".join(f"{chance.randrange(10_000):04d}" for _ in signs)
    rows = (
        (250, 24, 30, "香港永久性居民身份證"), (250, 64, 24, "HONG KONG PERMANENT IDENTITY CARD"),
        (330, 130, 40, signs), (330, 190, 32, f"{surname}, {given}"), (330, 236, 24, codes),
        (330, 290, 20, "出生日期 Date of Birth"), (330, 318, 30, f"{born:%d-%m-%Y}"),
        (600, 318, 30, "男 M" if sex == "M" else "女 F"), (330, 364, 24, "***AZ"),
        (330, 410, 20, "簽發日期 Date of Issue"), (330, 438, 22, f"({issued:%m-%y})"),
        (330, 470, 30, f"{issued:%d-%m-%y}"), (690, 560, 40, number),
    )  # fmt: skip

    def front(pen: ImageDraw.ImageDraw) -> None:
        for left, top, size, text in rows:
            pen.text((left, top), text, INK, ImageFont.truetype(font, size))

    page = on_paper(chance, (222, 234, 230), front)
    return Card("HK", DocumentType.NATIONAL_ID, printed, with_portrait(page, (40, 130, 250, 330)))


def _number(chance: Random) -> str:
    letters = "".join(chance.choice("ABCDEFGHKLMPRSVWYZ") for _ in range(chance.choice((1, 1, 1, 2))))
    body = f"{letters}{chance.randrange(10**6):06d}"
    return next(f"{body}({check})" for check in "0123456789A" if is_valid("hk.hkid", f"{body}{check}"))
