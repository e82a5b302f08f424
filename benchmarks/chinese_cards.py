"""Resident identity cards of China as they are laid out, of people who do not exist.

No word on the front names a country: small blue labels, two of them in one line, a date in seven pieces, an address in
two lines, the number at the foot; on the back issuer, title, authority and days.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

from PIL import ImageDraw, ImageFont
from stdnum.iso7064 import mod_11_2

from benchmarks.card_paper import Card, on_paper, with_portrait
from truename.rules.documents import WITHOUT_END
from truename.rules.evidence import DocumentType, FieldName

SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾萧田董潘袁蔡蒋余于杜叶程魏"
    "苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦"
)
OF_TWO: Final = ("欧阳", "司马", "上官", "诸葛")
GIVEN: Final = (
    "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超兰霞平刚桂文辉力建国华梅红玲宇浩然子轩梓涵欣怡雨晨思琪"
    "佳慧俊博嘉豪志鹏晓东春燕海波凤琴淑珍玉雪婷婉琳瑶颖萍莹薇菲"
)
PEOPLES: Final = ("汉", "汉", "汉", "回", "满", "壮", "维吾尔", "蒙古")
PLACES: Final = (
    ("110108", "北京市海淀区中关村大街27号", "北京市公安局海淀分局"),
    ("310115", "上海市浦东新区世纪大道1号2栋305室", "上海市公安局浦东分局"),
    ("440305", "广东省深圳市南山区科技园南路8号", "深圳市公安局南山分局"),
    ("510107", "四川省成都市武侯区人民南路四段11号", "成都市公安局武侯分局"),
)
"""Invented addresses in real towns, with the town's code and its police."""
BLUE, BLACK = (60, 110, 170), (25, 25, 30)
LABELS: Final = (
    (72, 56, "姓名"), (148, 56, "性别"), (148, 260, "民族"), (222, 56, "出生"), (300, 56, "住址"),
    (540, 56, "公民身份号码"),
)  # fmt: skip
WITHOUT_END_FROM: Final = 46


@dataclass(frozen=True)
class Holder:
    """Somebody who does not exist, and their card."""

    surname: str
    given: str
    sex: str
    people: str
    born: date
    place: tuple[str, str, str]
    number: str
    since: date
    until: date | None


def chinese_card(chance: Random, font: Path) -> Card:
    """A card of somebody, both sides."""
    holder = _somebody(chance)
    printed = {
        FieldName.SURNAMES: holder.surname,
        FieldName.GIVEN_NAMES: holder.given,
        FieldName.GENDER: holder.sex,
        FieldName.DATE_OF_BIRTH: holder.born.isoformat(),
        FieldName.DOCUMENT_NUMBER: holder.number,
        FieldName.DATE_OF_EXPIRY: (holder.until or WITHOUT_END).isoformat(),
        FieldName.ISSUING_AUTHORITY: holder.place[2],
    }
    front = on_paper(chance, (222, 232, 238), lambda pen: _front(pen, holder, font))
    back = on_paper(chance, (226, 234, 226), lambda pen: _back(pen, holder, font))
    return Card("CN", DocumentType.NATIONAL_ID, printed, with_portrait(front, (650, 80, 310, 390)), back)


def _somebody(chance: Random) -> Holder:
    surname = chance.choice(OF_TWO) if chance.random() < 0.1 else chance.choice(SURNAMES)
    given = "".join(chance.choice(GIVEN) for _ in range(chance.choice((1, 2, 2, 2))))
    sex, place = chance.choice("MF"), chance.choice(PLACES)
    born = date(1950, 1, 1) + timedelta(days=chance.randrange(20_000))
    body = f"{place[0]}{born:%Y%m%d}{chance.randrange(50):02d}{2 * chance.randrange(5) + (sex == 'M')}"
    since = date(chance.randint(2017, 2024), chance.randint(1, 12), chance.randint(1, 28))
    is_endless = since.year - born.year >= WITHOUT_END_FROM
    until = None if is_endless else since.replace(year=since.year + chance.choice((10, 20)))
    number = body + mod_11_2.calc_check_digit(body)
    return Holder(surname, given, sex, chance.choice(PEOPLES), born, place, number, since, until)


def _front(pen: ImageDraw.ImageDraw, holder: Holder, font: Path) -> None:
    small, usual, large = (ImageFont.truetype(font, size) for size in (26, 32, 38))
    for top, at, label in LABELS:
        pen.text((at, top), label, BLUE, small)
    pen.text((150, 66), holder.surname + holder.given, BLACK, large)
    pen.text((150, 144), "男" if holder.sex == "M" else "女", BLACK, usual)
    pen.text((344, 144), holder.people, BLACK, usual)
    left = 150.0
    for figures, word in ((holder.born.year, "年"), (holder.born.month, "月"), (holder.born.day, "日")):
        pen.text((left, 218), str(figures), BLACK, usual)
        left += usual.getlength(str(figures)) + 14
        pen.text((left, 222), word, BLUE, small)
        left += small.getlength(word) + 14
    for row, at in enumerate(range(0, len(holder.place[1]), 12)):
        pen.text((150, 296 + 46 * row), holder.place[1][at : at + 12], BLACK, usual)
    pen.text((340, 532), holder.number, BLACK, large)


def _back(pen: ImageDraw.ImageDraw, holder: Holder, font: Path) -> None:
    pen.ellipse((60, 60, 210, 210), outline=(180, 40, 40), width=8)
    end = "长期" if holder.until is None else f"{holder.until:%Y.%m.%d}"
    rows = (
        (300, 80, 52, "中华人民共和国"), (300, 160, 76, "居民身份证"),
        (230, 460, 26, "签发机关"), (370, 456, 32, holder.place[2]),
        (230, 530, 26, "有效期限"), (370, 526, 32, f"{holder.since:%Y.%m.%d}-{end}"),
    )  # fmt: skip
    for left, top, size, text in rows:
        pen.text((left, top), text, BLACK, ImageFont.truetype(font, size))
