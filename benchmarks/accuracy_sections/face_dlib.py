"""dlib (face_recognition) beside us, at the threshold where it lets as many strangers pass."""

from pathlib import Path

import numpy as np

from benchmarks.accuracy_rows import Row, share
from benchmarks.accuracy_sections.embeddings import PeerMissing, Vectors, dlib_vectors, our_vectors, rows_of
from benchmarks.accuracy_sections.face_pairs import Scored, Values, accuracy, refused, scored_pairs
from truename.vision.face.calibrate import Pairs


def dlib_rows(data: Path, threshold: float, ours: Pairs) -> list[Row]:
    """dlib at the threshold where it lets as many LFW cross pairs pass as we do."""
    try:
        lfw, selfies = dlib_vectors(data / "lfw"), dlib_vectors(data / "selfie_id")
    except PeerMissing as missing:
        return [Row("faces", "dlib (face_recognition)", None, target="≥ 20 points ahead", note=str(missing))]
    identity = {row["file"]: row["identity"] for row in rows_of(data / "lfw" / "labels.csv")}
    rate = max(float(np.mean(ours.impostor >= threshold)), 1e-6)
    their_threshold = float(np.quantile(_near_impostors(lfw, identity), 1 - rate))
    theirs = _near_listed(data / "lfw" / "pairs.csv", lfw)
    cards = _near_listed(data / "selfie_id" / "pairs.csv", selfies).where(kind="id-selfie")
    right, n = accuracy(theirs)
    our_cards = scored_pairs(data / "selfie_id" / "pairs.csv", our_vectors(data / "selfie_id")).where(kind="id-selfie")
    ours_refused, m = refused(our_cards, threshold)
    their_refused, _ = refused(cards, their_threshold)
    ahead = (their_refused - ours_refused) / m
    return [
        share("faces", "dlib: LFW accuracy", right, n, note="peer"),
        share(
            "faces", "dlib: LFW genuine refused at equal false matches", *refused(theirs, their_threshold), note="peer"
        ),
        share("faces", "dlib: selfie against ID refused at equal false matches", their_refused, m, note="peer"),
        Row(
            "faces",
            "ahead of dlib on selfie against ID",
            ahead,
            target="≥ 20 points",
            meets=ahead >= 0.2,
            n=m,
            note="share of genuine pairs",
            unit="%",
        ),
    ]


def _near_impostors(vectors: Vectors, identity: dict[str, str]) -> Values:
    """dlib's cross pairs of different people, by minus the distance, so that more is more alike."""
    names = [name for name in vectors if name in identity]
    stacked = np.stack([vectors[name] for name in names])
    lengths = (stacked**2).sum(1)
    squares = lengths[:, None] + lengths[None] - 2 * stacked @ stacked.T
    first, second = np.triu_indices(len(names), k=1)
    who = np.array([identity[name] for name in names])
    strangers = who[first] != who[second]
    return -np.sqrt(np.maximum(squares[first[strangers], second[strangers]], 0))


def _near_listed(pairs: Path, vectors: Vectors) -> Scored:
    rows = rows_of(pairs)
    values = [
        float("nan")
        if row["file1"] not in vectors or row["file2"] not in vectors
        else -float(np.linalg.norm(vectors[row["file1"]] - vectors[row["file2"]]))
        for row in rows
    ]
    return Scored(rows, np.array(values), np.array([row["same"] == "1" for row in rows]))
