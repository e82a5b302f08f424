"""Read lines of Chinese: the reader of Latin print knows fifteen thousand ideographs, which it is loaded without.

The whole graph is a second session of the same file, loaded when a page first needs it (62 MB, a third of a second). A
line takes it nearly twice as long.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from truename.vision.captures import Picture
from truename.vision.document.print.read import RECOGNISER, Recognised, alphabet_of, read_by
from truename.vision.runtime import OnnxModel, onnx

WHOLE: Final = "with ideographs"
_ONE: Final = re.compile("(?<=[\u3005\u3400-\u9fff])[-\u2013\u2014\u30fc](?=$|\\s|[\u3400-\u9fff])")
"""The sign for one, which is a stroke, behind another sign: a dash, or the mark of a long vowel, to the network."""


def read_ideographs(crops: Sequence[Picture]) -> list[Recognised]:
    """What level crops of one line each say, in whatever letters; raises ModelUnavailable."""
    read = read_by(_reader(), _alphabet(), crops)
    return [replace(one, text=_ONE.sub("\u4e00", one.text)) for one in read]


def _reader() -> OnnxModel:
    return onnx(RECOGNISER, variant=WHOLE)


@cache
def _alphabet() -> tuple[str, ...]:
    return alphabet_of(_reader())
