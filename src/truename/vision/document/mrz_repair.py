"""Repairs a misread character only where the check digits prove it, and in exactly one way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from truename.vision.document.mrz import LAYOUTS, Check, Layout, Place, possible_formats, verify

_ALIKE = ("0OQD", "1IL", "2Z", "5S", "6G", "8B", "4A", "7T", "CG", "UV", "MN", "<K", "<C", "EF", "PR", "VY")
_SUBSTITUTES = {
    character: "".join(
        dict.fromkeys(other for group in _ALIKE if character in group for other in group if other != character)
    )
    for character in {character for group in _ALIKE for character in group}
}
_MOST_CHANGES = 2


@dataclass(frozen=True)
class Repair:
    """Lines whose check digits are all right, and the fields in which characters were changed."""

    lines: tuple[str, ...]
    fields: tuple[str, ...]


def repair(lines: Sequence[str]) -> Repair | None:
    """The one way to make every check digit right by swapping look-alikes; None when there is none or several.

    Only fields whose own check digit fails are touched; when the composite alone fails, only what no other
    check digit protects. Lines that are already right come back unchanged.
    """
    for chosen in possible_formats(lines):
        layout = LAYOUTS[chosen]
        failing = [name for name, right in verify(layout, lines).items() if not right]
        if not failing:
            return Repair(tuple(lines), ())
        found = _only_one(_repairs(layout, tuple(lines), failing))
        if found:
            return Repair(found, _changed_fields(layout, lines, found))
    return None


def _repairs(layout: Layout, lines: tuple[str, ...], failing: list[str]) -> Iterator[tuple[str, ...]]:
    """Every candidate that makes all check digits right, with the fewest changes each failing field allows."""
    own = [check for check in layout.checks if check.name in failing and check.name != "composite"]
    if own:
        ways = [_mend(layout, lines, check) for check in own]
        for combination in product(*ways):
            candidate = _apply(lines, [change for changes in combination for change in changes])
            if all(verify(layout, candidate).values()):
                yield candidate
        return
    composite = next((check for check in layout.checks if check.name == "composite"), None)
    if composite is None:
        return
    protected = {place for check in layout.checks if check is not composite for place in (*check.covers, check.digit)}
    loose = [place for place in composite.covers if place not in protected]
    for place in (*loose, composite.digit):
        for other in _alternatives(layout, lines, place):
            candidate = _apply(lines, [(place, other)])
            if all(verify(layout, candidate).values()):
                yield candidate


def _mend(layout: Layout, lines: tuple[str, ...], check: Check) -> list[list[tuple[Place, str]]]:
    """The smallest sets of swaps inside one field (and its digit) after which its own check digit is right."""
    places = [place for place in (*check.covers, check.digit) if _alternatives(layout, lines, place)]
    for count in range(1, _MOST_CHANGES + 1):
        found = []
        for chosen in combinations(places, count):
            for swaps in product(*(_alternatives(layout, lines, place) for place in chosen)):
                changes = list(zip(chosen, swaps, strict=True))
                if verify(layout, _apply(lines, changes))[check.name]:
                    found.append(changes)
        if found:
            return found
    return []


def _alternatives(layout: Layout, lines: Sequence[str], place: Place) -> str:
    """Look-alikes of the character at a place that the format allows there; a letter where digits belong counts as misread."""
    allowed = layout.classes[place[0]][place[1]]
    return "".join(other for other in _SUBSTITUTES.get(lines[place[0]][place[1]], "") if other in allowed)


def _apply(lines: tuple[str, ...], changes: list[tuple[Place, str]]) -> tuple[str, ...]:
    grid = [list(line) for line in lines]
    for (line, column), character in changes:
        grid[line][column] = character
    return tuple("".join(line) for line in grid)


def _only_one(candidates: Iterator[tuple[str, ...]]) -> tuple[str, ...] | None:
    found = None
    for candidate in candidates:
        if found is not None and candidate != found:
            return None
        found = candidate
    return found


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


changed_fields = _changed_fields
