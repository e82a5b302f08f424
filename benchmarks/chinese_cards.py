"""How well are resident identity cards of China read that are laid out as real ones are?

    python -m benchmarks.chinese_cards [--people 20] [--first 9000] [--font FILE] [--json out.json]

The layout file's own drawing has a title on the front, and a line for each label. A real card has no word on its front
that names a country: small blue labels, two of them in one line, a date in seven pieces, an address in two lines, the
number at the foot; on the back issuer, title, authority and days. Such cards of invented people (surnames of two signs,
Mongols and Uyghurs, cards without end among them) are drawn, photographed at an angle, some of them blurred, dark or
small, and read whole. `--font`: another typeface, such as that of Debian's `fonts-wqy-microhei`.
"""

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.table import Table
from stdnum.iso7064 import mod_11_2

from truename.bundled.drawing import HAN
from truename.rules.documents import WITHOUT_END
from truename.rules.evidence import DocumentType, FieldName
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.sheet import astronaut_portrait
from truename.vision.captures import Picture
from truename.vision.document.read import read_document

TODAY: Final = date(2026, 11, 19)
SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾萧田董潘袁蔡蒋余于杜叶程魏"
    "苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦"
)
OF_TWO: Final = ("欧阳", "司马", "上官", "诸葛")
GIVEN: Final = (
    "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超兰霞平刚桂文辉力建国华梅红玲宇浩然子轩梓涵欣怡雨晨思"
    "琪佳慧俊博嘉豪志鹏晓东春燕海波凤琴淑珍玉雪婷婉琳瑶颖萍莹薇菲"
)
PEOPLES: Final = ("汉", "汉", "汉", "回", "满", "壮", "维吾尔", "蒙古")
PLACES: Final = (
    ("110108", "北京市海淀区中关村大街27号", "北京市公安局海淀分局"),
    ("310115", "上海市浦东新区世纪大道1号2栋305室", "上海市公安局浦东分局"),
    ("440305", "广东省深圳市南山区科技园南路8号", "深圳市公安局南山分局"),
    ("510107", "四川省成都市武侯区人民南路四段11号", "成都市公安局武侯分局"),
)
"""Invented addresses in real towns, with the town's code and its police."""
WIDE, HIGH = 1016, 640
LABELS: Final = (
    (72, 56, "姓名"), (148, 56, "性别"), (148, 260, "民族"), (222, 56, "出生"), (300, 56, "住址"),
    (540, 56, "公民身份号码"),
)  # fmt: skip
BLUE, BLACK = (60, 110, 170), (25, 25, 30)
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

    def printed(self) -> dict[FieldName, str]:
        return {
            FieldName.SURNAMES: self.surname,
            FieldName.GIVEN_NAMES: self.given,
            FieldName.GENDER: self.sex,
            FieldName.DATE_OF_BIRTH: self.born.isoformat(),
            FieldName.DOCUMENT_NUMBER: self.number,
            FieldName.DATE_OF_EXPIRY: (self.until or WITHOUT_END).isoformat(),
            FieldName.ISSUING_AUTHORITY: self.place[2],
        }


def somebody(chance: Random) -> Holder:
    surname = chance.choice(OF_TWO) if chance.random() < 0.1 else chance.choice(SURNAMES)
    given = "".join(chance.choice(GIVEN) for _ in range(chance.choice((1, 2, 2, 2))))
    sex, place = chance.choice("MF"), chance.choice(PLACES)
    born = date(1950, 1, 1) + timedelta(days=chance.randrange(20_000))
    body = f"{place[0]}{born:%Y%m%d}{chance.randrange(50):02d}{2 * chance.randrange(5) + (sex == 'M')}"
    since = date(chance.randint(2017, 2024), chance.randint(1, 12), chance.randint(1, 28))
    until = (
        None if since.year - born.year >= WITHOUT_END_FROM else since.replace(year=since.year + chance.choice((10, 20)))
    )
    number = body + mod_11_2.calc_check_digit(body)
    return Holder(surname, given, sex, chance.choice(PEOPLES), born, place, number, since, until)


def paper(chance: Random, tint: tuple[int, int, int]) -> Image.Image:
    """A ground of waves."""
    rows, columns = np.mgrid[:HIGH, :WIDE]
    shade = np.zeros((HIGH, WIDE))
    for _ in range(6):
        along, across = chance.uniform(0.01, 0.06), chance.uniform(0.01, 0.06)
        shade += chance.uniform(2, 5) * np.sin(along * columns + across * rows + 3 * np.sin(0.01 * columns))
    return Image.fromarray(np.clip(np.array(tint) + shade[..., None], 0, 255).astype(np.uint8))


def front_of(holder: Holder, chance: Random, font: Path) -> Picture:
    page = paper(chance, (222, 232, 238))
    pen = ImageDraw.Draw(page)
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
    page.paste(Image.fromarray(astronaut_portrait()).resize((310, 390)), (650, 80))
    return np.asarray(page)[..., ::-1].copy()


def back_of(holder: Holder, chance: Random, font: Path) -> Picture:
    page = paper(chance, (226, 234, 226))
    pen = ImageDraw.Draw(page)
    pen.ellipse((60, 60, 210, 210), outline=(180, 40, 40), width=8)
    end = "长期" if holder.until is None else f"{holder.until:%Y.%m.%d}"
    rows = (
        (300, 80, 52, "中华人民共和国"), (300, 160, 76, "居民身份证"),
        (230, 460, 26, "签发机关"), (370, 456, 32, holder.place[2]),
        (230, 530, 26, "有效期限"), (370, 526, 32, f"{holder.since:%Y.%m.%d}-{end}"),
    )  # fmt: skip
    for left, top, size, text in rows:
        pen.text((left, top), text, BLACK, ImageFont.truetype(font, size))
    return np.asarray(page)[..., ::-1].copy()


def photographed(page: Picture, chance: Random, seed: int) -> Picture:
    photo, _ = photograph(
        page,
        seed=seed,
        rotation=chance.uniform(-8, 8),
        blur=chance.choice((0, 0, 0.8, 1.2)),
        noise=4,
        fill=chance.uniform(0.45, 0.8),
        light=chance.uniform(0.6, 1.1),
    )
    return photo


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--first", type=int, default=9000, help="the first seed")
    parser.add_argument("--font", type=Path, default=HAN.bundled.path, help="the typeface to print with")
    parser.add_argument("--json", type=Path, help="write what was read here too")
    given = parser.parse_args(arguments)
    right: dict[str, list[bool]] = defaultdict(list)
    wrong: list[tuple[int, str, str | None, str]] = []
    seconds: list[float] = []
    for seed in range(given.first, given.first + given.people):
        chance = Random(seed)
        holder = somebody(chance)
        sides = [draw(holder, chance, given.font) for draw in (front_of, back_of)]
        front, back = (photographed(side, chance, seed + 500 * at) for at, side in enumerate(sides))
        began = time.process_time()
        found = read_document(front, back, TODAY).evidence
        seconds.append(time.process_time() - began)
        right["recognised"].append((found.country, found.type) == ("CN", DocumentType.NATIONAL_ID))
        for name, printed in holder.printed().items():
            read = found.value(name)
            right[name.value].append(read == printed)
            wrong += [] if read == printed else [(seed, name.value, read, printed)]
    table = Table(
        title=f"{given.people} cards of China, both sides, printed with {given.font.name}", title_justify="left"
    )
    table.add_column("field")
    table.add_column("right", justify="right")
    for field, results in right.items():
        table.add_row(field, f"{sum(results)} of {len(results)}")
    table.add_row("CPU seconds a card, median", f"{sorted(seconds)[len(seconds) // 2]:.2f}")
    Console().print(table)
    for seed, field, read, printed in wrong:
        print(f"{seed} {field}: {read} was read of {printed}")
    if given.json:
        given.json.write_text(json.dumps({"right": right, "wrong": wrong}, ensure_ascii=False, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
