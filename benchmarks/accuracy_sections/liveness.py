"""Liveness: attacks accepted and living people refused at 0.85, for single pictures and for simulated challenges.

By the shipped network, and by the operator's beside it where `--models` or a folder `models` beside the data holds
them. The calibration was fitted to the development half of these sets; the rows fitted to other sources say what to
expect.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import skimage.data
from tests.support import faces

from benchmarks import calibrate_liveness as calibrate
from benchmarks.accuracy_rows import CHOSEN_HERE, LeftOut, Row, part, share
from benchmarks.accuracy_sections.liveness_folds import (
    ACCEPTED,
    SECTION,
    judged_by_other_people,
    judged_by_other_sources,
)
from benchmarks.accuracy_sections.liveness_selfies import groups, refused, selfies
from benchmarks.calibrate_liveness import Judges
from truename.rules.evidence import QualityReason
from truename.vision.captures import Frame, Picture, Step
from truename.vision.configuration import configuration, configure
from truename.vision.decoding.pixels import decode
from truename.vision.images import shrink
from truename.vision.liveness.challenge import TURNED
from truename.vision.liveness.parallax import has_relief, relief
from truename.vision.liveness.passive import both_were_brought, score
from truename.vision.liveness.score import LivenessScore, score_liveness
from truename.vision.liveness.views import View, view

SETS = ("nuaa", "pad_phone", "pad_replay_crops")
FULL = calibrate.FULL_FRAMES
STILLS = 8
FPS = 2.2
SIZE = (360, 480)
TURNED_PEOPLE = 120
ORDERS = (
    (Step.LOOK_STRAIGHT, Step.TURN_LEFT, Step.TURN_RIGHT, Step.MOVE_CLOSER),
    (Step.LOOK_STRAIGHT, Step.TURN_RIGHT, Step.MOVE_CLOSER, Step.TURN_LEFT),
    (Step.LOOK_STRAIGHT, Step.MOVE_AWAY, Step.TURN_LEFT, Step.TURN_RIGHT),
)


@dataclass(frozen=True)
class Judged:
    """One picture of a data set with its scores; 0 when no single face was found in it."""

    data_set: str
    live: bool
    attack: str
    score: float = 0.0
    after_challenge: float = 0.0


def run(data: Path, peers: bool, plots: Path | None) -> list[Row]:
    """All rows of the section; the operator's networks are what the shipped one is held against."""
    left_out = LeftOut(SECTION)
    sets = tuple(name for name in SETS if (data / name).is_dir())
    judged: dict[Judges, list[Judged]] = {}
    rows: list[Row] = []
    chosen: list[Row] = []
    with judged_by(Judges.OPERATORS, data):
        labelled = calibrate.read(data, sets, left_out, keep_faceless=True)
    for judges in (Judges.SHIPPED, Judges.OPERATORS):
        with judged_by(judges, data) as possible:
            if not possible:
                rows.append(Row(SECTION, f"stills, {judges}", None, note="no such networks were given"))
                continue
            judged[judges] = [_judged(one, judges) for one in labelled]
            rows += part(SECTION, f"stills, {judges}", partial(_single_pictures, judges, judged[judges]))
            chosen += part(SECTION, f"selfies, {judges}", partial(_selfies, judges, data, left_out))
    rows += part(SECTION, "stills, fitted to other sources", lambda: judged_by_other_sources(labelled))
    rows += part(SECTION, "stills, fitted to other people", lambda: judged_by_other_people(labelled))
    rows += chosen
    if plots:
        rows += part(SECTION, "plots", lambda: _plot(judged, plots))
    rows += part(SECTION, "real heads that turned", lambda: _real_turns(data / "lfw", left_out))
    rows += part(SECTION, "challenge", lambda: _sequences(list(stills(data, left_out))))
    return rows + left_out.rows()


@contextmanager
def judged_by(judges: Judges, data: Path) -> Iterator[bool]:
    """Let those judge whatever is judged inside; says whether they can."""
    with calibrate.the_shipped_network() if judges is Judges.SHIPPED else _the_operators(data):
        yield both_were_brought() is (judges is Judges.OPERATORS)


@contextmanager
def _the_operators(data: Path) -> Iterator[None]:
    """Those that were configured, or else those that lie beside the data."""
    earlier = configuration()
    beside = data.resolve().parent / "models"
    try:
        if earlier.models_file is None and beside.is_dir():
            calibrate.use_models(beside)
        yield
    finally:
        configure(earlier)


def _selfies(judges: Judges, data: Path, left_out: LeftOut) -> Iterator[Row]:
    return refused(judges, selfies(data, left_out) | groups(data, left_out))


# ── single pictures ────────────────────────────────────────────────────────────────────────────────────────


def _judged(one: calibrate.Labelled, judges: Judges) -> Judged:
    judged = Judged(one.data_set, one.live, one.attack.split(":")[0])
    if one.measured is None:
        return judged
    seen = calibrate.as_seen_by(judges, one.measured)
    return replace(judged, score=score(seen), after_challenge=score(seen, after_challenge=True))


def _single_pictures(judges: Judges, judged: Sequence[Judged]) -> Iterator[Row]:
    """Per set and per kind of attack."""
    full = [one for one in judged if one.data_set in FULL]
    yield _accepted(f"stills, {judges}: attacks accepted, full frames", full, 0.07, CHOSEN_HERE)
    yield _refused(f"stills, {judges}: live refused, full frames", full, 0.10, CHOSEN_HERE)
    for name in SETS:
        own = [one for one in judged if one.data_set == name]
        note = CHOSEN_HERE if name in FULL else "tight crops: no room around the face"
        for attack in sorted({one.attack for one in own if not one.live}):
            attacks = [one for one in own if one.attack == attack]
            yield _accepted(f"  {name}, {judges}: {attack} accepted", attacks, note=note)
        if own:
            yield _refused(f"  {name}, {judges}: live refused", own, note=note)
    accepted = [one.after_challenge >= ACCEPTED for one in full if not one.live]
    note = f"as a video would be that happened to follow the random steps; {CHOSEN_HERE}"
    measure = f"  if an attack also passed the challenge, {judges}: accepted"
    yield share(SECTION, measure, sum(accepted), len(accepted), note=note)
    living = [one.after_challenge < ACCEPTED for one in full if one.live]
    measure = f"  after a passed challenge, {judges}: live refused"
    yield share(SECTION, measure, sum(living), len(living), note=CHOSEN_HERE)


def _accepted(measure: str, judged: Sequence[Judged], at_most: float | None = None, note: str = "") -> Row:
    attacks = [one.score >= ACCEPTED for one in judged if not one.live]
    return share(SECTION, measure, sum(attacks), len(attacks), at_most=at_most, note=note)


def _refused(measure: str, judged: Sequence[Judged], at_most: float | None = None, note: str = "") -> Row:
    living = [one.score < ACCEPTED for one in judged if one.live]
    return share(SECTION, measure, sum(living), len(living), at_most=at_most, note=note)


def _plot(judged: Mapping[Judges, Sequence[Judged]], plots: Path) -> list[Row]:
    """Histograms of the scores with the 0.85 line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3 * len(judged)), layout="constrained")
    for row, (judges, pictures) in enumerate(judged.items()):
        for column, full in enumerate((True, False)):
            axes = figure.add_subplot(len(judged), 2, 2 * row + column + 1)
            for live, colour in ((True, "tab:green"), (False, "tab:red")):
                values = [one.score for one in pictures if one.live is live and (one.data_set in FULL) is full]
                axes.hist(values, bins=20, range=(0, 1), alpha=0.6, color=colour, label="live" if live else "attack")
            axes.axvline(ACCEPTED, color="black", linestyle="--")
            axes.set_title(f"{judges}, {'full frames' if full else 'tight crops'}")
            axes.legend()
    figure.savefig(plots / "liveness_scores.png", dpi=110)
    return []


# ── real heads, turned ─────────────────────────────────────────────────────────────────────────────────────


def _real_turns(folder: Path, left_out: LeftOut) -> Iterator[Row]:
    """Photographs of one person looking straight and aside: do they show the relief that the challenge asks for?"""
    people: dict[str, list[Path]] = {}
    for file in sorted(folder.glob("*.jpg")):
        people.setdefault(file.stem.rsplit("_", 1)[0], []).append(file)
    several = [files[:6] for files in people.values() if len(files) >= 3]
    found = []
    for files in several[:: max(1, len(several) // TURNED_PEOPLE)]:
        views = [left_out.measured(file.name, partial(_view, file)) for file in files]
        seen = [one for one in views if isinstance(one, View)]
        for straight in (one for one in seen if abs(one.yaw) <= 7):
            for other in seen:
                tilted = abs(other.mesh.pose.pitch - straight.mesh.pose.pitch) >= 15
                if TURNED <= abs(other.yaw - straight.yaw) <= 42 and not tilted:
                    found.append(has_relief(relief(straight, other)))
    note = f"LFW, two photographs of one person, 18–42° apart; limits {CHOSEN_HERE}"
    yield share(SECTION, "real heads that turned: relief found", sum(found), len(found), at_least=0.9, note=note)


def _view(file: Path) -> View | QualityReason:
    return view(decode(file.read_bytes()))


def _small(file: Path) -> Picture:
    return shrink(decode(file.read_bytes()), 1200)


# ── simulated challenges ───────────────────────────────────────────────────────────────────────────────────


def stills(data: Path, left_out: LeftOut) -> Iterator[Picture]:
    """The astronaut, and live selfies and portraits of the data, as far as a straight single face is found."""
    yield skimage.data.astronaut()
    found = 1
    selfies = sorted((data / "pad_phone").glob("*live_selfie*.jpg")) + sorted((data / "portrait26").glob("*.jpg"))[::7]
    for file in selfies:
        picture = left_out.measured(file.name, partial(_small, file))
        if picture is None:
            continue
        seen = view(picture)
        if not isinstance(seen, View) or abs(seen.yaw) > 8 or seen.face.eye_distance < 45 or seen.face.score < 0.88:
            continue
        yield picture
        found += 1
        if found == STILLS:
            return


def _sequences(pictures: Sequence[Picture]) -> Iterator[Row]:
    """Heads that turn must be accepted, everything else refused; classical signs only, so that the gate is seen."""
    lived: list[list[Frame]] = []
    accepted = []
    for number, still in enumerate(pictures):
        order = ORDERS[number % len(ORDERS)]
        frames = faces.turning_head_frames(still, order, fps=FPS, seed=number, size=SIZE)
        lived.append(frames)
        accepted.append(_judge(frames, order).evidence.score >= ACCEPTED)
    measure = "challenge: warped heads accepted"
    yield share(SECTION, measure, sum(accepted), len(accepted), at_least=0.8, note=f"limits {CHOSEN_HERE}")
    yield from _planes(pictures)
    for name, spoil in SPOILT.items():
        passed = [
            _passed(spoil(frames), ORDERS[number % len(ORDERS)])
            for number, frames in enumerate(lived[: STILLS // 2])
            if accepted[number]
        ]
        yield share(SECTION, f"challenge, warped head, {name}: accepted", sum(passed), len(passed), at_most=0.0)


def _planes(pictures: Sequence[Picture]) -> Iterator[Row]:
    total: list[bool] = []
    note = f"limits {CHOSEN_HERE}"
    room = cv2.resize(skimage.data.coffee(), (480, 640))
    for bend in faces.BENDS:
        results = []
        for motion in faces.PLANE_MOTIONS:
            if bend != "flat" and motion not in ("tilt 25", "tilt 40", "tilt 50"):
                continue
            for number, still in enumerate(pictures if bend == "flat" else pictures[:: len(pictures) // 3 or 1]):
                scenery = room if (number + len(motion)) % 2 else None
                frames = faces.flat_picture_frames(motion, bend, still, faces.TURNS, FPS, number, scenery, SIZE)
                results.append(_passed(frames, faces.TURNS))
        measure = f"challenge: photograph, {bend}, accepted"
        yield share(SECTION, measure, sum(results), len(results), at_most=0.0, note=note)
        total += results
    measure = "challenge: photographs moved as a plane, all, accepted"
    yield share(SECTION, measure, sum(total), len(total), at_most=0.0, note=note)


def _judge(frames: Sequence[Frame], challenge: tuple[Step, ...]) -> LivenessScore:
    return score_liveness(frames, [decode(frame.image) for frame in frames], challenge)


def _passed(frames: Sequence[Frame], challenge: tuple[Step, ...]) -> bool:
    """Was it accepted, or did it at least pass the challenge? Single pictures must not be what saves us."""
    evidence = _judge(frames, challenge).evidence
    copied = "REPEATED_FRAMES" in evidence.signs
    return evidence.score >= ACCEPTED or ((evidence.challenge_score or 0.0) >= ACCEPTED and not copied)


SPOILT = {
    "mirrored": faces.mirrored,
    "frames in another order": faces.shuffled,
    "one frame repeated": faces.one_frame_repeated,
    "re-encoded copies": faces.re_encoded_copies,
    "steps renamed": lambda frames: faces.relabelled(
        frames, {Step.TURN_LEFT: Step.TURN_RIGHT, Step.TURN_RIGHT: Step.TURN_LEFT}
    ),
}
