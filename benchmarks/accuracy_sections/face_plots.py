"""Pictures of the face figures: score histograms with the 0.85 line, and detection error trade-off curves."""

from pathlib import Path

import numpy as np

from benchmarks.accuracy_sections.face_pairs import Scored, Values
from truename.rules.strangers import ANCHOR_SCORE
from truename.vision.face.calibrate import Pairs
from truename.vision.face.compare import curve


def draw(folder: Path, crossed: Pairs, lfw: Scored, selfies: Scored) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 130})
    to_score = np.vectorize(curve().score)
    _histogram(plt, folder / "faces_histogram.png", to_score, crossed, lfw, selfies)
    _trade_off(plt, folder / "faces_det.png", crossed, lfw, selfies)
    _calibration(plt, folder / "faces_calibration.png")


def _known(values: Values) -> Values:
    return values[~np.isnan(values)]


def _histogram(plt, file: Path, to_score, crossed: Pairs, lfw: Scored, selfies: Scored) -> None:
    figure, axes = plt.subplots(figsize=(8, 4.2))
    bins = np.linspace(0, 1, 81)
    for values, label, colour in [
        (crossed.impostor, "different people (LFW, all cross pairs)", "#c0392b"),
        (_known(lfw.cosines[lfw.same]), "same person (LFW pairs)", "#2e86c1"),
        (_known(selfies.cosines[selfies.same]), "same person (selfie against ID)", "#27ae60"),
    ]:
        scores = to_score(values)
        axes.hist(scores, bins, weights=np.full(len(scores), 1 / len(scores)), alpha=0.55, label=label, color=colour)
    axes.axvline(ANCHOR_SCORE, color="black", lw=1)
    axes.text(ANCHOR_SCORE, axes.get_ylim()[1], " 0.85", va="top")
    axes.set(xlabel="score", ylabel="share of pairs", yscale="log", title="How alike are two faces?")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)


def _trade_off(plt, file: Path, crossed: Pairs, lfw: Scored, selfies: Scored) -> None:
    figure, axes = plt.subplots(figsize=(6, 5))
    ranked = np.sort(crossed.impostor)
    thresholds = np.linspace(0.1, 0.75, 300)
    false_match = 1 - np.searchsorted(ranked, thresholds) / len(ranked)
    for scored, label, colour in [(lfw, "LFW pairs", "#2e86c1"), (selfies, "selfie against ID", "#27ae60")]:
        genuine = np.nan_to_num(scored.cosines[scored.same], nan=-1.0)
        axes.plot(false_match, [np.mean(genuine < t) for t in thresholds], label=label, color=colour)
    axes.axvline(1e-4, color="black", lw=1)
    axes.text(1e-4, 0.5, " 0.85", va="top")
    axes.set(
        xscale="log", yscale="log", xlim=(1e-6, 1), ylim=(1e-3, 1), xlabel="different people accepted (LFW cross pairs)"
    )
    axes.set(ylabel="same person refused", title="Detection error trade-off")
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)


def _calibration(plt, file: Path) -> None:
    fitted = curve()
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(fitted.cosines, fitted.scores, marker="o", color="#6c3483")
    axes.axhline(ANCHOR_SCORE, color="black", lw=1)
    axes.set(xlabel="cosine of the templates", ylabel="score", xlim=(-0.2, 1), title="From cosine to score")
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)
