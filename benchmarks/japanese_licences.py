"""Driving licences of Japan as they are laid out, of people who do not exist.

Years of eras, the words of birth and expiry behind the day, the title upright beside the portrait, days of the classes
at the foot.
"""

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

from PIL import ImageDraw, ImageFont

from benchmarks.card_paper import Card, on_paper, with_portrait
from truename.rules.evidence import DocumentType, FieldName

SURNAMES: Final = (
    "佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村", "小林", "加藤", "吉田", "山田",
    "佐々木", "山口", "松本", "井上", "木村", "林", "斎藤", "清水", "阿部", "池田", "橋本", "石川",
    "前田", "藤田", "小川", "後藤", "岡田", "長谷川", "村上", "近藤", "森", "原", "柴田", "酒井",
    "工藤", "横山", "宮崎",
)  # fmt: skip
GIVEN: Final = (
    "花子", "太郎", "美咲", "陽菜", "結衣", "翔太", "大輔", "健一", "直樹", "由美子", "恵子", "智子",
    "さくら", "ひなた", "蓮", "湊", "葵", "颯太", "優子", "和也", "真由美", "達也", "明美", "純一",
)  # fmt: skip
ERAS: Final = (("令和", 2019), ("平成", 1989), ("昭和", 1926))
INK: Final = (25, 25, 30)
BAND: Final = (120, 170, 220)
CLASSES: Final = (("二・小・原", "平成20年06月01日"), ("他", "平成22年06月01日"), ("二種", "平成00年00月00日"))


def japanese_licence(chance: Random, font: Path) -> Card:
    """A licence of somebody, its front."""
    born = date(1945, 1, 1) + timedelta(days=chance.randrange(22_000))
    issued = date(chance.randint(2022, 2026), chance.randint(1, 10), chance.randint(1, 28))
    ends = date(issued.year + chance.choice((3, 5)), born.month, min(born.day, 28))
    number = f"{chance.choice((30, 45, 62, 13)):02d}{chance.randrange(10**10):010d}"
    printed = {
        FieldName.SURNAMES: chance.choice(SURNAMES),
        FieldName.GIVEN_NAMES: chance.choice(GIVEN),
        FieldName.DATE_OF_BIRTH: born.isoformat(),
        FieldName.DATE_OF_ISSUE: issued.isoformat(),
        FieldName.DATE_OF_EXPIRY: ends.isoformat(),
        FieldName.DOCUMENT_NUMBER: number,
    }
    name = f"{printed[FieldName.SURNAMES]}\u3000{printed[FieldName.GIVEN_NAMES]}"
    rows = (
        (40, 34, 22, "氏名"), (110, 26, 34, name),
        (590, 36, 24, f"{_year(born.year)} {born.month}月 {born.day}日生"),
        (40, 88, 22, "住所"), (110, 86, 26, "東京都千代田区霞が関2-1-2"),
        (40, 140, 22, "交付"), (110, 138, 26, f"{_year(issued.year)}{issued:%m月%d日} 12345"),
        (44, 190, 32, f"{ends.year}年({_year(ends.year)}){ends:%m月%d日}まで有効"),
        (40, 252, 20, "免許の"), (40, 276, 20, "条件等"), (120, 262, 26, "眼鏡等"),
        (40, 430, 22, "番号"), (110, 424, 32, f"第 {number} 号"),
        *((40, 490 + 40 * at, 20, label) for at, (label, _) in enumerate(CLASSES)),
        *((150, 488 + 40 * at, 22, day) for at, (_, day) in enumerate(CLASSES)),
        *((640, 120 + 60 * at, 40, sign) for at, sign in enumerate("運転免許証")),
        (700, 470, 26, "東京都"), (700, 510, 30, "公安委員会"),
    )  # fmt: skip

    def front(pen: ImageDraw.ImageDraw) -> None:
        pen.rectangle((30, 184, 620, 236), fill=BAND)
        for left, top, size, text in rows:
            pen.text((left, top), text, INK, ImageFont.truetype(font, size))

    page = on_paper(chance, (226, 232, 224), front)
    return Card("JP", DocumentType.DRIVER_LICENSE, printed, with_portrait(page, (710, 110, 270, 340)))


def _year(year: int) -> str:
    era, first = next(one for one in ERAS if year >= one[1])
    return f"{era}{'元' if year == first else year - first + 1}年"
