"""Does a single picture show a living face, or a picture of one?

Classical measurements ship with the project. An operator's anti-spoofing networks (rows `passive_v2`, `passive_v1se`
of the model table) join them when both are there. Weights and limits: `calibration/liveness.toml`.
"""

import tomllib
from collections.abc import Sequence
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

NETWORKS: Final = {"passive_v2": 2.7, "passive_v1se": 4.0}
"""By row of the model table: how many face sizes its crop spans."""
SIDE: Final = 80
LIVE: Final = 1
"""The class that means "live" in the networks' output."""
ACCEPTED: Final = float(np.log(0.85 / 0.15))
"""Where a score of 0.85 lies on the logistic scale."""
CALIBRATION: Final = "liveness.toml"


@dataclass(frozen=True)
class Measured:
    """What was measured on one picture; None where the picture leaves too little room around the face to tell."""

    moire: float
    grain: float
    highlights: float
    border: float | None
    glow: float | None
    network: float | None
    """The networks' probability of a living face; None when the operator has brought none."""


@dataclass(frozen=True)
class PassiveScore:
    """The calibrated score of single pictures, and the signs that stand out."""

    score: float
    signs: tuple[LivenessSign, ...]
    measured: Measured


def score_passive(pictures: Sequence[tuple[Picture, Face]]) -> PassiveScore:
    """Judge one or more pictures of the same face; the middle one speaks for all."""
    judged = sorted((score_picture(picture, face) for picture, face in pictures), key=lambda one: one.score)
    return judged[(len(judged) - 1) // 2]


def score_picture(picture: Picture, face: Face) -> PassiveScore:
    """Judge a single picture."""
    measured = measure(picture, face)
    return PassiveScore(score(measured), signs(measured), measured)


def measure(picture: Picture, face: Face) -> Measured:
    """Take every measurement of a picture."""
    room = has_room(picture, face)
    return Measured(
        moire=moire(picture, face),
        grain=grain(picture, face),
        highlights=highlights(picture, face),
        border=framing(picture, face) if room else None,
        glow=glow(picture, face) if room else None,
        network=_networks(picture, face) if networks_available() else None,
    )


def score(measured: Measured) -> float:
    """One number from 0 to 1, 0.85 being the point where the calibration drew the line."""
    weights = _calibration()["classical"] if measured.network is None else _network_weights()
    total = float(weights["constant"])
    for name, value in _features(measured).items():
        total += float(weights[name]) * value
    return round(float(1 / (1 + np.exp(-np.clip(total - weights["threshold"] + ACCEPTED, -30, 30)))), 4)


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
    if measured.network is not None and measured.network < limits["network"]:
        found.append(LivenessSign.PASSIVE_NETWORK)
    return tuple(found)


def _features(measured: Measured) -> dict[str, float]:
    """The numbers that are weighed; what could not be measured takes the value that speaks for neither side."""
    neutral = _calibration()["neutral"]
    features = {
        "moire": max(0.0, measured.moire - neutral["moire"]),
        "grain": measured.grain,
        "highlights": measured.highlights,
        "border": neutral["border"] if measured.border is None else measured.border,
        "glow": neutral["glow"] if measured.glow is None else float(np.clip(measured.glow, -40, 60)),
    }
    if measured.network is not None:
        sure = float(np.clip(measured.network, 0.002, 0.998))
        features["network"] = float(np.log(sure / (1 - sure)))
    return features


# ── the operator's networks ────────────────────────────────────────────────────────────────────────────────


def networks_available() -> bool:
    """Has the operator brought both networks?"""
    return all(models.model(name).available for name in NETWORKS)


def _networks(picture: Picture, face: Face) -> float:
    """The mean of both networks' probabilities of "live", on the picture and its mirror image."""
    box = _square(face)
    mirrored = (picture.shape[1] - box[0] - box[2], *box[1:])
    chances = []
    for name, scale in NETWORKS.items():
        crops = np.stack([_crop(picture, box, scale), _crop(picture[:, ::-1], mirrored, scale)])
        batch = crops[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32)
        network = runtime.onnx(name, np.zeros((1, 3, SIDE, SIDE), np.float32))
        for one in batch:
            logits = network.run(np.ascontiguousarray(one[None]))[0][0].astype(np.float64)
            shares = np.exp(logits - logits.max())
            chances.append(float(shares[LIVE] / shares.sum()))
    return float(np.mean(chances))


Box = tuple[float, float, float, float]


def _square(face: Face) -> Box:
    """The face's box made square about its middle: the detector's boxes are taller than those of the training."""
    left, top, wide, tall = face.box
    side = float(np.sqrt(wide * tall))
    return (left + (wide - side) / 2, top + (tall - side) / 2, side, side)


def _crop(picture: Picture, box: Box, scale: float) -> NDArray[np.uint8]:
    """The box enlarged, shifted to stay inside the picture, resized to what the network takes."""
    height, width = picture.shape[:2]
    left, top, wide, tall = box
    scale = min(scale, (height - 1) / tall, (width - 1) / wide)
    half_wide, half_tall = wide * scale / 2, tall * scale / 2
    x = float(np.clip(left + wide / 2, half_wide, width - 1 - half_wide))
    y = float(np.clip(top + tall / 2, half_tall, height - 1 - half_tall))
    rows = slice(int(y - half_tall), int(y + half_tall) + 1)
    columns = slice(int(x - half_wide), int(x + half_wide) + 1)
    return np.asarray(cv2.resize(np.ascontiguousarray(picture[rows, columns]), (SIDE, SIDE)), np.uint8)


def _network_weights() -> dict[str, float]:
    """What the networks' word weighs: measured for the weights named in our calibration, else brought with the row."""
    shipped = _calibration()["with_network"]
    rows = [models.model(name) for name in NETWORKS]
    if all(row.sha256 in shipped["measured_with"] for row in rows):
        return dict(shipped)
    own = next((row for row in rows if row.calibration), None)
    if own is None:
        raise models.ModelUnavailable(
            f"{rows[0].name}: these weights were never measured here; name a calibration in their row"
            " (benchmarks/calibrate_liveness.py makes one)."
        )
    return dict(models.calibration(own)["with_network"])


@cache
def _calibration() -> dict[str, Any]:
    return tomllib.loads((models.HERE / "calibration" / CALIBRATION).read_text(encoding="utf-8"))
