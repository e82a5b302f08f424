"""The nationality where it stands without a label, in the very words that a document prints for it."""

from collections.abc import Collection, Sequence

from truename.rules.evidence import ReadValue, Source
from truename.vision.document.folding import fold
from truename.vision.document.layouts.model import DocumentLayout, LayoutField
from truename.vision.document.layouts.phrases import nationalities
from truename.vision.document.print.read import TextLine


def unlabelled_nationality(
    found: Collection[LayoutField], values: Sequence[TextLine], layouts: Sequence[DocumentLayout], country: str | None
) -> dict[LayoutField, list[ReadValue]]:
    """The nationality of a line that says nothing else; nothing where there is one already or a label stands beside it.

    The words are those of `printed`; what they mean is the country that names its people so, else the document's own.
    """
    fields = [one for layout in layouts if (one := layout.fields.get(LayoutField.NATIONALITY)) and not one.labels]
    words = {fold(word) for field in fields for word in field.printed}
    line = next((line for line in values if fold(line.text) in words), None)
    if LayoutField.NATIONALITY in found or line is None:
        return {}
    meant = nationalities().get(fold(line.text)) or country
    if meant is None:
        return {}
    confidence = round(0.9 * line.confidence, 3)
    return {LayoutField.NATIONALITY: [ReadValue(value=meant, source=Source.VISUAL, confidence=confidence)]}
