"""From a recogniser's scores to MRZ text: the best line of a fixed length whose every character is allowed its place.

Then, over all lines, the best reading whose check digits are right, when it is close enough to what was seen.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truename.vision.document.mrz.layouts import ALPHABET, FILLER, Check, Layout, Place, is_right, verify

Scores = NDArray[np.float32]
BLANK = len(ALPHABET)
INDEX = {character: index for index, character in enumerate(ALPHABET)}
_IMPOSSIBLE = np.float32(-1e9)

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
    length, count = len(classes), len(steps)
    if count < length:
        return None
    best, named = _emissions(steps, classes)
    blanks = steps[:, BLANK]
    in_character = np.full(length, _IMPOSSIBLE, np.float32)
    after_blank = np.full(length + 1, _IMPOSSIBLE, np.float32)
    after_blank[0] = 0
    from_where = np.zeros((count, length), np.intp)
    blank_from_character = np.zeros((count, length + 1), bool)
    before = np.concatenate((np.full((1, length), -1, named.dtype), named[:-1]))
    stays, moves = named == before, named[:, 1:] != before[:, :-1]
    options = np.full((3, length), _IMPOSSIBLE, np.float32)
    for step in range(count):
        options[0] = np.where(stays[step], in_character, _IMPOSSIBLE)
        options[1] = after_blank[:length]
        options[2, 1:] = np.where(moves[step], in_character[:-1], _IMPOSSIBLE)
        options.argmax(0, out=from_where[step])
        np.greater(in_character, after_blank[1:], out=blank_from_character[step, 1:])
        np.maximum(after_blank[1:], in_character, out=after_blank[1:])
        after_blank += blanks[step]
        in_character = options.max(0)
        in_character += best[step]
    segments, total = _trace(in_character, after_blank, from_where, blank_from_character)
    if total <= _IMPOSSIBLE / 2:
        return None
    characters = _characters(steps, segments, classes)
    text = "".join(ALPHABET[index] for index in characters.argmax(1))
    middles = np.array([(first + last) / 2 for first, last in segments], np.float32)
    return DecodedLine(text, float(steps.max(1).sum() - total), characters, middles)


def _emissions(steps: Scores, classes: Sequence[str]) -> tuple[Scores, NDArray[np.int64]]:
    """For every step and position: the best allowed character and its score."""
    best = np.empty((len(steps), len(classes)), np.float32)
    named = np.empty((len(steps), len(classes)), np.int64)
    for allowed in set(classes):
        places = [index for index, one in enumerate(classes) if one == allowed]
        letters = np.array([INDEX[character] for character in allowed])
        chosen = steps[:, letters].argmax(1)
        best[:, places] = steps[np.arange(len(steps)), letters[chosen]][:, None]
        named[:, places] = letters[chosen][:, None]
    return best, named


def _trace(
    in_character: Scores, after_blank: Scores, from_where: NDArray[np.intp], blank_from: NDArray[np.bool_]
) -> tuple[list[tuple[int, int]], float]:
    """First and last step of every character on the best path, and the path's score."""
    length = len(in_character)
    blank, place = bool(after_blank[length] >= in_character[length - 1]), length
    total = float(max(after_blank[length], in_character[length - 1]))
    segments = [(0, 0)] * length
    for step in range(len(from_where) - 1, -1, -1):
        if blank:
            blank = not blank_from[step, place]
            continue
        first = segments[place - 1]
        segments[place - 1] = (step, first[1] if first != (0, 0) else step)
        came = from_where[step, place - 1]
        if came == 1:
            blank, place = True, place - 1
        elif came == 2:
            place -= 1
    return segments, total


def _characters(steps: Scores, segments: Sequence[tuple[int, int]], classes: Sequence[str]) -> Scores:
    """What may stand at each position: the steps of its segment together, over its class."""
    found = np.full((len(segments), len(ALPHABET)), _IMPOSSIBLE, np.float32)
    for position, (first, last) in enumerate(segments):
        letters = [INDEX[character] for character in classes[position]]
        chances = np.exp(steps[first : last + 1, letters]).sum(0) + 1e-9
        found[position, letters] = np.log(chances / chances.sum())
    return found


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
