"""One value per field, from the zone, the barcode and the print; what disagreed is kept.

The rule: the machine-readable sources lead, because check digits and error correction stand behind them. Print that
agrees makes them surer. A printed name is preferred where it is the fuller or truer spelling of the same name: it
agrees when both, brought to the letters of ICAO 9303, are equal, or when the zone cut the name off at its line's end.
Print that disagrees never replaces the zone; it stands in `others` and lowers the confidence. A zone that was hardly
read says nothing for sure: print that was read well leads it, and the zone's guess stands in `others`.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from truename.rules.document_words import DATES
from truename.rules.evidence import DocumentField, FieldName, ReadValue, Source
from truename.rules.text import EXACT, name_similarity
from truename.vision.document.folding import fold, is_latin

NAMES: Final = frozenset({FieldName.SURNAMES, FieldName.GIVEN_NAMES})
ZONE_SPELLINGS: Final = str.maketrans(
    {
        "Ä": "AE",
        "Ö": "OE",
        "Ü": "UE",
        "ß": "SS",
        "ẞ": "SS",
        "Å": "AA",
        "Ø": "OE",
        "Æ": "AE",
        "Þ": "TH",
        "Ð": "D",
        "Ñ": "N",
    }
)
AGREED: Final = 0.04
"""What a second source that says the same adds to the confidence."""
DOUBTED: Final = 0.85
"""What is left of the confidence when another source says something else."""
HARDLY_READ: Final = 0.3
"""Under this, what zone or barcode say is a guess: a wrong check digit and letters that both readers doubted."""
WELL_READ: Final = 0.6
"""How sure print must be to lead such a guess."""

Candidates = Mapping[FieldName, Sequence[ReadValue]]


def reconcile(
    mrz: Mapping[FieldName, ReadValue],
    barcode: Mapping[FieldName, ReadValue],
    printed: Candidates,
    names_cut: bool = False,
    other_zone: Mapping[FieldName, ReadValue] | None = None,
) -> dict[FieldName, DocumentField]:
    """Settle every field that any source names. `names_cut`: the zone's names fill their line and may be cut off.

    `other_zone`: what a second zone says, which settles nothing; where it says something else, that stands in `others`.
    """
    printed = _without_others_days(printed, [mrz, barcode])
    names = [name for name in FieldName if name in mrz or name in barcode or printed.get(name)]
    chosen = {name: _chosen(name, mrz.get(name), barcode.get(name), printed.get(name, ()), names_cut) for name in names}
    settled = {name: field for name, field in chosen.items() if field is not None}
    return {name: _beside(name, field, (other_zone or {}).get(name)) for name, field in settled.items()}


def _beside(name: FieldName, field: DocumentField, second: ReadValue | None) -> DocumentField:
    if second is None or agree(name, field.value, second):
        return field
    return field.model_copy(update={"others": (*field.others, second)})


def _without_others_days(printed: Candidates, machine: Sequence[Mapping[FieldName, ReadValue]]) -> Candidates:
    """What print alone says, less days to which zone or barcode give another meaning: nothing ends when it begins."""
    known = {name: said[name].value for said in machine for name in DATES & said.keys()}
    days = set(known.values())
    return {
        name: [one for one in values if one.value not in days] if name in DATES - known.keys() else values
        for name, values in printed.items()
    }


def _chosen(
    name: FieldName, mrz: ReadValue | None, barcode: ReadValue | None, printed: Sequence[ReadValue], names_cut: bool
) -> DocumentField | None:
    machine = [value for value in (barcode, mrz) if value is not None]
    machine.sort(key=lambda value: -value.confidence)
    if not machine:
        return _printed_only(printed)
    lead = machine[0]
    if lead.confidence < HARDLY_READ and printed and printed[0].confidence >= WELL_READ:
        return _before_a_guess(name, printed, machine)
    agreeing = [value for value in printed if agree(name, value.value, lead, names_cut)]
    others = [value for value in machine[1:] if not agree(name, value.value, lead)]
    seconds = len(machine) - 1 - len(others) + bool(agreeing)
    if not agreeing and printed and printed[0].confidence >= 0.5:
        others.append(printed[0])
    confidence = min(0.99, lead.confidence + AGREED * seconds)
    if others:
        confidence *= DOUBTED
    chosen = lead
    if name in NAMES and agreeing and lead.source is Source.MRZ:
        # The zone knows neither accents nor long names: the print that says the same is the fuller form.
        fuller = max(agreeing, key=lambda value: (len(fold(value.value)), value.confidence))
        if fuller.confidence >= 0.5 and fuller.value.replace("ß", "ẞ").upper() != lead.value.upper():
            chosen = ReadValue(value=fuller.value, source=Source.VISUAL, confidence=fuller.confidence)
            if not agree(name, fuller.value, lead):
                # Behind what the zone cut off, nothing stands behind the print.
                confidence = min(confidence, fuller.confidence)
    return DocumentField(
        value=chosen.value,
        source=chosen.source,
        confidence=round(confidence, 3),
        repaired=lead.repaired and chosen is lead,
        others=tuple(others),
    )


def _before_a_guess(
    name: FieldName, printed: Sequence[ReadValue], guesses: Sequence[ReadValue]
) -> DocumentField | None:
    """The printed value beside what zone and barcode guess."""
    field = _printed_only(printed)
    if field is None:
        return None
    others = tuple(guess for guess in guesses if not agree(name, field.value, guess))
    return field.model_copy(update={"others": (*field.others, *others)})


def _printed_only(printed: Sequence[ReadValue]) -> DocumentField | None:
    if not printed:
        return None
    best, *rest = printed
    # Print alone has no check digit: half-believed until a person or another source confirms it. The same in another
    # script, as cards in two languages print it, is no other value.
    others = tuple(
        value
        for value in rest
        if fold(value.value) != fold(best.value)
        and value.confidence > 0.5
        and is_latin(value.value) is is_latin(best.value)
    )[:2]
    return DocumentField(value=best.value, source=best.source, confidence=best.confidence, others=others)


def agree(name: FieldName, printed: str, machine: ReadValue, names_cut: bool = False) -> bool:
    """Do the two say the same, allowing for what the machine's alphabet cannot express?"""
    if name not in NAMES:
        return fold(printed) == fold(machine.value)
    other = fold(machine.value)
    spellings = {fold(printed), fold(printed.upper().translate(ZONE_SPELLINGS))}
    # A name in another script is the machine's if any way to write it in Latin letters is.
    if other in spellings or (not printed.isascii() and name_similarity(printed, machine.value) == EXACT):
        return True
    # A name at the end of a full line is cut off; the print then begins with what the zone has.
    return names_cut and any(spelling.startswith(other) for spelling in spellings)
