"""A fitted curve puts 0.85 where one pair of different people in 10,000 passes."""

import csv
import inspect
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from truename.cli.examine import calibrate
from truename.rules.strangers import ANCHOR_CAUTION, ANCHOR_FALSE_MATCHES, ANCHOR_SCORE
from truename.vision import models
from truename.vision.face.calibrate import Pairs, TooFewPairs, as_toml, cross_pairs, fit, listed_pairs
from truename.vision.face.compare import Curve


def people(number: int, pictures: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Invented templates: each person a direction, each picture a little off it."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(number, 128))
    vectors = np.repeat(centres, pictures, 0) + random.normal(scale=0.6, size=(number * pictures, 128))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), [str(n // pictures) for n in range(len(vectors))]


def test_the_anchor_holds_for_people_who_were_not_in_the_fit():
    fitted = fit(cross_pairs(*people(400, 3, seed=1)))
    curve = fitted.curve
    others = cross_pairs(*people(400, 3, seed=2))
    passing = np.mean(others.impostor >= curve.cosine_at(ANCHOR_SCORE))
    assert 3e-5 < passing < 3e-4
    assert np.mean(others.genuine < curve.cosine_at(ANCHOR_SCORE)) < 0.01


def test_the_curve_rises_over_the_whole_range():
    curve = fit(cross_pairs(*people(200, 2, seed=3))).curve
    assert (curve.cosines[0], curve.cosines[-1]) == (-1.0, 1.0)
    assert (curve.scores[0], curve.scores[-1]) == (0.0, 1.0)
    scores = [curve.score(cosine) for cosine in np.linspace(-1, 1, 201)]
    assert all(one <= other for one, other in pairwise(scores))


def test_caution_makes_the_anchor_stricter_and_the_interval_holds_the_guess():
    pairs = cross_pairs(*people(200, 2, seed=4))
    guess, strict = fit(pairs, caution=0.5).anchor, fit(pairs, caution=0.95).anchor
    assert strict.cosine > guess.cosine
    assert guess.cosine_low < guess.cosine < guess.cosine_high


@pytest.mark.slow
def test_one_in_ten_thousand_is_kept_for_four_samples_of_people_in_five_and_by_the_best_guess_it_is_not():
    everybody = cross_pairs(*people(2_000, 1, seed=9)).impostor
    samples = [cross_pairs(*people(150, 2, seed=seed)) for seed in range(20, 32)]
    broken = {
        caution: sum(np.mean(everybody >= fit(one, caution).anchor.cosine) > ANCHOR_FALSE_MATCHES for one in samples)
        for caution in (0.5, ANCHOR_CAUTION)
    }
    assert broken[ANCHOR_CAUTION] <= len(samples) / 5 < broken[0.5]


def test_the_shipped_curves_and_the_command_are_as_cautious():
    shipped = [tomllib.loads(file.read_text("utf-8"))["anchor"] for file in curves_that_ship()]
    assert {anchor["caution"] for anchor in shipped} == {ANCHOR_CAUTION}
    assert fit(cross_pairs(*people(100, 2, seed=8))).anchor.caution == ANCHOR_CAUTION
    assert inspect.signature(calibrate).parameters["caution"].default == ANCHOR_CAUTION


def curves_that_ship() -> list[Path]:
    folder = Path(models.__file__).parent / "calibration"
    return [folder / f"{name}.toml" for name in ("sface", "sface_alone", "edgeface")]


def test_a_fit_on_few_pairs_is_extrapolated_and_says_so():
    all_pairs = cross_pairs(*people(400, 2, seed=5))
    some = np.random.default_rng(0).choice(len(all_pairs.impostor), 5_000, replace=False)
    few = Pairs(all_pairs.impostor[some], all_pairs.people[some], all_pairs.genuine)
    fitted = fit(few)
    assert fitted.anchor.extrapolated
    assert not fit(all_pairs).anchor.extrapolated or len(all_pairs.impostor) < 300_000
    assert abs(fitted.anchor.cosine - fit(all_pairs).anchor.cosine) < 0.06


def test_too_few_pairs_are_refused():
    with pytest.raises(TooFewPairs):
        fit(listed_pairs([0.1, 0.8], [False, True], [("a", "b"), ("a", "c")]))


def test_what_is_written_reads_back_as_the_same_curve():
    fitted = fit(cross_pairs(*people(100, 2, seed=6)))
    read = tomllib.loads(as_toml(fitted, "invented people", "ab" * 32))
    assert (read["data"], read["template_sha256"]) == ("invented people", "ab" * 32)
    assert Curve.of(read) == fitted.curve
    assert read["anchor"] == vars(fitted.anchor)
    assert read["measured"] == pytest.approx(vars(fitted.measured))


def test_the_command_refuses_too_few_pairs_with_words(tmp_path: Path):
    import skimage.data

    from truename.cli.examine import register
    from truename.vision.images import encode_jpeg

    (tmp_path / "a.jpg").write_bytes(encode_jpeg(skimage.data.astronaut()))
    with (tmp_path / "pairs.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerows([("file1", "file2", "same"), ("a.jpg", "a.jpg", "1")])
    app = typer.Typer()
    register(app)
    out = tmp_path / "sface.toml"
    run = CliRunner().invoke(app, ["calibrate", "--pairs", str(tmp_path / "pairs.csv"), "--out", str(out)])
    assert run.exit_code == 1
    assert not out.exists()
