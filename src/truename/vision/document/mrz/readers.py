"""Independent readers of one strip of the zone: our own network, and PP-OCR's, at a glance or carefully."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.decode import BLANK, Scores
from truename.vision.document.mrz.layouts import ALPHABET
from truename.vision.document.mrz.rows import Grey
from truename.vision.document.print import glance
from truename.vision.document.print.read import LINE_HEIGHT, Recognised, characters, recognise
from truename.vision.runtime import onnx

OWN: Final = "mrz_lines"
_ALSO_FILLER: Final = "‹«〈《＜"
_SQUEEZE: Final = 0.65
"""MRZ characters stand far apart: PP-OCR reads them as well when pressed together, in less time."""


def read_own(strips: Sequence[Grey]) -> list[Scores]:
    """Log-probabilities per step over the alphabet and the blank, by the network trained on OCR-B."""
    network = onnx(OWN)
    return [np.asarray(network.run(_normalised(strip))[0][0], np.float32) for strip in strips]


def read_second(strips: Sequence[Grey]) -> list[Scores]:
    """The same by PP-OCR, whose alphabet is narrowed to ours."""
    return _scores(recognise([_enlarged(strip) for strip in strips], keep_probabilities=True), characters())


def read_second_at_a_glance(strips: Sequence[Grey]) -> list[Scores]:
    """The same by its smaller network, in a quarter of the time."""
    return _scores(glance.glance_at([_enlarged(strip) for strip in strips], keep_probabilities=True), glance.letters())


def _scores(read: Sequence[Recognised], alphabet: tuple[str, ...]) -> list[Scores]:
    return [_narrowed(found.probabilities, alphabet) for found in read if found.probabilities is not None]


def _normalised(strip: Grey) -> NDArray[np.float32]:
    grey = strip.astype(np.float32)
    width = -(-grey.shape[1] // 4) * 4
    grey = (grey - grey.mean()) / (grey.std() + 4)
    return np.pad(grey, ((0, 0), (0, width - grey.shape[1])))[None, None]


def _enlarged(strip: Grey) -> NDArray[np.uint8]:
    width = round(strip.shape[1] * LINE_HEIGHT / strip.shape[0] * _SQUEEZE)
    larger = cv2.resize(strip, (width, LINE_HEIGHT), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.cvtColor(larger, cv2.COLOR_GRAY2RGB), np.uint8)


def _narrowed(probabilities: NDArray[np.float32], alphabet: tuple[str, ...]) -> Scores:
    narrowed = np.maximum(probabilities @ _matrix(alphabet), 1e-9)
    return np.asarray(np.log(narrowed / narrowed.sum(1, keepdims=True)), np.float32)


@cache
def _matrix(listed: tuple[str, ...]) -> NDArray[np.float32]:
    """Which of PP-OCR's characters counts as which of ours; what is neither counts as nothing."""
    matrix = np.zeros((len(listed), len(ALPHABET) + 1), np.float32)
    for index, letter in enumerate(listed):
        plain = unicodedata.normalize("NFD", letter.upper())[:1]
        if letter and letter in _ALSO_FILLER:
            matrix[index, ALPHABET.index("<")] = 1
        elif plain and plain in ALPHABET:
            matrix[index, ALPHABET.index(plain)] = 1
        elif letter in ("", " "):
            matrix[index, BLANK] = 1
    return matrix
