"""Chinese print: surnames of two signs, and labels that run into their values, as no space stands between words."""

from functools import cache
from typing import Final

from truename.rules.chinese_signs import in_signs, simplified
from truename.vision.document.layouts.load import languages
from truename.vision.document.layouts.model import Script
from truename.vision.document.layouts.phrases import printed_labels

_OF_TWO: Final = (
    "欧阳歐陽司马司馬上官诸葛諸葛东方東方皇甫尉迟尉遲公孙公孫令狐慕容司徒夏侯端木南宫南宮宇文长孙長孫"
    "轩辕軒轅申屠独孤獨孤闻人聞人呼延百里东郭東郭赫连赫連濮阳濮陽公冶太史淳于单于單于钟离鍾離万俟澹台"
    "澹臺西门西門第五左丘拓跋"
)
OF_TWO: Final = frozenset(_OF_TWO[at : at + 2] for at in range(0, len(_OF_TWO), 2))
"""Surnames of two signs, in simplified and in traditional ones."""


def with_label_parted(text: str) -> str:
    """A line that begins with a label, parted from its value, as far as the next label: `性别女民族汉` is `性别: 女`.

    Of a sign in its simplified and its traditional form either may be read.
    """
    plain, known = simplified(text), _labels()
    first = next((label for label in known if plain.startswith(label)), None)
    if first is None:
        return text
    ends = (at for label in known if (at := plain.find(label, len(first) + 1)) > 0)
    value = text[len(first) : min(ends, default=len(text))].strip(" :：")
    return f"{text[: len(first)]}: {value}" if value else text[: len(first)]


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
