"""Chinese print: surnames of two signs, and labels that run into their values, as no space stands between words."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from truename.vision.document.layouts.load import languages
from truename.vision.document.layouts.model import Script
from truename.vision.document.layouts.phrases import printed_labels
from truename.vision.document.print.chinese_signs import in_signs, simplified
from truename.vision.document.print.read import TextLine

_OF_TWO: Final = (
    "欧阳歐陽司马司馬上官诸葛諸葛东方東方皇甫尉迟尉遲公孙公孫令狐慕容司徒夏侯端木南宫南宮宇文长孙長孫"
    "轩辕軒轅申屠独孤獨孤闻人聞人呼延百里东郭東郭赫连赫連濮阳濮陽公冶太史淳于单于單于钟离鍾離万俟澹台"
    "澹臺西门西門第五左丘拓跋"
)
OF_TWO: Final = frozenset(_OF_TWO[at : at + 2] for at in range(0, len(_OF_TWO), 2))
"""Surnames of two signs, in simplified and in traditional ones."""
LONGEST_NAME: Final = 5
"""Signs of a surname or a given name."""
OF_ONE_SIZE: Final = 0.3
OVERLAP: Final = 0.6
NEXT_WORD: Final = 1.2
"""Heights of a line by which the boxes of a surname and a given name may overlap, and lie apart."""


def with_label_parted(text: str) -> str:
    """A line that begins with a label, parted from its value, as far as the next label: `性别女民族汉` is `性别: 女`.

    Behind a date a label may stand, too: `1986年5月1日生`, `2024年6月1日まで有効`. Of a sign in its simplified and its
    traditional form either may be read.
    """
    text = unicodedata.normalize("NFKC", text)  # as its signs are counted: `…` is three full stops there
    plain, known = simplified(text), _labels()
    first = next((label for label in known if plain.startswith(label)), None)
    if first is None:
        last = next((label for label in known if plain.endswith(label)), None)
        value = text[: -len(last)].strip() if last else ""
        return f"{last}: {value}" if value[-1:].isdigit() or value.endswith("日") else text
    ends = (at for label in known if (at := plain.find(label, len(first) + 1)) > 0)
    value = text[len(first) : min(ends, default=len(text))].strip(" :：")
    return f"{text[: len(first)]}: {value}" if value else text[: len(first)]


def with_names_in_one(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with the parts of a name in one: room between surname and given name parts them for the finder."""
    joined: list[TextLine] = []
    for line in sorted(lines, key=lambda line: line.left):
        # By its place: two lines may say the same, and lines are not compared.
        place, before = next(((at, one) for at, one in enumerate(joined) if _goes_on(one, line)), (0, None))
        if before is None:
            joined.append(line)
            continue
        quad = np.array([before.quad[0], line.quad[1], line.quad[2], before.quad[3]], np.float32)
        confidence = min(before.confidence, line.confidence)
        joined[place] = TextLine(f"{before.text} {line.text}", confidence, quad)
    return joined


def _goes_on(line: TextLine, behind: TextLine) -> bool:
    """Does another line of a few signs, of one size, stand right behind a line of a few signs, or behind a label and
    some?"""
    tall, value = max(line.height, 1.0), line.text.rpartition(": ")[2]
    return (
        _may_be_name(value)
        and _may_be_name(behind.text)
        and abs(behind.height - line.height) <= OF_ONE_SIZE * tall
        and abs(behind.top - line.top) <= OF_ONE_SIZE * tall
        and -OVERLAP * tall <= behind.left - line.right < NEXT_WORD * tall
    )


def _may_be_name(text: str) -> bool:
    return in_signs(text) is not None and len(text) <= LONGEST_NAME and simplified(text) not in _labels()


def only_sounds_like_a_label(text: str) -> bool:
    """Is it Chinese that begins with no label? In Latin letters 邢明 is one: XING MING, as 姓名."""
    return in_signs(text) is not None and not simplified(text).startswith(_labels())


def _labels() -> tuple[str, ...]:
    """What documents in these signs print in front of values, read or not, simplified, the longest first."""
    return _in_order(printed_labels(Script.HAN))


@cache
def _in_order(printed: frozenset[str]) -> tuple[str, ...]:
    others = {label for language in languages().values() for label in language.others}
    signs = {simplified(label) for label in printed | others if in_signs(label)}
    return tuple(sorted(signs, key=lambda label: (-len(label), label)))
