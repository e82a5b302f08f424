"""From a recogniser's scores to MRZ text: the best line of a fixed length whose every character is allowed its place.

Then, over all lines, the best reading whose check digits are right, when it is close enough to what was seen.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.layouts import ALPHABET, FILLER, Check, Layout, Place, is_right, verify

Scores = NDArray[np.float32]
BLANK = len(ALPHABET)
INDEX = {character: index for index, character in enumerate(ALPHABET)}
_IMPOSSIBLE = np.float32(-1e9)
_UNREACHED = -1e6
_ANEW = 1e7
"""Scores of whole lines lie far above the one; the other is more than any two of them differ by."""

DEAREST_CHARACTER = 7.0
"""A character is never changed when the recogniser was surer than this many nats that it is what it is."""
DEAREST_REPAIR = 9.0
MARGIN = 2.0
"""The best valid reading must beat every other valid one by so many nats, or nothing is proven."""
_PER_FIELD = 24
_TRIED_PER_FIELD = 3000


@dataclass(frozen=True)
class DecodedLine:
    """The best line of its length, and what each of its characters might be instead."""

    text: str
    cost: float
    """How much less likely the grammar's reading is than the free one, in nats: 0 when the grammar changed nothing."""
    characters: Scores
    """Position × alphabet: log-probability of each character, given that one stands there."""
    middles: Scores
    """Where along the line each character stands, in steps of the reader."""


def free_text(steps: Scores) -> str:
    """What stands there without any grammar: the best path, repeats merged, blanks dropped."""
    path = steps.argmax(1)
    kept = path[np.concatenate(([True], path[1:] != path[:-1]))]
    return "".join(ALPHABET[index] for index in kept if index != BLANK)


def decode_line(steps: Scores, classes: Sequence[str]) -> DecodedLine | None:
    """The likeliest text of exactly `len(classes)` characters, each in its class; None when there are too few steps."""
    if len(steps) < len(classes):
        return None
    paths = _paths(steps, tuple(classes))
    total = max(paths.after_blank[-1][-1], paths.in_character[-1][-1])
    if total <= _UNREACHED / 2:
        return None
    segments = _trace(paths)
    characters = _characters(steps, segments, tuple(classes))
    text = "".join(ALPHABET[index] for index in characters.argmax(1))
    middles = np.array([(first + last) / 2 for first, last in segments], np.float32)
    return DecodedLine(text, float(steps.max(1).sum() - total), characters, middles)


@dataclass(frozen=True)
class _Paths:
    """The best score of every way to read the first characters in the first steps; column 0 is before any step."""

    in_character: NDArray[np.float64]
    """Position × steps: that character was named in the last step."""
    after_blank: NDArray[np.float64]
    """Characters so far × steps: the last step was blank, or there was none."""
    stays: Sequence[NDArray[np.bool_]]
    """Of each position, step by step: may it go on with the character of the step before?"""
    moves: Sequence[NDArray[np.bool_]]
    """May it follow the character before it without a blank between them? (Of position 0: never.)"""


def _paths(steps: Scores, classes: tuple[str, ...]) -> _Paths:
    """Position by position, all steps of one at once: along the steps only the running best counts.

    Staying in a character adds its score of each step. Once those sums are taken off, the best way to be in it is the
    best of all ways to have come into it, since it last had to be another character.
    """
    length, count = len(classes), len(steps)
    scores = steps.astype(np.float64)
    of_class = {allowed: _emissions(scores, allowed) for allowed in dict.fromkeys(classes)}
    blanks = np.concatenate(([0.0], np.cumsum(scores[:, BLANK])))
    in_character = np.full((length, count + 1), _UNREACHED)
    after_blank = np.full((length + 1, count + 1), _UNREACHED)
    after_blank[0] = blanks
    moves = [np.zeros(count, bool)]
    for place, allowed in enumerate(classes):
        one = of_class[allowed]
        come = after_blank[place, :-1].copy()
        if place:
            named = of_class[classes[place - 1]].named
            moves.append(one.named != np.concatenate(([-1], named[:-1])))
            np.maximum(come, in_character[place - 1, :-1], out=come, where=moves[place])
        run = np.maximum.accumulate(come - one.sums[:-1] + one.runs) - one.runs
        in_character[place, 1:] = run + one.sums[1:]
        blank = np.maximum.accumulate(in_character[place] - blanks)
        after_blank[place + 1, 1:] = blank[:-1] + blanks[1:]
    return _Paths(in_character, after_blank, [of_class[allowed].stays for allowed in classes], moves)


@dataclass(frozen=True)
class _Emissions:
    """The best character of a class in every step."""

    named: NDArray[np.int64]
    sums: NDArray[np.float64]
    """Its score, summed up; the first entry is before any step."""
    stays: NDArray[np.bool_]
    """Is it the same as in the step before?"""
    runs: NDArray[np.float64]
    """Rises where it changes, by more than any score: a running best begins anew there."""


def _emissions(scores: NDArray[np.float64], allowed: str) -> _Emissions:
    letters = np.array([INDEX[character] for character in allowed])
    chosen = scores[:, letters].argmax(1)
    named = letters[chosen]
    best = scores[np.arange(len(scores)), named]
    stays = np.concatenate(([False], named[1:] == named[:-1]))
    return _Emissions(named, np.concatenate(([0.0], np.cumsum(best))), stays, np.cumsum(~stays) * _ANEW)


def _trace(paths: _Paths) -> list[tuple[int, int]]:
    """First and last step of every character on the best path."""
    in_character, after_blank = paths.in_character, paths.after_blank
    length = len(in_character)
    blank, place = bool(after_blank[length, -1] >= in_character[length - 1, -1]), length
    segments = [(0, 0)] * length
    for step in range(in_character.shape[1] - 2, -1, -1):
        # Column `step` of both tables is what was before this step.
        if blank:
            blank = not (place and in_character[place - 1, step] > after_blank[place, step])
            continue
        first = segments[place - 1]
        segments[place - 1] = (step, first[1] if first != (0, 0) else step)
        stay = in_character[place - 1, step] if paths.stays[place - 1][step] else _UNREACHED
        begun = after_blank[place - 1, step]
        moved = in_character[place - 2, step] if paths.moves[place - 1][step] else _UNREACHED
        if begun > stay and begun >= moved:
            blank, place = True, place - 1
        elif moved > stay:
            place -= 1
    return segments


def _characters(steps: Scores, segments: Sequence[tuple[int, int]], classes: tuple[str, ...]) -> Scores:
    """What may stand at each position: the steps of its segment together, over its class."""
    sums = np.zeros((len(steps) + 1, len(ALPHABET)))
    np.cumsum(np.exp(steps[:, :BLANK]), axis=0, dtype=np.float64, out=sums[1:])
    first, last = np.array(segments).T
    chances = (sums[last + 1] - sums[first] + 1e-9) * _allowed(classes)
    shares = chances / chances.sum(1, keepdims=True)
    return np.where(_allowed(classes), np.log(np.maximum(shares, 1e-300)), _IMPOSSIBLE).astype(np.float32)


@cache
def _allowed(classes: tuple[str, ...]) -> NDArray[np.bool_]:
    """Position × alphabet: which characters may stand where."""
    return np.array([[character in allowed for character in ALPHABET] for allowed in classes])


# ── the whole zone ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class DecodedZone:
    """The lines of a zone, repaired by its check digits where they allow one repair only."""

    lines: tuple[str, ...]
    valid: bool
    repaired_fields: tuple[str, ...]
    """Fields that differ from the likeliest reading because the check digits prove it."""
    cost: float
    """Nats given up for the repair."""


def unrepaired(lines: Sequence[Scores]) -> DecodedZone:
    """The likeliest reading as it is, although its check digits are wrong."""
    return DecodedZone(tuple("".join(ALPHABET[index] for index in line.argmax(1)) for line in lines), False, (), 0.0)


def decode_zone(layout: Layout, lines: Sequence[Scores]) -> DecodedZone:
    """The likeliest reading; or the likeliest valid one when it is near, and no other valid one is as near."""
    seen = tuple("".join(ALPHABET[index] for index in line.argmax(1)) for line in lines)
    checks = verify(layout, seen)
    if all(checks.values()):
        return DecodedZone(seen, True, (), 0.0)
    found = sorted(_valid_readings(layout, lines, seen, checks), key=lambda pair: pair[0])
    if not found or found[0][0] > DEAREST_REPAIR or (len(found) > 1 and found[1][0] - found[0][0] < MARGIN):
        return DecodedZone(seen, False, (), 0.0)
    cost, best = found[0]
    return DecodedZone(best, True, _changed_fields(layout, seen, best), cost)


def _valid_readings(
    layout: Layout, lines: Sequence[Scores], seen: tuple[str, ...], checks: dict[str, bool]
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Readings near the likeliest one in which every check digit is right, with what each costs."""
    parts: list[list[tuple[float, dict[Place, str]]]] = []
    covered: set[Place] = set()
    for check in layout.checks:
        if check.name == "composite":
            continue
        places = _places(layout, check, seen)
        covered.update(places)
        parts.append(list(_near(layout, lines, seen, places, check)))
    composite = next((check for check in layout.checks if check.name == "composite"), None)
    if composite is not None:
        loose = [place for place in (*composite.covers, composite.digit) if place not in covered]
        parts.append(list(_near(layout, lines, seen, loose, None)))
    for cost, changes in _combine(parts):
        candidate = _with(seen, changes)
        if all(verify(layout, candidate).values()):
            yield cost, candidate


def _places(layout: Layout, check: Check, seen: Sequence[str]) -> list[Place]:
    places = [*check.covers, check.digit]
    if (
        check.name == "document_number"
        and "optional" in layout.fields
        and seen[check.digit[0]][check.digit[1]] == FILLER
    ):
        places += layout.fields["optional"]
    return places


def _near(
    layout: Layout, lines: Sequence[Scores], seen: tuple[str, ...], places: Sequence[Place], check: Check | None
) -> Iterator[tuple[float, dict[Place, str]]]:
    """Cheapest changes at these places after which their own check digit is right (any, when they have none)."""
    swaps: list[tuple[float, Place, str]] = []
    for line, column in places:
        scores = lines[line][column]
        top = scores.max()
        swaps += [
            (float(top - scores[index]), (line, column), ALPHABET[index])
            for index in np.flatnonzero(top - scores < DEAREST_CHARACTER)
            if ALPHABET[index] != seen[line][column]
        ]
    swaps.sort()
    found = 0
    for tried, (cost, chosen) in enumerate(_subsets([swap[0] for swap in swaps])):
        if tried > _TRIED_PER_FIELD or found >= _PER_FIELD or cost > DEAREST_REPAIR:
            return
        changes = {swaps[index][1]: swaps[index][2] for index in chosen}
        if len(changes) < len(chosen):
            continue
        if check is None or is_right(layout, _with(seen, changes), check):
            found += 1
            yield cost, changes


def _subsets(costs: Sequence[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Sets of at most three of the swaps, the cheapest first (`costs` rise)."""
    yield 0.0, ()
    heap: list[tuple[float, tuple[int, ...]]] = [(costs[0], (0,))] if costs else []
    while heap:
        cost, chosen = heapq.heappop(heap)
        yield cost, chosen
        last = chosen[-1]
        if last + 1 < len(costs):
            heapq.heappush(heap, (cost - costs[last] + costs[last + 1], (*chosen[:-1], last + 1)))
            if len(chosen) < 3:
                heapq.heappush(heap, (cost + costs[last + 1], (*chosen, last + 1)))


def _combine(parts: Sequence[list[tuple[float, dict[Place, str]]]]) -> Iterator[tuple[float, dict[Place, str]]]:
    """One choice per part, all combinations that are cheap enough."""
    combined: list[tuple[float, dict[Place, str]]] = [(0.0, {})]
    for part in parts:
        combined = [
            (cost + more, {**changes, **extra})
            for cost, changes in combined
            for more, extra in part
            if cost + more <= DEAREST_REPAIR
        ]
        combined = heapq.nsmallest(2000, combined, key=lambda pair: pair[0])
    yield from combined


def _with(lines: tuple[str, ...], changes: dict[Place, str]) -> tuple[str, ...]:
    grid = [list(line) for line in lines]
    for (line, column), character in changes.items():
        grid[line][column] = character
    return tuple("".join(line) for line in grid)


def _changed_fields(layout: Layout, before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Fields in which a character differs; a changed check digit counts for the field it protects."""
    digits = {check.digit: check.name for check in layout.checks}
    owners = {place: name for name, places in layout.fields.items() for place in places} | digits
    changed = (
        owners.get((line, column), "composite")
        for line, text in enumerate(after)
        for column, character in enumerate(text)
        if before[line][column] != character
    )
    return tuple(dict.fromkeys(changed))
