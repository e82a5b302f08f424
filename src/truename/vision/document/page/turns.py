"""Which way is a page up?"""

from collections.abc import Sequence

import numpy as np

from truename.vision.captures import Picture
from truename.vision.images import fitted
from truename.vision.runtime import onnx


def quarter_turns(page: Picture, among: Sequence[int] = range(4)) -> int:
    """How many quarter turns counter-clockwise, of those that may be, bring the page upright."""
    short = 256 / min(page.shape[:2])
    size = (round(page.shape[1] * short), round(page.shape[0] * short))
    small = fitted(page, size)
    top, left = (size[1] - 224) // 2, (size[0] - 224) // 2
    crop = small[top : top + 224, left : left + 224, ::-1].astype(np.float32) / 255
    blob = (crop - np.array([0.485, 0.456, 0.406], np.float32)) / np.array([0.229, 0.224, 0.225], np.float32)
    chances = onnx("page_orientation").run(np.ascontiguousarray(blob.transpose(2, 0, 1)[None]))[0][0]
    return max(among, key=lambda turns: float(chances[turns]))
