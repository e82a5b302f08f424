"""From what a simulation says to the evidence that is judged: all that it leaves open fits the transaction's config.

So an empty simulation is approved under any config that a document can satisfy, and a scenario changes one thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from truename.rules import documents
from truename.rules.config import Config, DataMatching, DocumentEligibility, FilterMode, TransactionType
from truename.rules.documents import Expiry, SupportedDocument
from truename.rules.dossier import EarlierRecord
from truename.rules.evidence import (
    DeviceEvidence,
    DocumentEvidence,
    DocumentField,
    DocumentType,
    Evidence,
    FaceComparison,
    FacePair,
    FieldName,
    LivenessEvidence,
    MrzFormat,
    MrzReading,
    Quality,
    QualityReason,
    ReadValue,
    SelfieEstimate,
    SelfieGender,
    SideEvidence,
    Source,
)
from truename.sandbox.model import SimulatedDocument, SimulatedSearch, Simulation

USUAL: Final = ("ES", DocumentType.NATIONAL_ID)
GOOD: Final = 0.97
SURE, UNSURE = 0.98, 0.5
AGE_MARGIN: Final = 4.5
NOT_SEARCHED: Final = SimulatedSearch(repeated_face=None, internal_blocklist_match=None, global_blocklist_match=None)
BARCODES: Final = {"AR": "ARGENTINA_DNI", "CO": "COLOMBIA_CEDULA"}


@dataclass(frozen=True)
class Circumstances:
    """What is known of the transaction before anything is seen."""

    transaction_type: TransactionType
    config: Config
    today: date
    earlier_record: EarlierRecord | None
    has_reference_face: bool


def evidence_of(simulation: Simulation, about: Circumstances, scenario: str) -> Evidence:
    """The evidence; its device's details say that it was simulated, and as what."""
    kind = about.transaction_type
    document, search = None, simulation.face_search or NOT_SEARCHED
    if kind.has_document and simulation.document is not None:
        document = _document(simulation.document, about)
    return Evidence(
        document=document,
        liveness=_liveness(simulation, about) if kind.has_selfie else None,
        face_similarity=_faces(simulation, about) if kind.has_selfie else {},
        selfie=_selfie(simulation, about) if kind.has_selfie else None,
        device=_device(simulation, document, scenario),
        repeated_face=_found(search, "repeated_face", search.repeated_face),
        internal_blocklist_match=_found(search, "internal_blocklist_match", search.internal_blocklist_match),
        global_blocklist_match=_found(search, "global_blocklist_match", search.global_blocklist_match),
    )


def _found(search: SimulatedSearch, name: str, said: bool | None) -> bool | None:
    """What a search found: nothing, unless it is said; null: it was not searched."""
    return said if name in search.model_fields_set else False


# ── the document ───────────────────────────────────────────────────────────────────────────────────────────


def _document(wanted: SimulatedDocument, about: Circumstances) -> DocumentEvidence:
    if wanted.recognised is False:
        return DocumentEvidence(recognised=False, reason=wanted.reason, front=_side(wanted.front_quality))
    country, kind = _kind(wanted, about.config)
    supported = documents.find(country, kind)
    has_zone = supported is not None and Source.MRZ in supported.read_by and wanted.zone != "UNREAD"
    has_barcode = supported is not None and Source.BARCODE in supported.read_by and wanted.barcode is not False
    source = _best_source(supported, has_zone, has_barcode)
    fields = {
        name: _field(name, value, source, wanted)
        for name, value in {**_values(country, kind, about), **wanted.fields}.items()
        if value is not None
    }
    has_back = supported is not None and supported.back and wanted.back_captured is not False
    return DocumentEvidence(
        recognised=True,
        country=country,
        type=kind,
        type_confidence=SURE,
        fields=fields,
        mrz=_zone(wanted, kind) if has_zone else None,
        barcode_kind=BARCODES.get(country, "AAMVA") if has_barcode else None,
        front=_side(wanted.front_quality),
        back=_side(wanted.back_quality) if has_back else None,
        has_portrait=True,
        own_kind=documents.own_kind(country, kind),
    )


def _side(reasons: list[QualityReason]) -> SideEvidence:
    return SideEvidence(quality=Quality(reasons=tuple(reasons)))


def _kind(wanted: SimulatedDocument, config: Config) -> tuple[str, DocumentType]:
    """The kind that is said; what is not said fits the config, where any supported kind does."""
    expected = config.document_policy.data_matching or DataMatching()
    country = wanted.country or expected.document_issuing_country
    kind = wanted.type or expected.document_type
    eligibility = config.document_policy.document_eligibility
    usual = documents.find(*USUAL)
    rows = [row for row in (usual, *documents.supported()) if row is not None]
    fitting = [row for row in rows if row.country == (country or row.country) and row.type is (kind or row.type)]
    for row in fitting:
        if eligibility is None or _accepts(eligibility, row):
            return row.country, row.type
    if fitting:
        return fitting[0].country, fitting[0].type
    return country or USUAL[0], kind or USUAL[1]


def _accepts(eligibility: DocumentEligibility, row: SupportedDocument) -> bool:
    listed = any(one.country == row.country and one.type is row.type for one in eligibility.target_documents)
    return listed is (eligibility.filter_mode is FilterMode.ALLOW)


def _best_source(supported: SupportedDocument | None, has_zone: bool, has_barcode: bool) -> Source:
    there = {Source.MRZ: has_zone, Source.BARCODE: has_barcode, Source.VISUAL: True}
    return next((one for one in supported.read_by if there[one]), Source.VISUAL) if supported else Source.VISUAL


def _values(country: str, kind: DocumentType, about: Circumstances) -> dict[FieldName, str | None]:
    """What a document of this kind says that fits the config and the customer's record."""
    expected = about.config.document_policy.data_matching or DataMatching()
    record = about.earlier_record or EarlierRecord()
    birth = expected.date_of_birth or record.date_of_birth or date(1990, 5, 17)
    first, *other = documents.number_fields(country, kind)
    says = documents.find(country, kind)
    return {
        FieldName.GIVEN_NAMES: expected.given_names.value if expected.given_names else record.given_names or "ANNA",
        FieldName.SURNAMES: expected.surnames.value if expected.surnames else record.surnames or "SPECIMEN",
        FieldName.GENDER: expected.gender or record.gender or "F",
        first: expected.document_number or "X1234567L",
        **dict.fromkeys(other, "BAA000589"),
        FieldName.DATE_OF_BIRTH: birth.isoformat(),
        FieldName.NATIONALITY: country,
        FieldName.DATE_OF_ISSUE: (about.today - timedelta(days=2 * 365)).isoformat(),
        FieldName.DATE_OF_EXPIRY: None
        if says is not None and says.expiry is Expiry.BEARS_NONE
        else (about.today + timedelta(days=5 * 365)).isoformat(),
    }


def _field(name: FieldName, value: str, source: Source, wanted: SimulatedDocument) -> DocumentField:
    elsewhere = Source.VISUAL if source is not Source.VISUAL else Source.MRZ
    others = [
        ReadValue(value=said[name], source=elsewhere, confidence=confidence)
        for said, confidence in ((wanted.other_readings, SURE), (wanted.unsure_readings, UNSURE))
        if name in said
    ]
    return DocumentField(value=value, source=source, confidence=SURE, others=tuple(others))


def _zone(wanted: SimulatedDocument, kind: DocumentType) -> MrzReading:
    digits = {name.value: name not in wanted.wrong_check_digits for name in CHECKED}
    valid = wanted.zone != "INVALID" and all(digits.values())
    return MrzReading(
        format=MrzFormat.TD3 if kind is DocumentType.PASSPORT else MrzFormat.TD1,
        lines=(),
        check_digits={**digits, "composite": valid},
        valid=valid,
        readers_agree=True,
        confidence=SURE,
    )


CHECKED: Final = (
    FieldName.DOCUMENT_NUMBER,
    FieldName.DATE_OF_BIRTH,
    FieldName.DATE_OF_EXPIRY,
    FieldName.PERSONAL_NUMBER,
)
"""Fields that have a check digit of their own in a zone."""


# ── faces, device ──────────────────────────────────────────────────────────────────────────────────────────


def _liveness(simulation: Simulation, about: Circumstances) -> LivenessEvidence | None:
    wanted = simulation.liveness
    if wanted is None:
        return None
    good = max(GOOD, about.config.biometric_policy.liveness_min_score)
    score = good if wanted.score is None else float(wanted.score)
    return LivenessEvidence(
        score=score, reason=wanted.reason, passive_score=score, challenge_score=score, signs=tuple(wanted.signs)
    )


def _faces(simulation: Simulation, about: Circumstances) -> dict[FacePair, FaceComparison]:
    policy = about.config.biometric_policy
    if not policy.require_face_comparison:
        return {}
    good = max(GOOD, policy.face_comparison_min_score)
    there: dict[FacePair, float | None] = {}
    if about.transaction_type.has_document:
        there[FacePair.DOCUMENT_AND_LIVENESS] = good
    if about.has_reference_face or not REFERENCE.isdisjoint(simulation.faces):
        there[FacePair.LIVENESS_AND_REFERENCE] = good
        if about.transaction_type.has_document:
            there[FacePair.DOCUMENT_AND_REFERENCE] = good
    said: Mapping[FacePair, float | None] = {**there, **simulation.faces}
    return {
        pair: FaceComparison(score=None, reason="NO_FACE") if score is None else FaceComparison(score=float(score))
        for pair, score in said.items()
    }


REFERENCE: Final = frozenset({FacePair.LIVENESS_AND_REFERENCE, FacePair.DOCUMENT_AND_REFERENCE})


def _selfie(simulation: Simulation, about: Circumstances) -> SelfieEstimate | None:
    wanted, policy = simulation.selfie, about.config.biometric_policy
    if wanted is None:
        return None
    least, most = policy.expected_min_age or 0, policy.expected_max_age or 200
    age = float(min(max(36, least), most)) if wanted.age is None else float(wanted.age)
    gender = policy.expected_gender or SelfieGender.FEMALE
    said = wanted.gender if "gender" in wanted.model_fields_set else gender
    return SelfieEstimate(
        age=age, age_margin=AGE_MARGIN, gender=said, gender_confidence=UNSURE if said is None else SURE
    )


def _device(simulation: Simulation, document: DocumentEvidence | None, scenario: str) -> DeviceEvidence:
    """A clean phone at home, unless something else is said."""
    wanted, home = simulation.device, (document.country if document else None) or USUAL[0]
    said = {name: getattr(wanted, name) for name in wanted.model_fields_set}
    clean = dict.fromkeys(("compromised", "developer_mode", "emulator", "vpn_or_proxy", "mock_location"), False)
    facts = {**clean, "gps_country": home, "ip_country": home, **said}
    return DeviceEvidence(**facts, details={"simulated": True, "scenario": scenario})
