"""Does a single picture show a living face, or a picture of one?

Classical measurements and the answer of an anti-spoofing network (row `passive_face` of the model table) are weighed
together. Two networks of the operator's (`passive_v2`, `passive_v1se`) are weighed beside it when both are there.
Weights and limits: `calibration/liveness.toml`.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from truename.rules.liveness_signs import LivenessSign
from truename.vision import models, runtime
from truename.vision.captures import Picture
from truename.vision.face.detect import Face
from truename.vision.liveness.border import framing
from truename.vision.liveness.texture import glow, grain, has_room, highlights, moire


@dataclass(frozen=True)
class Network:
    """How an anti-spoofing network is fed, and which of its answers means "live"."""

    row: str
    """Its name in the model table."""
    spans: float
    """How many face sizes its crop spans."""
    side: int
    live: int


SHIPPED: Final = (Network("passive_face", 2.7, 128, live=0),)
OPERATORS: Final = (Network("passive_v2", 2.7, 80, live=1), Network("passive_v1se", 4.0, 80, live=1))
ACCEPTED: Final = float(np.log(0.85 / 0.15))
"""Where a score of 0.85 lies on the logistic scale."""
CALIBRATION: Final = "liveness.toml"
USUAL_WORTH: Final = 0.75
USUAL_SIGN: Final = 0.2
"""What a calibration of an operator's that says nothing of it takes for a passed challenge, and for the sign."""


@dataclass(frozen=True)
class Measured:
    """What was measured on one picture; None where the picture leaves too little room around the face to tell."""

    moire: float
    grain: float
    highlights: float
    border: float | None
    glow: float | None
    network: float
    """The shipped network's probability of a living face."""
    operators: float | None = None
    """The mean of those of the operator's two networks, where both were brought."""


@dataclass(frozen=True)
class PassiveScore:
    """The calibrated score of single pictures, and the signs that stand out."""

    score: float
    after_challenge: float
    """The same once a challenge was passed, which doubtful pictures of a living person are not to undo."""
    signs: tuple[LivenessSign, ...]
    measured: Measured


def score_passive(pictures: Sequence[tuple[Picture, Face]]) -> PassiveScore:
    """Judge one or more pictures of the same face; the middle one speaks for all."""
    judged = sorted((score_picture(picture, face) for picture, face in pictures), key=lambda one: one.score)
    return judged[(len(judged) - 1) // 2]


def score_picture(picture: Picture, face: Face) -> PassiveScore:
    """Judge a single picture."""
    measured = measure(picture, face)
    return PassiveScore(score(measured), score(measured, after_challenge=True), signs(measured), measured)


def measure(picture: Picture, face: Face) -> Measured:
    """Take every measurement of a picture."""
    room = has_room(picture, face)
    return Measured(
        moire=moire(picture, face),
        grain=grain(picture, face),
        highlights=highlights(picture, face),
        border=framing(picture, face) if room else None,
        glow=glow(picture, face) if room else None,
        network=_chance(SHIPPED, picture, face),
        operators=_chance(OPERATORS, picture, face) if both_were_brought() else None,
    )


def score(measured: Measured, after_challenge: bool = False) -> float:
    """One number from 0 to 1, 0.85 being the point where the calibration drew the line, with or without a challenge."""
    weights = _weights()
    total = float(weights["constant"]) - float(weights["threshold"]) + ACCEPTED
    if after_challenge:
        total += float(weights.get("challenge", USUAL_WORTH))
    for name, value in (classical_features(measured, _calibration()["neutral"]) | answers(measured)).items():
        total += float(weights[name]) * value
    return round(float(1 / (1 + np.exp(-np.clip(total, -30, 30)))), 4)


def signs(measured: Measured) -> tuple[LivenessSign, ...]:
    """The measurements that stand out by themselves, at limits that few living faces reach."""
    limits = _calibration()["signs"]
    found = []
    if measured.moire > limits["moire"]:
        found.append(LivenessSign.MOIRE)
    if measured.border is not None and measured.border > limits["border"]:
        found.append(LivenessSign.BORDER)
    if measured.grain < limits["grain"]:
        found.append(LivenessSign.FLAT_TEXTURE)
    weights = _weights()
    if what_networks_say(measured, weights) < log_odds(weights.get("sign", USUAL_SIGN)):
        found.append(LivenessSign.PASSIVE_NETWORK)
    return tuple(found)


def what_networks_say(measured: Measured, weights: Mapping[str, float]) -> float:
    """The log-odds of a living face by all networks together, each counting by its weight."""
    said = answers(measured)
    whole = sum(weights[name] for name in said)
    return sum(weights[name] * value for name, value in said.items()) / whole if whole > 0 else 0.0


def log_odds(chance: float) -> float:
    """Of a probability; beyond 0.002 and 0.998 no network is believed to be surer."""
    sure = float(np.clip(chance, 0.002, 0.998))
    return float(np.log(sure / (1 - sure)))


def classical_features(measured: Measured, neutral: Mapping[str, float]) -> dict[str, float]:
    """What was measured without a network, by the names of the weights; what could not be measured takes the value that
    speaks for neither side."""
    return {
        "moire": max(0.0, measured.moire - neutral["moire"]),
        "grain": measured.grain,
        "highlights": measured.highlights,
        "border": neutral["border"] if measured.border is None else measured.border,
        "glow": neutral["glow"] if measured.glow is None else float(np.clip(measured.glow, -40, 60)),
    }


def answers(measured: Measured) -> dict[str, float]:
    """What the networks say, by the names of their weights: `network` is the shipped one's unless others were brought,
    because a calibration of an operator's that knows of no other means theirs by it."""
    if measured.operators is None:
        return {"network": log_odds(measured.network)}
    return {"network": log_odds(measured.operators), "shipped": log_odds(measured.network)}


# ── the networks ─────────────────────────────────────────────────────────────────────────────────────────────


def both_were_brought() -> bool:
    """Are the operator's two networks there? One alone is not asked."""
    return all(models.model(one.row).available for one in OPERATORS)


def _chance(asked: Sequence[Network], picture: Picture, face: Face) -> float:
    """The mean of these networks' probabilities of "live", on the picture and its mirror image."""
    box = _square(face)
    mirrored = (picture.shape[1] - box[0] - box[2], *box[1:])
    chances: list[float] = []
    for one in asked:
        crops = np.stack([_crop(picture, box, one), _crop(picture[:, ::-1], mirrored, one)])
        batch = np.ascontiguousarray(crops[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32))
        together = runtime.any_number if one in SHIPPED else None
        network = runtime.onnx(one.row, np.zeros((1, 3, one.side, one.side), np.float32), prepare=together)
        parts = [batch] if network.takes_any_number else [batch[:1], batch[1:]]
        logits = np.concatenate([network.run(part)[0] for part in parts]).astype(np.float64)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances += (shares[:, one.live] / shares.sum(axis=1)).tolist()
    return float(np.mean(chances))


Box = tuple[float, float, float, float]


def _square(face: Face) -> Box:
    """The face's box made square about its middle: the detector's boxes are taller than those of the training."""
    left, top, wide, tall = face.box
    side = float(np.sqrt(wide * tall))
    return (left + (wide - side) / 2, top + (tall - side) / 2, side, side)


def _crop(picture: Picture, box: Box, network: Network) -> NDArray[np.uint8]:
    """The box enlarged, shifted to stay inside the picture, resized to what the network takes."""
    height, width = picture.shape[:2]
    left, top, wide, tall = box
    scale = min(network.spans, (height - 1) / tall, (width - 1) / wide)
    half_wide, half_tall = wide * scale / 2, tall * scale / 2
    x = float(np.clip(left + wide / 2, half_wide, width - 1 - half_wide))
    y = float(np.clip(top + tall / 2, half_tall, height - 1 - half_tall))
    rows = slice(int(y - half_tall), int(y + half_tall) + 1)
    columns = slice(int(x - half_wide), int(x + half_wide) + 1)
    return np.asarray(cv2.resize(np.ascontiguousarray(picture[rows, columns]), (network.side, network.side)), np.uint8)


def _weights() -> dict[str, Any]:
    """What every number weighs: measured for the networks named in our calibration, else brought with the row.

    A calibration that says nothing of the shipped network beside the operator's was made without it.
    """
    section, asked = ("with_network", (*OPERATORS, *SHIPPED)) if both_were_brought() else ("as_shipped", SHIPPED)
    ours = _calibration()[section]
    rows = [models.model(one.row) for one in asked]
    if all(row.sha256 in ours["measured_with"] for row in rows):
        return dict(ours)
    own = next((row for row in rows if row.calibration), None)
    if own is None:
        unknown = next(row for row in rows if row.sha256 not in ours["measured_with"])
        raise models.ModelUnavailable(
            f"{unknown.name}: these weights were never measured here; name a calibration in their row"
            " (benchmarks/calibrate_liveness.py makes one)."
        )
    brought = models.calibration(own)
    if section not in brought:
        raise models.ModelUnavailable(f"{own.name}: its calibration has no section [{section}].")
    return {"shipped": 0.0, **brought[section]}


@cache
def _calibration() -> dict[str, Any]:
    return tomllib.loads((models.HERE / "calibration" / CALIBRATION).read_text(encoding="utf-8"))
