"""Fit the map from cosine to score on pairs of photographs, so that 0.85 means one false match in 10,000."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from truename.rules.strangers import ANCHOR_CAUTION, ANCHOR_FALSE_MATCHES, ANCHOR_SCORE, SCORE_OF_FALSE_MATCHES
from truename.vision.face.compare import Curve

Values = NDArray[np.float64]

TAIL: Final = 5e-3
"""The share of the most alike impostor pairs from which rarer ones are extrapolated."""
SEEN_PAIRS: Final = 5
"""A population can set the anchor when at least so many of its pairs should lie above it."""
TRUSTED_PAIRS: Final = 8
"""A quantile that fewer pairs than this reach is extrapolated, not read off."""
LEAST_IMPOSTORS: Final = 1_000
REPEATS: Final = 400
ROUNDING: Final = 5e-5
"""Half of the last digit that is stored, so that rounding does not let the pair at the edge pass."""


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


@dataclass(frozen=True)
class Anchor:
    """Where 0.85 stands: the cosine that one pair of different people in 10,000 reaches, with its 95 % interval."""

    score: float
    false_matches: float
    cosine: float
    cosine_low: float
    cosine_high: float
    caution: float
    extrapolated: bool
    """There were too few pairs to see one in 10,000."""


@dataclass(frozen=True)
class MeasuredPairs:
    """What a calibration rests on, and what it does on those very pairs."""

    impostor_pairs: int
    genuine_pairs: int
    people: int
    false_matches_at_anchor: float
    genuine_refused_at_anchor: float
    """A share; -1 when there was no pair of one person."""


@dataclass(frozen=True)
class CurvePoint:
    """A cosine, the score it stands for, and the share of impostor pairs that reach it."""

    cosine: float
    score: float
    false_matches: float


@dataclass(frozen=True)
class Population:
    """What passes at the anchor among other people than those that it was fitted to."""

    name: str
    impostor_pairs: int
    people: int
    false_matches_at_anchor: float


@dataclass(frozen=True)
class FittedCalibration:
    """A calibration as it is stored: anchor, what it rests on, the curve, and what it does to other populations."""

    anchor: Anchor
    measured: MeasuredPairs
    points: tuple[CurvePoint, ...]
    populations: tuple[Population, ...] = ()

    @property
    def curve(self) -> Curve:
        """The map from cosine to score."""
        return Curve(tuple(one.cosine for one in self.points), tuple(one.score for one in self.points))


def fit(pairs: Pairs, caution: float = ANCHOR_CAUTION, seed: int = 0) -> FittedCalibration:
    """Fit anchor and curve to the pairs; raises TooFewPairs.

    `caution` is the quantile of the anchor's distribution that is taken: 0.5 is the best guess, more is stricter.
    On the pairs themselves never more than one in 10,000 passes, however the guess falls.
    """
    if len(pairs.impostor) < LEAST_IMPOSTORS:
        raise TooFewPairs(f"{len(pairs.impostor)} pairs of different people; {LEAST_IMPOSTORS} are the least.")
    anchors = np.sort(_anchors(pairs, np.random.default_rng(seed)))
    ranked = -np.sort(-pairs.impostor)
    anchor = max(float(np.quantile(anchors, caution)), _cosine_at(ranked, ANCHOR_FALSE_MATCHES) + ROUNDING)
    shift = anchor - _cosine_at(ranked, ANCHOR_FALSE_MATCHES)
    knots = [(-1.0, 0.0, 1.0)]
    for share, score in SCORE_OF_FALSE_MATCHES:
        # Caution moves the whole strict part of the curve, so that it keeps rising.
        cosine = _cosine_at(ranked, share) + (shift if share <= 1e-2 else 0.0)
        if cosine > knots[-1][0] + 1e-3:
            knots.append((cosine, score, share))
    knots.append((1.0, 1.0, 0.0))
    return FittedCalibration(
        Anchor(
            score=ANCHOR_SCORE,
            false_matches=ANCHOR_FALSE_MATCHES,
            cosine=round(anchor, 4),
            cosine_low=round(float(np.quantile(anchors, 0.025)), 4),
            cosine_high=round(float(np.quantile(anchors, 0.975)), 4),
            caution=caution,
            extrapolated=bool(len(pairs.impostor) * ANCHOR_FALSE_MATCHES < TRUSTED_PAIRS),
        ),
        MeasuredPairs(
            impostor_pairs=len(pairs.impostor),
            genuine_pairs=len(pairs.genuine),
            people=len(np.unique(pairs.people)),
            false_matches_at_anchor=float(np.mean(pairs.impostor >= anchor)),
            genuine_refused_at_anchor=float(np.mean(pairs.genuine < anchor)) if len(pairs.genuine) else -1.0,
        ),
        tuple(CurvePoint(round(cosine, 4), score, share) for cosine, score, share in knots),
    )


def fit_strictest(populations: Mapping[str, Pairs], caution: float = ANCHOR_CAUTION) -> FittedCalibration:
    """Fit to each population that is large enough to show one in 10,000, and take the fit with the strictest anchor.

    The others are counted at that anchor and stand beside it. Raises TooFewPairs when none is large enough.
    """
    large = [pairs for pairs in populations.values() if len(pairs.impostor) * ANCHOR_FALSE_MATCHES >= SEEN_PAIRS]
    if not large:
        raise TooFewPairs(f"no population has the {SEEN_PAIRS / ANCHOR_FALSE_MATCHES:,.0f} pairs that it takes")
    strictest = max((fit(pairs, caution) for pairs in large), key=lambda fitted: fitted.anchor.cosine)
    at = strictest.anchor.cosine
    counted = tuple(
        Population(name, len(pairs.impostor), len(np.unique(pairs.people)), float(np.mean(pairs.impostor >= at)))
        for name, pairs in populations.items()
    )
    return replace(strictest, populations=counted)


def _cosine_at(ranked: Values, share: float, weights: Values | None = None) -> float:
    """The cosine that this share of impostor pairs reaches; rare ones by an exponential tail.

    The pairs come in order, the most alike first: whoever asks hundreds of times sorts them once.
    """
    weight = (np.ones(len(ranked)) if weights is None else weights).cumsum()
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
    ranked = np.append(cosines, -1.0)
    found = []
    for _ in range(REPEATS):
        counts = np.bincount(random.integers(0, people, people), minlength=people).astype(np.float64)
        weights = counts[of[:, 0]] * counts[of[:, 1]]
        if weights.sum() == 0:
            continue
        padded = np.append(weights, max(rest, 1e-9))
        found.append(_cosine_at(ranked, ANCHOR_FALSE_MATCHES, padded))
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


def as_toml(fitted: FittedCalibration, data: str, template_sha256: str) -> str:
    """The calibration file, as it stands beside a model row, bound to the weights that it was fitted for."""
    lines = [
        "# Cosine → score. At 0.85 one pair of different people in 10,000 passes.",
        f'data = "{data}"',
        f'template_sha256 = "{template_sha256}"',
        "",
        "[anchor]",
        *_lines_of(fitted.anchor),
        "",
        "[measured]",
        *_lines_of(fitted.measured),
    ]
    for population in fitted.populations:
        lines += ["", "[[population]]", *_lines_of(population)]
    for point in fitted.points:
        lines += ["", "[[curve]]", *_lines_of(point)]
    return "\n".join(lines) + "\n"


def _lines_of(part: Anchor | MeasuredPairs | Population | CurvePoint) -> list[str]:
    """One TOML line for each field."""
    return [f"{name} = {_toml(value)}" for name, value in vars(part).items()]


def _toml(value: bool | float | str) -> str:
    """A number, a truth value, or a name without quotes in it."""
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else str(value)
