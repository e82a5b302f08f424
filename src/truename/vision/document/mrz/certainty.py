"""How sure is a reading of the zone: each reader alone, both together, and with what stands behind them?"""

from collections.abc import Sequence

import numpy as np

from truename.vision.document.mrz.decode import Scores
from truename.vision.document.mrz.layouts import ALPHABET


def fuse(own: Scores, second: Scores, weight: float) -> Scores:
    """Both readers' opinions; the second counts less, because OCR-B is not what it was made for."""
    mixed = own + weight * np.maximum(second, np.log(1e-3))
    mixed = np.maximum(mixed, -50.0)
    return np.asarray(mixed - np.log(np.exp(mixed).sum(1, keepdims=True)), np.float32)


def certainty(characters: Scores, text: str) -> float:
    """Probability that every character of the line is right, as far as the readers can tell."""
    chosen = characters[np.arange(len(text)), [ALPHABET.index(character) for character in text]]
    return float(np.exp(np.minimum(chosen, 0).sum()))


def certainty_at(lines: Sequence[Scores], texts: Sequence[str], places: Sequence[tuple[int, int]]) -> float:
    """The same for the characters at these places, each a line and a column; 1 of none."""
    seen = [(lines[line][column], texts[line][column]) for line, column in places]
    return certainty(np.stack([scores for scores, _ in seen]), "".join(text for _, text in seen)) if seen else 1.0


def whole(lines: Sequence[Scores], texts: Sequence[str]) -> float:
    """The same for all lines together."""
    return float(np.prod([certainty(line, text) for line, text in zip(lines, texts, strict=True)]))


def confidence(sure: float, valid: bool, agree: bool, repaired: bool) -> float:
    """The readers' own certainty, bounded by what stands behind it: agreement of both, and the check digits."""
    ceiling = 0.99 if valid and agree else 0.9 if valid else 0.6
    floor = 0.95 if valid and agree and not repaired else 0.0
    return float(min(ceiling, max(floor, sure)))
