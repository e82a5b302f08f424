"""A first glance at a printed line, by a network of a fifth of the reader's size.

Most of a page's print is labels, titles and the words of the law, plain and well set: the small network reads them as
well as the large one. What it is not sure of, and what could be a name or number with a letter it does not tell from
another, is read again by the large one.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from truename.vision.captures import Picture
from truename.vision.document.print.read import Recognised, keep_outputs, read_by
from truename.vision.runtime import OnnxModel, onnx

GLANCE: Final = "text_glance"
LETTERS: Final = Path(__file__).parents[2] / "weights" / "text_glance_letters.txt"
"""What its first outputs stand for, behind the blank; ideographs follow, and the space is the last."""


def glance(crop: Picture) -> Recognised:
    """What a level crop of one line seems to say."""
    return glance_at([crop])[0]


def glance_at(crops: Sequence[Picture], keep_probabilities: bool = False) -> list[Recognised]:
    """The same of several."""
    return read_by(_network(), letters(), crops, keep_probabilities)


@cache
def letters() -> tuple[str, ...]:
    """What each output stands for; the first is the blank, the last the space."""
    return ("", *LETTERS.read_text(encoding="utf-8").rstrip("\n"), " ")


def _network() -> OnnxModel:
    return onnx(GLANCE, prepare=without_ideographs)


def without_ideographs(data: bytes) -> bytes:
    """Leave out the outputs that stand for no letter of the list; another graph (an operator's) is left as it is."""
    import onnx as format

    graph = format.load_from_string(data)
    outputs = graph.graph.output[0].type.tensor_type.shape.dim[2].dim_value
    if outputs >= len(letters()):
        keep_outputs(graph, outputs, [*range(len(letters()) - 1), outputs - 1])
    return bytes(graph.SerializeToString())
