"""The captures with everything that was found drawn on them, on one sheet."""

from typing import Final

from PIL import Image, ImageDraw

from truename.cli.examine_cards import (
    ACCENT,
    BAD,
    CARD,
    DOUBT,
    GAP,
    GOOD,
    INK,
    LINE,
    MUTED,
    PAPER,
    Colour,
    fitting,
    font,
    new_card,
    rounded,
    stack,
    write,
)
from truename.rules.config import BiometricPolicy
from truename.rules.evidence import Evidence, FacePair, SideEvidence
from truename.rules.issues import Severity
from truename.rules.score_words import shown_score, shown_years
from truename.rules.verdict import Decision, Verdict
from truename.vision.captures import Captures, Decode, Examination
from truename.vision.decoding.header import ImageRefused
from truename.vision.decoding.pixels import decode as decode_here
from truename.vision.face.detect import detect_faces
from truename.vision.face.mesh import mesh

WIDTH: Final = 1680
MARGIN: Final = 40
LEFT: Final = 960
RIGHT: Final = WIDTH - 2 * MARGIN - GAP - LEFT
NEAR: Final = 0.7
"""From this part of its threshold on, a score that is too low is drawn as doubtful."""
SEVERITY_COLOUR: Final = {Severity.REJECTION: BAD, Severity.WARNING: DOUBT, Severity.INFORMATIONAL: MUTED}


def draw(
    captures: Captures, examination: Examination, verdict: Verdict, policy: BiometricPolicy, decode: Decode
) -> Image.Image:
    """One sheet: pictures on the left, faces, fields and findings on the right, the decision on top."""
    evidence = examination.evidence
    left = _documents(captures, evidence, decode)
    right = [
        card
        for card in (_faces(examination, policy), _scores(evidence, policy), _fields(evidence), _findings(verdict))
        if card is not None
    ]
    if not left:  # a selfie alone: its faces take the large column
        left, right = right[:1], right[1:]
    columns = [stack(left), stack(right)]
    head = _head(verdict, evidence)
    height = head.height + 2 * MARGIN + GAP + max(column.height for column in columns)
    sheet = Image.new("RGB", (WIDTH, height), PAPER)
    sheet.paste(head, (MARGIN, MARGIN))
    top = MARGIN + head.height + GAP
    sheet.paste(columns[0], (MARGIN, top))
    sheet.paste(columns[1], (MARGIN + LEFT + GAP, top))
    return sheet


# ── building blocks ────────────────────────────────────────────────────────────────────────────────────────


def _score_colour(score: float | None, threshold: float) -> Colour:
    return MUTED if score is None else GOOD if score >= threshold else DOUBT if score >= NEAR * threshold else BAD


# ── cards ──────────────────────────────────────────────────────────────────────────────────────────────────


def _head(verdict: Verdict, evidence: Evidence) -> Image.Image:
    head = Image.new("RGB", (WIDTH - 2 * MARGIN, 84), PAPER)
    pen = ImageDraw.Draw(head)
    write(pen, (0, 4), "Truename", 46)
    names = ", ".join(model.name for model in evidence.engine)
    write(pen, (2, 60), fitting(pen, f"seen with {names}", 18, head.width - 420), 18, MUTED)
    colour = GOOD if verdict.decision is Decision.APPROVED else BAD
    width = pen.textlength(verdict.decision.value, font=font(34)) + 72
    pen.rounded_rectangle((head.width - width, 4, head.width - 1, 74), 35, fill=colour)
    write(pen, (head.width - width + 36, 18), verdict.decision.value, 34, CARD)
    return head


def _documents(captures: Captures, evidence: Evidence, decode: Decode) -> list[Image.Image]:
    if evidence.document is None:
        return []
    sides = [
        ("document, front", captures.document_front, evidence.document.front),
        ("document, back", captures.document_back, evidence.document.back),
    ]
    return [_side(title, data, seen, decode) for title, data, seen in sides if data is not None]


def _side(title: str, data: bytes, seen: SideEvidence | None, decode: Decode) -> Image.Image:
    try:
        picture = Image.fromarray(decode(data))
    except ImageRefused as refusal:
        card, pen = new_card(LEFT, 120, title)
        write(pen, (24, 60), refusal.sentence, 22, BAD)
        return card
    inner = LEFT - 48
    scale = min(inner / picture.width, 760 / picture.height)
    small = picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.Resampling.LANCZOS)
    if seen and len(seen.quad) == 4:
        _outline(small, [(x * small.width, y * small.height) for x, y in seen.quad])
    card, pen = new_card(LEFT, small.height + 116, title)
    card.paste(rounded(small), (24 + (inner - small.width) // 2, 54))
    reasons = [reason.value for reason in seen.quality.reasons] if seen else []
    words = f"{picture.width} x {picture.height}   " + (", ".join(reasons) if reasons else "good picture")
    write(pen, (24, small.height + 72), words, 20, DOUBT if reasons else GOOD)
    return card


def _outline(picture: Image.Image, quad: list[tuple[float, float]]) -> None:
    """Dim what lies outside the document, and draw its edge."""
    mask = Image.new("L", picture.size, 110)
    ImageDraw.Draw(mask).polygon(quad, fill=0)
    picture.paste(Image.new("RGB", picture.size, (10, 12, 20)), (0, 0), mask)
    pen = ImageDraw.Draw(picture)
    pen.line([*quad, quad[0]], fill=ACCENT, width=5, joint="curve")
    for x, y in quad:
        pen.ellipse((x - 9, y - 9, x + 9, y + 9), fill=CARD, outline=ACCENT, width=4)


def _faces(examination: Examination, policy: BiometricPolicy) -> Image.Image | None:
    """Portrait and live face side by side, with the score that joins them."""
    shown = [
        (words, _face(data))
        for words, data in (
            ("portrait on the document", examination.portrait),
            ("live face", examination.liveness_face),
        )
        if data is not None
    ]
    if not shown:
        return None
    card, pen = new_card(RIGHT, 392, "faces")
    side = 270
    room = RIGHT - 48
    places = [24, RIGHT - 24 - side] if len(shown) == 2 else [24 + (room - side) // 2]
    for (words, picture), left in zip(shown, places, strict=True):
        card.paste(rounded(picture.resize((side, side), Image.Resampling.LANCZOS)), (left, 54))
        write(pen, (left, 54 + side + 12), words, 18, MUTED)
    compared = examination.evidence.face_similarity.get(FacePair.DOCUMENT_AND_LIVENESS)
    if compared and len(shown) == 2:
        middle, colour = RIGHT / 2, _score_colour(compared.score, policy.face_comparison_min_score)
        words = "?" if compared.score is None else shown_score(compared.score, policy.face_comparison_min_score)
        length = pen.textlength(words, font=font(26))
        pen.rounded_rectangle((middle - 46, 160, middle + 46, 214), 27, fill=colour)
        write(pen, (middle - length / 2, 171), words, 26, CARD)
    return card


def _face(data: bytes) -> Image.Image:
    """A square around the face, with its mesh."""
    picture = decode_here(data)
    faces = detect_faces(picture)
    image = Image.fromarray(picture)
    if not faces:
        side = min(image.size)
        return image.crop((0, 0, side, side))
    left, top, width, height = faces[0].box
    half = 0.85 * max(width, height)
    x, y = left + width / 2, top + height / 2
    scale = 540 / (2 * half)
    face = image.transform(
        (540, 540),
        Image.Transform.AFFINE,
        (1 / scale, 0, x - half, 0, 1 / scale, y - half),
        Image.Resampling.BICUBIC,
        fillcolor=LINE,
    )
    pen = ImageDraw.Draw(face)
    for px, py, _ in mesh(picture, faces[0]).points:
        cx, cy = (px - x + half) * scale, (py - y + half) * scale
        pen.ellipse((cx - 1.6, cy - 1.6, cx + 1.6, cy + 1.6), fill=(120, 255, 214))
    for px, py in faces[0].points:
        cx, cy = (px - x + half) * scale, (py - y + half) * scale
        pen.ellipse((cx - 6, cy - 6, cx + 6, cy + 6), outline=CARD, fill=ACCENT, width=2)
    return face


def _scores(evidence: Evidence, policy: BiometricPolicy) -> Image.Image | None:
    rows: list[tuple[str, float | None, float, str]] = []
    liveness, alike = policy.liveness_min_score, policy.face_comparison_min_score
    if evidence.liveness is not None:
        live = evidence.liveness
        note = ", ".join(filter(None, [live.reason or "", *live.signs]))
        rows.append(("liveness", live.score, liveness, note))
        if live.challenge_score is not None:
            rows.append(("challenge", live.challenge_score, liveness, ""))
        if live.passive_score is not None:
            rows.append(("passive", live.passive_score, liveness, ""))
    for pair, compared in evidence.face_similarity.items():
        rows.append((pair.value.replace("_AND_", " and ").lower(), compared.score, alike, compared.reason or ""))
    if not rows:
        return None
    card, pen = new_card(RIGHT, 66 + 54 * len(rows) + (40 if evidence.selfie else 0), "scores")
    for number, (words, score, threshold, note) in enumerate(rows):
        top = 56 + 54 * number
        write(pen, (24, top), words, 20)
        said = "not known" if score is None else shown_score(score, threshold)
        width = pen.textlength(said, font=font(20))
        write(pen, (RIGHT - 24 - width, top), said, 20, _score_colour(score, threshold))
        write(pen, (300, top + 2), fitting(pen, note, 16, RIGHT - 330 - width), 16, DOUBT)
        pen.rounded_rectangle((24, top + 30, RIGHT - 24, top + 38), 4, fill=LINE)
        if score:
            pen.rounded_rectangle(
                (24, top + 30, 24 + (RIGHT - 48) * score, top + 38), 4, fill=_score_colour(score, threshold)
            )
        tick = 24 + (RIGHT - 48) * threshold
        pen.line((tick, top + 26, tick, top + 42), fill=INK, width=2)
    if evidence.selfie:
        seen = evidence.selfie
        gender = seen.gender.value.lower() if seen.gender else "gender not sure"
        words = f"looks {shown_years(seen.age)} ± {seen.age_margin:.0f} years, {gender} (estimates)"
        write(pen, (24, card.height - 44), words, 20, MUTED)
    return card


def _fields(evidence: Evidence) -> Image.Image | None:
    document = evidence.document
    if document is None:
        return None
    what = " ".join(filter(None, [document.country or document.issuer_code, document.type and document.type.value]))
    lines = document.mrz.lines if document.mrz else ()
    height = 104 + 36 * len(document.fields) + (26 * len(lines) + 24 if lines else 0)
    card, pen = new_card(RIGHT, height, "document")
    title = what.replace("_", " ") if what else f"not recognised: {document.reason}"
    write(pen, (24, 48), title, 26, INK if what else BAD)
    for number, (name, field) in enumerate(document.fields.items()):
        top = 92 + 36 * number
        write(pen, (24, top), name.value.replace("_", " "), 18, MUTED)
        source = f"{field.source.value} {field.confidence:.2f}"
        width = pen.textlength(source, font=font(15))
        write(pen, (RIGHT - 24 - width, top + 3), source, 15, DOUBT if field.others or field.repaired else MUTED)
        write(pen, (220, top), fitting(pen, field.value, 20, RIGHT - 260 - width), 20)
    top = 100 + 36 * len(document.fields)
    for number, line in enumerate(lines):
        colour = GOOD if document.mrz and document.mrz.valid else BAD
        _spaced(pen, (24, top + 26 * number), line, 17, (RIGHT - 48) / max(len(line), 1), colour)
    return card


def _spaced(
    pen: ImageDraw.ImageDraw, at: tuple[float, float], line: str, size: int, step: float, colour: Colour
) -> None:
    """Write in equal steps, as a machine-readable zone is printed."""
    for number, letter in enumerate(line):
        pen.text((at[0] + step * number, at[1]), letter, font=font(size), fill=colour)


def _findings(verdict: Verdict) -> Image.Image:
    rows = verdict.issues
    card, pen = new_card(RIGHT, 62 + max(36 * len(rows), 40), "issues")
    if not rows:
        write(pen, (24, 54), "none", 20, GOOD)
    for number, issue in enumerate(rows):
        top = 54 + 36 * number
        colour = SEVERITY_COLOUR[issue.severity]
        pen.ellipse((24, top + 6, 36, top + 18), fill=colour)
        width = write(pen, (48, top), issue.code.name, 18, colour)
        details = ", ".join(f"{name} {value}" for name, value in issue.details.items())
        write(pen, (62 + width, top + 2), fitting(pen, details, 15, RIGHT - 86 - width), 15, MUTED)
    return card
