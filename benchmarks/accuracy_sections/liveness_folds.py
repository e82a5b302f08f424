"""Single pictures judged by weights and lines in which their own source, or their own people, had no say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks import calibrate_liveness as calibrate
from benchmarks.accuracy_rows import Row, share
from benchmarks.calibrate_liveness import Judges, Labelled

SECTION = "liveness"
ACCEPTED = 0.85
BOTH = 2
"""Living people and attacks: nothing is fitted to one of them alone."""


@dataclass(frozen=True)
class MeasuredStills:
    """The stills in full frames as the numbers that were weighed, one row each."""

    judges: Judges
    x: NDArray[np.float64]
    live: NDArray[np.bool_]
    sources: list[str]
    subjects: list[str]


def measured_stills(labelled: Sequence[Labelled]) -> Iterator[MeasuredStills]:
    """By the classical signs alone, to see what they are worth, and by all that judges those stills."""
    stills = [one for one in labelled if one.data_set in calibrate.FULL_FRAMES]
    full = [(one, one.measured) for one in stills if one.measured is not None]
    for judges in Judges:
        asked = judges is not Judges.OPERATORS or all(measured.operators is not None for _, measured in full)
        if full and asked:
            yield MeasuredStills(
                judges,
                np.array([calibrate.features(measured, judges) for _, measured in full]),
                np.array([one.live for one, _ in full]),
                [one.source for one, _ in full],
                [one.subject for one, _ in full],
            )


def judged_by_other_sources(labelled: Sequence[Labelled]) -> Iterator[Row]:
    """What weights that were fitted to the other sources do on each source: the figure that a stranger meets."""
    for stills in measured_stills(labelled):
        weights = calibrate.fit(stills.x, stills.live)
        inside = weights[0] + stills.x @ weights[1:]
        after = calibrate.line_after_challenge(stills.x, stills.live, stills.sources)
        fitted = f"{stills.judges}, fitted to other sources"
        totals = calibrate.by_other_sources(stills.x, stills.live, stills.sources)
        wrong = calibrate.errors(inside, stills.live, calibrate.THRESHOLD)
        measures = (f"stills, {fitted}: attacks accepted", f"stills, {fitted}: live refused")
        has_goals = stills.judges is not Judges.CLASSICAL
        goals = (0.07, 0.10) if has_goals else (None, None)
        yield from _errors(stills, totals >= calibrate.THRESHOLD, wrong, measures, goals)
        wrong = calibrate.errors(inside, stills.live, after)
        measures = (
            f"if an attack also passed the challenge, {fitted}: accepted",
            f"after a passed challenge, {fitted}: live refused",
        )
        goals = (0.10, 0.05) if has_goals else (None, None)
        yield from _errors(stills, accepted_after_challenge(stills), wrong, measures, goals)


def accepted_after_challenge(stills: MeasuredStills) -> NDArray[np.bool_]:
    """By a line that was drawn as the shipped one, from the other sources alone.

    They are judged by weights that were fitted without their own source, as the source that is judged will be.
    """
    of = np.array(stills.sources)
    accepted = np.zeros(len(of), bool)
    for source in sorted(set(stills.sources)):
        own, others = of == source, of != source
        x, live = stills.x[others], stills.live[others]
        if len({*live}) == BOTH:
            line = calibrate.line_after_challenge(x, live, of[others].tolist())
            weights = calibrate.fit(x, live)
            accepted[own] = weights[0] + stills.x[own] @ weights[1:] >= line
    return accepted


def _errors(
    stills: MeasuredStills,
    accepted: NDArray[np.bool_],
    in_fold: tuple[float, float],
    measures: tuple[str, str],
    goals: tuple[float | None, float | None],
) -> Iterator[Row]:
    """Attacks that were accepted and living people who were not, with the shares that all sources' weights give."""
    for number, (wrong, of) in enumerate(
        ((accepted & ~stills.live, ~stills.live), (~accepted & stills.live, stills.live))
    ):
        note = f"in fold {100 * in_fold[number]:.1f} %; {len(set(stills.sources))} sources"
        yield share(SECTION, measures[number], int(wrong.sum()), int(of.sum()), at_most=goals[number], note=note)


def judged_by_other_people(labelled: Sequence[Labelled]) -> Iterator[Row]:
    """What a calibration fitted to half of the people does on the others."""
    for stills in measured_stills(labelled):
        mean, spread = calibrate.split_half(stills.x, stills.live, stills.subjects)
        for number, what in enumerate(("attacks accepted", "live refused")):
            yield Row(
                SECTION,
                f"stills, {stills.judges}, fitted to other people: {what}",
                float(mean[number]),
                float(spread[0][number]),
                float(spread[1][number]),
                n=len(stills.live),
                note=f"mean and 5–95 % of {calibrate.SPLITS} split halves",
                unit="%",
            )
