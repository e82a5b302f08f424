"""Read lines of Chinese: the reader of Latin print knows fifteen thousand ideographs, which it is loaded without.

The whole graph is a second session of the same file, loaded when a page first needs it (62 MB, a third of a second). A
line takes it nearly twice as long.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

from truename.vision.captures import Picture
from truename.vision.document.print.read import RECOGNISER, Recognised, alphabet_of, read_by
from truename.vision.runtime import OnnxModel, onnx

WHOLE: Final = "with ideographs"


def read_ideographs(crops: Sequence[Picture]) -> list[Recognised]:
    """What level crops of one line each say, in whatever letters; raises ModelUnavailable."""
    return read_by(_reader(), _alphabet(), crops)


def _reader() -> OnnxModel:
    return onnx(RECOGNISER, variant=WHOLE)


@cache
def _alphabet() -> tuple[str, ...]:
    return alphabet_of(_reader())
