"""The parts of a dossier in the words and the order of the page."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from truename.dashboard.case.film import step_words
from truename.dashboard.case.model import Comparison, FieldMark, Picture, ShownField
from truename.dashboard.documents import country
from truename.rules.config import DataMatching
from truename.rules.dossier import Dossier
from truename.rules.evidence import DeviceEvidence, DocumentEvidence, DocumentField, FacePair, FieldName, Source
from truename.rules.strangers import in_strangers

LABELS: Final[Mapping[FieldName, str]] = {
    FieldName.SURNAMES: "Surnames",
    FieldName.GIVEN_NAMES: "Given names",
    FieldName.DATE_OF_BIRTH: "Born",
    FieldName.GENDER: "Gender",
    FieldName.NATIONALITY: "Nationality",
    FieldName.DOCUMENT_NUMBER: "Document number",
    FieldName.PERSONAL_NUMBER: "Personal number",
    FieldName.DATE_OF_ISSUE: "Issued",
    FieldName.DATE_OF_EXPIRY: "Expires",
    FieldName.PLACE_OF_BIRTH: "Place of birth",
    FieldName.ADDRESS: "Address",
    FieldName.ISSUING_AUTHORITY: "Authority",
}
SOURCES: Final = {Source.MRZ: "zone", Source.BARCODE: "barcode", Source.VISUAL: "print"}
TITLES: Final = {
    "DOCUMENT_FRONT": "Front, as photographed",
    "DOCUMENT_BACK": "Back, as photographed",
    "DOCUMENT_FRONT_RECTIFIED": "Front, laid flat",
    "DOCUMENT_PORTRAIT": "Face on the document",
    "LIVENESS_FACE": "Live face",
    "LIVENESS_FRAME": "Frame",
    "REFERENCE_IMAGE": "Reference face",
}
PAIRS: Final = {
    FacePair.DOCUMENT_AND_LIVENESS: "Document and live face",
    FacePair.LIVENESS_AND_REFERENCE: "Live face and reference",
    FacePair.DOCUMENT_AND_REFERENCE: "Document and reference",
}
ZONE_FIELDS: Final = {
    FieldName.DOCUMENT_NUMBER: "document_number",
    FieldName.DATE_OF_BIRTH: "date_of_birth",
    FieldName.DATE_OF_EXPIRY: "date_of_expiry",
    FieldName.PERSONAL_NUMBER: "personal_number",
}


def fields_of(dossier: Dossier) -> list[ShownField]:
    """Every value that was read, in the order in which a person looks."""
    document = dossier.evidence.document
    if document is None:
        return []
    matching = dossier.config.document_policy.data_matching or DataMatching()
    expected = {
        FieldName.GIVEN_NAMES: matching.given_names.value if matching.given_names else None,
        FieldName.SURNAMES: matching.surnames.value if matching.surnames else None,
        FieldName.DOCUMENT_NUMBER: matching.document_number,
        FieldName.DATE_OF_BIRTH: matching.date_of_birth.isoformat() if matching.date_of_birth else None,
        FieldName.GENDER: matching.gender.value if matching.gender else None,
    }
    return [
        ShownField(
            name=name,
            label=label,
            value=country(field.value) if name is FieldName.NATIONALITY else field.value,
            source=SOURCES[field.source],
            certainty=certainty(document, name, field),
            others=tuple(f"{one.value} ({SOURCES[one.source]})" for one in field.others),
            expected=expected.get(name),
        )
        for name, label in LABELS.items()
        if (field := document.fields.get(name)) is not None
    ]


MARKS: Final = {"proved": "solid", "agreed": "solid", "read once": "once", "repaired": "repaired", "doubted": "doubted"}


def marks_of(dossier: Dossier) -> list[FieldMark]:
    """Where each value of the front stands on the page laid flat; none for what was stored before places were."""
    document = dossier.evidence.document
    if document is None or document.front is None:
        return []
    return [
        FieldMark(name.value, f"{LABELS[name]}: {field.value}", MARKS[certainty(document, name, field)], outline)
        for name, outlines in document.front.places.items()
        if (field := document.fields.get(name)) is not None
        for outline in outlines
    ]


def certainty(document: DocumentEvidence, name: FieldName, field: DocumentField) -> str:
    """How far a value can be trusted, in one word."""
    if field.repaired:
        return "repaired"
    if field.others or document.check_digit_fails(name):
        return "doubted"
    digits = document.mrz.check_digits if document.mrz else {}
    if field.source is Source.MRZ and digits.get(ZONE_FIELDS.get(name, ""), False):
        return "proved"
    return "agreed" if field.confidence >= 0.95 else "read once"


def comparisons_of(dossier: Dossier, faces: Mapping[str, Picture | None]) -> list[Comparison]:
    """The comparisons that were called for, each with its two pictures as far as they are kept."""
    policy = dossier.config.biometric_policy
    sides = {
        FacePair.DOCUMENT_AND_LIVENESS: ("document", "live"),
        FacePair.LIVENESS_AND_REFERENCE: ("live", "reference"),
        FacePair.DOCUMENT_AND_REFERENCE: ("document", "reference"),
    }
    shown = []
    for pair, (left, right) in sides.items():
        found = dossier.evidence.face_similarity.get(pair)
        if found is None:
            continue
        needed = policy.face_comparison_min_score
        score = found.score
        words = in_strangers(score) if score is not None else f"not compared: {_reason(found.reason)}"
        passed = None if score is None else score >= needed
        shown.append(Comparison(pair, PAIRS[pair], faces[left], faces[right], score, needed, passed, words))
    return shown


def _reason(reason: str | None) -> str:
    words = {
        "NO_FACE": "a face is missing on one side",
        "OTHER_FACE_MODEL": "the stored face was made by another model",
    }
    return words.get(reason or "", (reason or "unknown").replace("_", " ").lower())


FACTS: Final = (
    ("compromised", "Rooted, jailbroken or debugged"),
    ("developer_mode", "Developer mode"),
    ("emulator", "Emulator"),
    ("vpn_or_proxy", "VPN, proxy or Tor"),
    ("mock_location", "Simulated location"),
)


def device_of(device: DeviceEvidence) -> list[tuple[str, str]]:
    """Device and place, each fact with what is known of it; unknown is said, never left out."""
    said = {True: "yes", False: "no", None: "unknown"}
    shown = [(label, said[getattr(device, name)]) for name, label in FACTS]
    gps, ip = device.gps_country, device.ip_country
    shown.append(("Position by GPS", country(gps) if gps else "unknown: no location was given"))
    shown.append(("Address of the connection", country(ip) if ip else "unknown"))
    if gps and ip:
        shown.append(("Together", "both in the same country" if gps == ip else "in different countries"))
    shown += [(_label(name), str(value)) for name, value in sorted(device.details.items()) if value is not None]
    return shown


def _label(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def picture_of(row: Mapping[str, object], kind: str | None = None) -> Picture:
    """A row of `media`."""
    name = kind or str(row["kind"])
    width, height = row.get("width"), row.get("height")
    return Picture(
        UUID(str(row["media_id"])),
        name,
        TITLES.get(name, name.replace("_", " ").capitalize()),
        width if isinstance(width, int) else 0,
        height if isinstance(height, int) else 0,
        bool(row.get("redacted")),
    )


def steps_in_words(challenge: Sequence[str]) -> str:
    """The challenge as one line."""
    return " → ".join(step_words(step) for step in challenge) or "none"
