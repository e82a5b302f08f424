"""What the calibration of single pictures writes is what the service reads."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibrate_liveness import Judges, Labelled, as_seen_by, calibration, features, use_models

from tests.support.antispoofing import bring_networks
from truename.vision import configuration
from truename.vision.configuration import VisionConfiguration
from truename.vision.liveness import passive
from truename.vision.liveness.passive import Measured

DOUBTFUL, SURE = 0.2, 0.99


def stills(seed: int = 1) -> list[Labelled]:
    """Living people and attacks of four sources, which networks and grain tell apart and nothing else does."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(80):
        live = number % 2 == 0
        sign = 1.0 if live else -1.0
        chance, other = (1 / (1 + np.exp(-sign * random.uniform(0.5, 4, 2)))).tolist()
        measured = Measured(2.6, -0.6 + 0.3 * sign * random.random(), 0.1, 3.0, 6.0, chance, other)
        who = f"somebody {number // 4}"
        found.append(Labelled("nuaa", f"{number}.png", who, f"source {number % 8 // 2}", live, "", measured))
    return found


def test_networks_that_were_calibrated_are_trusted_by_what_was_fitted_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bring_networks(tmp_path, monkeypatch, 1.0)
    (tmp_path / "own.toml").write_text(calibration(stills()), encoding="utf-8")
    written = tomllib.loads((tmp_path / "own.toml").read_text(encoding="utf-8"))
    assert set(written["with_network"]) - set(written["as_shipped"]) == {"shipped"}
    assert len(written["with_network"]["measured_with"]) == 3
    assert len(written["as_shipped"]["measured_with"]) == 1
    both_sure = Measured(2.6, -0.6, 0.1, 3.0, 6.0, network=SURE, operators=SURE)
    scores = [
        passive.score(replace(both_sure, network=shipped, operators=operators))
        for shipped, operators in ((SURE, SURE), (DOUBTFUL, SURE), (SURE, DOUBTFUL), (DOUBTFUL, DOUBTFUL))
    ]
    assert scores[0] > max(scores[1:3])
    assert min(scores[1:3]) > scores[3], "each of them counts"


@pytest.mark.slow
def test_a_file_of_rows_brings_the_networks_that_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bring_networks(tmp_path, monkeypatch, 1.0)
    monkeypatch.setattr(configuration, "_current", VisionConfiguration())
    assert not passive.both_were_brought()
    assert "[with_network]" not in calibration(stills())
    use_models(tmp_path / "models.toml")
    assert passive.both_were_brought()
    assert "[with_network]" in calibration(stills())


def test_what_was_not_asked_is_not_weighed():
    one = Measured(2.6, -0.6, 0.1, 3.0, 6.0, network=0.9, operators=0.2)
    assert len(features(one, Judges.OPERATORS)) == len(features(one, Judges.SHIPPED)) + 1
    assert features(one, Judges.SHIPPED) == features(as_seen_by(Judges.SHIPPED, one), Judges.SHIPPED)
    assert as_seen_by(Judges.OPERATORS, one) == one
    with pytest.raises(ValueError, match="not asked of this picture"):
        features(as_seen_by(Judges.SHIPPED, one), Judges.OPERATORS)
