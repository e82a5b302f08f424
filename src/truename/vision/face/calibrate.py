"""Fit the map from cosine to score on pairs of photographs, so that 0.85 means one false match in 10,000."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from truename.vision.face.compare import ANCHOR_FALSE_MATCHES, ANCHOR_SCORE

Values = NDArray[np.float64]

SCORE_OF_FALSE_MATCHES: Final = (
    (0.5, 0.10),
    (1e-1, 0.35),
    (1e-2, 0.60),
    (1e-3, 0.75),
    (ANCHOR_FALSE_MATCHES, ANCHOR_SCORE),
    (1e-5, 0.91),
    (1e-6, 0.95),
)
"""What each score means: the share of impostor pairs that reach it."""
TAIL: Final = 5e-3
"""The share of the most alike impostor pairs from which rarer ones are extrapolated."""
TRUSTED_PAIRS: Final = 30
"""A quantile that fewer pairs than this reach is extrapolated, not read off."""
LEAST_IMPOSTORS: Final = 1_000
REPEATS: Final = 400


class TooFewPairs(ValueError):
    """There are too few pairs of different people to say anything about one in 10,000."""


@dataclass(frozen=True)
class Pairs:
    """Cosines of pairs of different people and of the same person.

    `people` numbers the two persons of each impostor pair; the interval is drawn over people, because pairs that
    share a person are no independent witnesses.
    """

    impostor: Values
    people: NDArray[np.int64]
    genuine: Values


def fit(pairs: Pairs, caution: float = 0.5, seed: int = 0) -> dict[str, Any]:
    """The calibration as it is stored: curve, anchor with its 95 % interval, and what it rests on.

    `caution` is the quantile of the anchor's distribution that is taken: 0.5 is the best guess, more is stricter.
    """
    if len(pairs.impostor) < LEAST_IMPOSTORS:
        raise TooFewPairs(f"{len(pairs.impostor)} pairs of different people; {LEAST_IMPOSTORS} are the least.")
    anchors = np.sort(_anchors(pairs, np.random.default_rng(seed)))
    anchor = float(np.quantile(anchors, caution))
    shift = anchor - _cosine_at(pairs.impostor, ANCHOR_FALSE_MATCHES)
    knots = [(-1.0, 0.0, 1.0)]
    for share, score in SCORE_OF_FALSE_MATCHES:
        # Caution moves the whole strict part of the curve, so that it keeps rising.
        cosine = _cosine_at(pairs.impostor, share) + (shift if share <= 1e-2 else 0.0)
        if cosine > knots[-1][0] + 1e-3:
            knots.append((cosine, score, share))
    knots.append((1.0, 1.0, 0.0))
    return {
        "anchor": {
            "score": ANCHOR_SCORE,
            "false_matches": ANCHOR_FALSE_MATCHES,
            "cosine": round(anchor, 4),
            "cosine_low": round(float(np.quantile(anchors, 0.025)), 4),
            "cosine_high": round(float(np.quantile(anchors, 0.975)), 4),
            "caution": caution,
            "extrapolated": bool(len(pairs.impostor) * ANCHOR_FALSE_MATCHES < TRUSTED_PAIRS),
        },
        "measured": {
            "impostor_pairs": len(pairs.impostor),
            "genuine_pairs": len(pairs.genuine),
            "people": len(np.unique(pairs.people)),
            "false_matches_at_anchor": float(np.mean(pairs.impostor >= anchor)),
            "genuine_refused_at_anchor": float(np.mean(pairs.genuine < anchor)) if len(pairs.genuine) else -1.0,
        },
        "curve": [
            {"cosine": round(cosine, 4), "score": score, "false_matches": share} for cosine, score, share in knots
        ],
    }


def _cosine_at(impostor: Values, share: float, weights: Values | None = None) -> float:
    """The cosine that this share of impostor pairs reaches; rare ones by an exponential tail."""
    order = np.argsort(-impostor)
    ranked = impostor[order]
    weight = (np.ones(len(ranked)) if weights is None else weights[order]).cumsum()
    total = weight[-1]
    if share * total >= TRUSTED_PAIRS:
        return float(ranked[np.searchsorted(weight, share * total)])
    start = int(np.searchsorted(weight, max(TAIL * total, TRUSTED_PAIRS)))
    start = min(max(start, 1), len(ranked) - 1)
    mass = np.diff(weight[: start + 1], prepend=0)
    scale = float(np.average(ranked[: start + 1] - ranked[start], weights=np.maximum(mass, 1e-12)))
    return float(min(ranked[start] + scale * np.log(weight[start] / (share * total)), 0.999))


def _anchors(pairs: Pairs, random: np.random.Generator) -> Values:
    """The anchor as it would come out with other people: a bootstrap over persons, each pair weighted by both."""
    people = int(pairs.people.max()) + 1
    # Only the most alike pairs decide; the rest enter by their total weight, which is people² up to noise.
    top = np.argsort(-pairs.impostor)[: max(5_000, int(len(pairs.impostor) * 2 * TAIL))]
    cosines, of = pairs.impostor[top], pairs.people[top]
    rest = len(pairs.impostor) - len(top)
    found = []
    for _ in range(REPEATS):
        counts = np.bincount(random.integers(0, people, people), minlength=people).astype(np.float64)
        weights = counts[of[:, 0]] * counts[of[:, 1]]
        if weights.sum() == 0:
            continue
        padded = np.append(weights, max(rest, 1e-9))
        found.append(_cosine_at(np.append(cosines, -1.0), ANCHOR_FALSE_MATCHES, padded))
    return np.asarray(found, np.float64)


def cross_pairs(vectors: Values, identities: Sequence[str]) -> Pairs:
    """All pairs of the given templates: those of one identity are genuine, all others impostors."""
    names = {name: number for number, name in enumerate(sorted(set(identities)))}
    who = np.array([names[name] for name in identities])
    first, second = np.triu_indices(len(who), k=1)
    cosines = np.clip((vectors @ vectors.T)[first, second], -1, 1)
    same = who[first] == who[second]
    people = np.stack([who[first[~same]], who[second[~same]]], axis=1)
    return Pairs(cosines[~same], people, cosines[same])


def listed_pairs(cosines: Sequence[float], same: Sequence[bool], names: Sequence[tuple[str, str]]) -> Pairs:
    """Pairs as a list gives them; without identities each picture counts as a person of its own."""
    numbers: dict[str, int] = {}
    people = np.array([[numbers.setdefault(name, len(numbers)) for name in pair] for pair in names], np.int64)
    values, genuine = np.asarray(cosines, np.float64), np.asarray(same, bool)
    return Pairs(values[~genuine], people[~genuine], values[genuine])


def as_toml(fitted: dict[str, Any], data: str, template_sha256: str) -> str:
    """The calibration file, as it stands beside a model row, bound to the weights that it was fitted for."""
    anchor, measured = fitted["anchor"], fitted["measured"]
    lines = [
        "# Cosine → score. At 0.85 one pair of different people in 10,000 passes.",
        f'data = "{data}"',
        f'template_sha256 = "{template_sha256}"',
        "",
        "[anchor]",
        *(f"{name} = {_toml(value)}" for name, value in anchor.items()),
        "",
        "[measured]",
        *(f"{name} = {_toml(value)}" for name, value in measured.items()),
    ]
    for point in fitted["curve"]:
        lines += ["", "[[curve]]", *(f"{name} = {_toml(value)}" for name, value in point.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
