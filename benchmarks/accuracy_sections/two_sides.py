"""Both sides of one document, and sides of two: whether the sign tells them, and whose portrait is taken.

Drawn, because there are no photographs of both sides of real cards here. Nothing is chosen: the sign counts values, and
none at all is its limit by meaning.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Final

from benchmarks.accuracy_rows import LeftOut, Row, share
from benchmarks.layouts import TODAY, somebody
from benchmarks.worse_photographs import DISTURBANCES
from truename.rules.authenticity_signs import LIMITS, AuthenticitySign, speaking
from truename.rules.evidence import DocumentEvidence
from truename.sandbox.drawing.from_layout import can_draw, draw, size_of
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.sheet import Sheet
from truename.sandbox.drawing.subjects import Issue, SyntheticDocument
from truename.vision.captures import Picture, Side
from truename.vision.decoding.pixels import decode
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import DocumentLayout
from truename.vision.document.read import read_document
from truename.vision.images import encode_jpeg

SIGN: Final = AuthenticitySign.SIDES_DO_NOT_MATCH
OWN, OTHERS = 61000, 72007
"""Seeds of the people on them. Those of 4100 and 5200 were looked at while the sign was made, and are used no more."""
MIXED: Final = 16
"""So many pairs of each kind that are of two documents."""
PLACE: Final = (60, 120, 340, 500)
"""Where a bare portrait stands, in pixels."""

Cards = list[tuple[str, DocumentLayout]]


@dataclass(frozen=True)
class Pair:
    """A front and a back, as somebody photographed them."""

    front: Picture
    back: Picture


def rows(section: str, left_out: LeftOut) -> Iterator[Row]:
    """Of one document: false alarms. Of two: how often it is told, and how often the portrait is taken."""
    cards = list(_with_a_back_that_is_read())
    yield from _of_one(section, "both sides of one drawn document", cards, _as_it_is, left_out)
    yield from _of_one(section, "both sides of one drawn document, photographed less well", cards, _less_well, left_out)
    for words, front_of in (
        ("own card before another's back of the same kind", _own_of_the_kind),
        ("own card before the back of another country's", _own_of_another_country),
        ("bare portrait before another's back", _bare_portrait),
    ):
        pairs = [_mixed(at, cards, front_of) for at in range(0, len(cards), max(1, len(cards) // MIXED))][:MIXED]
        found = [evidence for pair in pairs if (evidence := _read(words, pair, left_out)) is not None]
        yield share(section, f"{words}: {SIGN.value} speaks", sum(map(_speaks, found)), len(found))
        hits = sum(next(speaking(one.authenticity or {}), None) is not None for one in found)
        yield share(section, f"{words}: any counted sign speaks", hits, len(found), note="shipped limits")
        taken = sum(one.has_portrait for one in found)
        yield share(section, f"{words}: the portrait is taken for the document's", taken, len(found))


def _of_one(
    section: str,
    words: str,
    cards: Cards,
    change: Callable[[Pair, int], Pair],
    left_out: LeftOut,
) -> Iterator[Row]:
    found = []
    for at, (code, layout) in enumerate(cards):
        one = _drawn(code, layout, OWN + at)
        pair = change(_photographed(one.front, one.back, OWN + at), at)
        evidence = _read(f"{words}: {code} {layout.version}", pair, left_out)
        if evidence is not None and SIGN in (evidence.authenticity or {}):
            found.append(evidence)
    yield share(section, f"{SIGN.value}: false alarms, {words}", sum(map(_speaks, found)), len(found))
    lost = sum(not one.has_portrait for one in found)
    yield share(section, f"{words}: the portrait is not taken for the document's", lost, len(found))


def _with_a_back_that_is_read() -> Iterator[tuple[str, DocumentLayout]]:
    for code, country in sorted(countries().items()):
        for layout in filter(can_draw, country.documents):
            drawn = _drawn(code, layout, OWN)
            behind = layout.zone_side is Side.BACK if layout.zone else drawn.barcode is not None
            if behind and drawn.back is not None:
                yield code, layout


def _drawn(code: str, layout: DocumentLayout, seed: int) -> SyntheticDocument:
    ends = TODAY + timedelta(days=100 + 37 * seed % 3000)
    return draw(code, layout, somebody(layout, seed), seed=seed, issue=Issue(expires=ends))


def _photographed(front: Picture, back: Picture | None, seed: int) -> Pair:
    if back is None:
        raise ValueError("Only documents with two sides are compared.")
    return Pair(_photograph(front, seed), _photograph(back, seed + 1))


def _photograph(page: Picture, seed: int) -> Picture:
    return photograph(page, seed=seed, rotation=3, perspective=0.2, background="wood")[0]


def _as_it_is(pair: Pair, at: int) -> Pair:
    return pair


def _less_well(pair: Pair, at: int) -> Pair:
    names = sorted(DISTURBANCES)
    disturb, chance = DISTURBANCES[names[at % len(names)]], Random(f"two sides:{at}")
    return Pair(disturb(pair.front, chance), disturb(pair.back, chance))


def _mixed(at: int, cards: Cards, front_of: Callable[[int, Cards], Picture]) -> Pair:
    return _photographed(front_of(at, cards), _drawn(*cards[at], OTHERS + at).back, OTHERS + at)


def _own_of_the_kind(at: int, cards: Cards) -> Picture:
    return _drawn(*cards[at], OWN + 500 + at).front


def _own_of_another_country(at: int, cards: Cards) -> Picture:
    others = [card for card in cards if card[0] != cards[at][0]]
    return _drawn(*others[at % len(others)], OWN + 500 + at).front


def _bare_portrait(at: int, cards: Cards) -> Picture:
    page = Sheet(size_of(cards[at][1]), OWN + 500 + at)
    page.portrait(PLACE)
    return page.picture()


def _read(words: str, pair: Pair, left_out: LeftOut) -> DocumentEvidence | None:
    front, back = (decode(encode_jpeg(picture)) for picture in (pair.front, pair.back))
    return left_out.measured(words, lambda: read_document(front, back, TODAY).evidence)


def _speaks(found: DocumentEvidence) -> bool:
    measured = (found.authenticity or {}).get(SIGN)
    return measured is not None and LIMITS[SIGN].speaks(measured)
