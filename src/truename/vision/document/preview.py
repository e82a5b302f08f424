"""A preview of one uploaded side: is it usable, what may it be, is the back needed too?

Used while the person still holds the phone, so only the title lines are read and nothing is decided.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from truename.rules import documents
from truename.rules.evidence import DocumentType, Quality, QualityReason
from truename.vision.captures import Picture, Side
from truename.vision.document import classify
from truename.vision.document.page.locate import Page, find_page
from truename.vision.document.page.portrait import find_portrait
from truename.vision.document.page.quality import measure_quality
from truename.vision.document.page.sheet import is_card_shaped
from truename.vision.document.print.read import Quad, TextLine, crop_line, detect_lines, recognise

TITLES_READ: Final = 10
LOOKING_SIDE: Final = 800
HINTS: Final = frozenset({QualityReason.SCREEN, QualityReason.PHOTOCOPY})
"""Said, but no reason to ask for another photo: the judgement weighs them."""


@dataclass(frozen=True)
class DocumentPreview:
    """What a glance says; guesses are guesses and never reach the evidence."""

    usable: bool
    reasons: tuple[QualityReason, ...]
    quad: tuple[tuple[float, float], ...]
    """The document's corners as fractions of the picture's width and height, clockwise from its own top left."""
    type_guess: DocumentType | None
    country_guess: str | None
    back_needed: bool
    quality: Quality


def preview_document(picture: Picture, side: Side = Side.FRONT) -> DocumentPreview:
    """What a glance at one decoded side says; a picture without a document is said so, never refused."""
    page = find_page(picture)
    quality = measure_quality(picture, page, expects_colour=side is Side.FRONT)
    if page is None:
        return DocumentPreview(False, quality.reasons, (), None, None, False, quality)
    quads = detect_lines(page.picture, LOOKING_SIDE)
    zone = _looks_like_zone(quads, page)
    guess = classify.from_print(_titles(page, quads)) if side is Side.FRONT else classify.Classified()
    reasons = list(quality.reasons)
    has_face = find_portrait(page.picture, persistent=side is Side.FRONT) is not None
    if not quads and not has_face:
        reasons.append(QualityReason.NO_DOCUMENT)
    elif _is_other_side(side, has_face, zone) and (side is Side.FRONT or _has_title(page, quads)):
        reasons.append(QualityReason.WRONG_SIDE)
    return DocumentPreview(
        usable=not set(reasons) - HINTS,
        reasons=tuple(reasons),
        quad=fractions(page, picture),
        type_guess=guess.type,
        country_guess=guess.country,
        back_needed=side is Side.FRONT and _back_needed(guess, zone, page),
        quality=quality,
    )


def _is_other_side(side: Side, has_face: bool, zone: bool) -> bool:
    """A zone without a face is a back; a face without a zone is a front."""
    return zone and not has_face if side is Side.FRONT else has_face and not zone


def fractions(page: Page, picture: Picture) -> tuple[tuple[float, float], ...]:
    """The page's corners as fractions of the picture's sides."""
    size = np.array([picture.shape[1], picture.shape[0]], np.float32)
    return tuple((round(float(x), 4), round(float(y), 4)) for x, y in page.located.quad / size)


def _titles(page: Page, quads: list[Quad]) -> list[TextLine]:
    """The largest lines of the upper part, where documents say what they are."""
    upper = sorted(quads, key=lambda quad: float(quad[:, 1].mean()))[: max(TITLES_READ, len(quads) // 2)]
    chosen = sorted(upper, key=_height, reverse=True)[:TITLES_READ]
    words = recognise([crop_line(page.picture, quad) for quad in chosen])
    return [TextLine(word.text, word.confidence, quad) for word, quad in zip(words, chosen, strict=True) if word.text]


def _has_title(page: Page, quads: list[Quad]) -> bool:
    return classify.from_print(_titles(page, quads)).type is not None


def _looks_like_zone(quads: list[Quad], page: Page) -> bool:
    """Two or more very long lines, one below the other, in the lower part of the page."""
    height, width = page.picture.shape[:2]
    long = [quad for quad in quads if _length(quad) > 0.62 * width and _length(quad) > 11 * _height(quad)]
    return len([quad for quad in long if float(quad[:, 1].mean()) > 0.45 * height]) >= 2


def _back_needed(guess: classify.Classified, zone: bool, page: Page) -> bool:
    if zone or guess.type is DocumentType.PASSPORT:
        return False
    if guess.country and guess.type and documents.is_supported(guess.country, guess.type):
        return documents.needs_back(guess.country, guess.type)
    # A card without a zone on this side bears it, or its barcode, on the other.
    return is_card_shaped(page.picture)


def _height(quad: Quad) -> float:
    return float(np.linalg.norm(quad[3] - quad[0]))


def _length(quad: Quad) -> float:
    return float(np.linalg.norm(quad[1] - quad[0]))
