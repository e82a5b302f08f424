"""A zone repaired by its check digits: over all lines, the best reading in which they are right.

Only where it is close enough to what was seen, and no other valid reading is as close.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truename.vision.document.mrz.decode import Scores
from truename.vision.document.mrz.layouts import ALPHABET, FILLER, Check, Layout, Place, is_right, verify

DEAREST_CHARACTER = 7.0
"""A character is never changed when the recogniser was surer than this many nats that it is what it is."""
DEAREST_REPAIR = 9.0
MARGIN = 2.0
"""The best valid reading must beat every other valid one by so many nats, or nothing is proven."""
_PER_FIELD = 24
_TRIED_PER_FIELD = 3000


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
