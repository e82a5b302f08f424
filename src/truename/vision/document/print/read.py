"""Find the printed lines of a page and read them.

A thin runner over PP-OCR: a detector that marks text, and a recogniser that reads one line at a time. The recogniser's
probabilities are exposed, because the reader of machine-readable zones decodes them under its own grammar.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

import cv2
import cv2.typing
import numpy as np
from numpy.typing import NDArray

from truename.vision.captures import Picture
from truename.vision.configuration import InferenceProvider, configuration
from truename.vision.images import averaged
from truename.vision.runtime import OnnxModel, onnx

if TYPE_CHECKING:
    from onnx import ModelProto

DETECTOR: Final = "text_detector"
RECOGNISER: Final = "text_recogniser"

DETECTION_SIDE: Final = 960
"""Longest side the detector sees: finer print than this is not read on a page of 1000 pixels anyway."""
MARK_THRESHOLD: Final = 0.2
LINE_THRESHOLD: Final = 0.4
GROWTH: Final = 1.5
"""The detector marks the core of a line; this much of area over perimeter brings the whole letters back."""
MOST_LINES: Final = 250
"""Of 74 real pictures of documents, with all that lay around them, the fullest has 60."""
SMALLEST_LINE: Final = 3
LINE_HEIGHT: Final = 48
WIDEST_LINE: Final = 2400
LARGE_PRINT: Final = 28
PRESSED: Final = 0.7
"""Lines at least so many pixels high are pressed together by this factor: their values are read as well (67 of 70 on
scans, with or without), small print is not."""
LINES_TOGETHER: Final = {InferenceProvider.CPU: 1, InferenceProvider.CUDA: 16}
"""Measured on one CPU thread: eight lines together cost 1.3 times what they cost one by one."""

_MEAN: Final = (0.485, 0.456, 0.406)
_SPREAD: Final = (0.229, 0.224, 0.225)

Quad = NDArray[np.float32]


@dataclass(frozen=True)
class Recognised:
    """What one crop says."""

    text: str
    confidence: float
    probabilities: NDArray[np.float32] | None = None
    """Steps × characters (index 0 is the blank), only when asked for."""
    missed: float = 0.0
    """The chance of the likeliest letter that was taken for the gap between two others: narrow letters are lost so."""


@dataclass(frozen=True)
class TextLine:
    """One printed line and where it stands (clockwise from the text's own top left, in pixels of the page)."""

    text: str
    confidence: float
    quad: Quad
    in_doubt: bool = False
    """Read at a glance alone, and not for sure."""

    @cached_property
    def left(self) -> float:
        return float(self.quad[:, 0].min())

    @cached_property
    def right(self) -> float:
        return float(self.quad[:, 0].max())

    @cached_property
    def top(self) -> float:
        return float(self.quad[:, 1].min())

    @cached_property
    def bottom(self) -> float:
        return float(self.quad[:, 1].max())

    @cached_property
    def height(self) -> float:
        return float(min(np.linalg.norm(self.quad[3] - self.quad[0]), np.linalg.norm(self.quad[1] - self.quad[0])))


def read_text(page: Picture, side: int = DETECTION_SIDE) -> list[TextLine]:
    """Every printed line of the page, from top to bottom."""
    quads = detect_lines(page, side)
    words = recognise([crop_line(page, quad) for quad in quads])
    lines = [
        TextLine(word.text, word.confidence, quad)
        for word, quad in zip(words, quads, strict=True)
        if word.text.strip() and word.confidence >= 0.5
    ]
    return sorted(lines, key=lambda line: (line.top, line.left))


def detect_lines(page: Picture, side: int = DETECTION_SIDE) -> list[Quad]:
    """Where lines of text stand."""
    height, width = page.shape[:2]
    scale = min(1.0, side / max(height, width))
    seen = (max(32, round(width * scale / 32) * 32), max(32, round(height * scale / 32) * 32))
    # Green alone finds as many values and more titles: coloured print on a coloured ground loses itself in RGB.
    green = np.asarray(cv2.extractChannel(page, 1), np.uint8)
    small = averaged(green, seen) if scale < 1 else cv2.resize(green, seen, interpolation=cv2.INTER_LINEAR)
    shade = small.astype(np.float32)
    blob = np.empty((1, 3, *shade.shape), np.float32)
    for plane, mean, spread in zip(blob[0], _MEAN, _SPREAD, strict=True):
        np.multiply(shade, np.float32(1 / (255 * spread)), out=plane)
        plane -= np.float32(mean / spread)
    marks = onnx(DETECTOR).run(blob)[0][0, 0]
    back = np.array([width / seen[0], height / seen[1]], np.float32)
    return [quad * back for quad in _quads(marks)]


def tallest(quads: Sequence[Quad], most: int = MOST_LINES) -> list[Quad]:
    """The tallest lines, in their order, where there are more than any document bears: no newspaper is read whole."""
    if len(quads) <= most:
        return list(quads)
    tall = [float(np.linalg.norm(quad[3] - quad[0])) for quad in quads]
    kept = set(np.argsort(tall)[-most:].tolist())
    return [quad for index, quad in enumerate(quads) if index in kept]


def crop_line(page: Picture, quad: Quad) -> Picture:
    """Cut one line out, level; a line that stands upright is laid down."""
    width = max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3]))
    height = max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
    size = (max(1, round(float(width))), max(1, round(float(height))))
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    crop = cv2.warpPerspective(page, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    if size[1] >= 1.8 * size[0]:
        crop = np.rot90(crop)
    return np.ascontiguousarray(crop).astype(np.uint8, copy=False)


def recognise(crops: Sequence[Picture], keep_probabilities: bool = False) -> list[Recognised]:
    """Read level crops of one line each; similar widths share a batch, so that little is spent on padding."""
    return read_by(_recogniser(), characters(), crops, keep_probabilities, pressed=not keep_probabilities)


def read_by(
    network: OnnxModel,
    alphabet: Sequence[str],
    crops: Sequence[Picture],
    keep_probabilities: bool = False,
    pressed: bool = False,
) -> list[Recognised]:
    """The same by any network of the family, whose outputs stand for the letters of `alphabet`.

    `pressed`: large print is pressed together, which the larger network reads as well.
    """
    widths = [_width(crop, pressed) for crop in crops]
    found: list[Recognised] = [Recognised("", 0.0)] * len(crops)
    for batch in _batches(widths):
        widest = max(widths[index] for index in batch)
        blob = np.zeros((len(batch), 3, LINE_HEIGHT, -(-widest // 8) * 8), np.float32)
        for row, index in enumerate(batch):
            line = cv2.resize(crops[index], (widths[index], LINE_HEIGHT), interpolation=cv2.INTER_LINEAR)
            for plane, colour in zip(blob[row, ::-1, :, : widths[index]], cv2.split(line), strict=True):
                np.multiply(colour, np.float32(1 / 127.5), out=plane)
                plane -= 1
        for index, steps in zip(batch, network.run(blob)[0], strict=True):
            used = steps[: -(-widths[index] * len(steps) // blob.shape[3])]
            found[index] = _decode(used, alphabet, steps if keep_probabilities else None)
    return found


def _width(crop: Picture, pressed: bool) -> int:
    """How wide the recogniser is shown a line; the time it takes is in proportion."""
    height, width = int(crop.shape[0]), int(crop.shape[1])
    press = PRESSED if pressed and height >= LARGE_PRINT else 1.0
    return min(WIDEST_LINE, max(16, round(LINE_HEIGHT * width / height * press)))


@cache
def characters() -> tuple[str, ...]:
    """What each output of the recogniser stands for."""
    return alphabet_of(_recogniser())


def alphabet_of(network: OnnxModel) -> tuple[str, ...]:
    """What each output of a network of the family stands for; the first is the blank, the last the space."""
    return ("", *network.metadata()["character"].split("\n"), " ")


def _recogniser() -> OnnxModel:
    return onnx(RECOGNISER, prepare=without_ideographs)


def without_ideographs(data: bytes) -> bytes:
    """Leave out the 17,800 outputs for other scripts, which few pages need (`ideographs.py`).

    A quarter of the time goes with them. Any other graph (an operator's own) is left as it is.
    """
    import onnx as format

    graph = format.load_from_string(data)
    head = next((node for node in reversed(graph.graph.node) if node.op_type == "MatMul"), None)
    listed = next((prop for prop in graph.metadata_props if prop.key == "character"), None)
    if head is None or listed is None:
        return data
    alphabet = ["", *listed.value.split("\n"), " "]
    kept = [index for index, letter in enumerate(alphabet) if all(_is_european(character) for character in letter)]
    keep_outputs(graph, len(alphabet), kept)
    listed.value = "\n".join(alphabet[index] for index in kept[1:-1])
    return bytes(graph.SerializeToString())


def keep_outputs(graph: "ModelProto", outputs: int, kept: Sequence[int]) -> None:
    """Leave only some of the letters that a network of the family can answer with, in this order."""
    from onnx import numpy_helper

    for tensor in graph.graph.initializer:
        if tensor.dims and tensor.dims[-1] == outputs:
            part = np.ascontiguousarray(numpy_helper.to_array(tensor)[..., kept])
            tensor.CopyFrom(numpy_helper.from_array(part, tensor.name))
    graph.graph.output[0].type.tensor_type.shape.dim[2].dim_value = len(kept)
    del graph.graph.value_info[:]


def _is_european(character: str) -> bool:
    code = ord(character)
    return code < 0x250 or 0x370 <= code < 0x400 or 0x1E00 <= code < 0x1F00 or 0x2010 <= code < 0x2030 or code == 0x20AC


def _decode(steps: NDArray[np.float32], alphabet: Sequence[str], keep: NDArray[np.float32] | None) -> Recognised:
    """Greedy reading: the likeliest character of each step, repeats merged, blanks dropped."""
    best = steps.argmax(1)
    chosen = (best != 0) & np.concatenate(([True], best[1:] != best[:-1]))
    if not chosen.any():
        return Recognised("", 0.0, keep)
    text = "".join(alphabet[index] for index in best[chosen])
    return Recognised(text, float(steps[chosen, best[chosen]].mean()), keep, _missed(steps, best))


def _missed(steps: NDArray[np.float32], best: NDArray[np.intp]) -> float:
    """The chance of the likeliest letter at a step that was read as a gap, those of its neighbours aside."""
    gaps = np.flatnonzero(best == 0)
    chances = steps[gaps]
    rows = np.arange(len(gaps))
    for near in (np.zeros_like(gaps), best[np.maximum(gaps - 1, 0)], best[np.minimum(gaps + 1, len(best) - 1)]):
        chances[rows, near] = 0
    return float(chances.max(initial=0.0))


def _batches(widths: Sequence[int]) -> Iterator[list[int]]:
    order = sorted(range(len(widths)), key=lambda index: widths[index])
    most = LINES_TOGETHER[configuration().provider]
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) == most or widths[index] > 1.25 * widths[batch[0]] + 16):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _quads(marks: NDArray[np.float32]) -> Iterator[Quad]:
    mask = (marks > MARK_THRESHOLD).astype(np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for contour in contours:
        centre, (width, height), angle = cv2.minAreaRect(contour)
        if min(width, height) < SMALLEST_LINE or _mean_inside(marks, contour) < LINE_THRESHOLD:
            continue
        grow = 2 * width * height * GROWTH / (2 * (width + height))
        yield _clockwise(cv2.boxPoints((centre, (width + grow, height + grow), angle)).astype(np.float32))


def _mean_inside(marks: NDArray[np.float32], contour: cv2.typing.MatLike) -> float:
    x, y, width, height = cv2.boundingRect(contour)
    inside = np.zeros((height, width), np.uint8)
    cv2.fillPoly(inside, [contour - np.array([x, y], np.int32)], 1)
    return float(cv2.mean(marks[y : y + height, x : x + width], inside)[0])


def _clockwise(quad: Quad) -> Quad:
    """From the top left, where text reads left to right (a steep line starts at its upper end)."""
    order = quad[np.argsort(quad[:, 0])]
    left, right = order[:2], order[2:]
    left, right = left[np.argsort(left[:, 1])], right[np.argsort(right[:, 1])]
    return np.array([left[0], right[0], right[1], left[1]], np.float32)
