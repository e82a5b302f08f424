"""THE LIST of reasons: the word that a check or an issue's details give for their result, and what it means.

A house rule compares the list with the words in the code, both ways; the OpenAPI description and
docs/reference/results-and-statuses.md are made from it.
"""

from collections.abc import Mapping
from typing import Final

from truename.rules.evidence import FieldName

REASONS: Final[Mapping[str, str]] = {
    # why a check was not run
    "UNKNOWN": "The device or the connection does not tell; unknown is never a pass.",
    "NOTHING_EXPECTED": "The config expects nothing here.",
    "NO_EARLIER_RECORD": "The customer has no approved document to compare with.",
    "DISABLED": "Switched off by `require_face_comparison`.",
    "NOT_PART_OF_THIS_TRANSACTION_TYPE": "This type of transaction captures no such thing.",
    "NO_REFERENCE_FACE": "The customer has no reference face yet.",
    "FACE_SEARCH_OFF": "The account does not search for repeated faces.",
    # why it could not tell
    "NOT_SEARCHED": "The search did not take place.",
    "NOT_EXAMINED": "The picture was not there to be examined.",
    "NOT_EXTRACTED": "The value could not be read from the document.",
    "NOT_ESTIMATED": "The value could not be estimated from the selfie.",
    "DOCUMENT_NOT_RECOGNISED": "The document was not recognised.",
    "DOCUMENT_NOT_SUPPORTED": "The document is none of the supported ones.",
    # about documents
    "NOT_RECOGNISED": "Country and type could not be told from the document.",
    "NOT_IN_SUPPORTED_LIST": "Country and type were read, and are not in the list of supported documents.",
    "NO_DOCUMENT": "No document is in the picture.",
    "UNREADABLE": "The picture or the document cannot be read.",
    "UNKNOWN_LAYOUT": "Text was read, but the layout is none that is known.",
    "CHECK_DIGIT_FAILED": "The value was read from a zone whose check digits are wrong.",
    "EXPIRED": "The date of expiry has passed.",
    "EXPIRED_ALLOWED": "Expired, and `allow_expired` accepts it.",
    "WITHOUT_END": "The document has no date of expiry, as this kind may.",
    "WITHOUT_END_NOT_ISSUED": "The document claims to have no date of expiry, and this kind has one.",
    "DOCUMENT_UNREADABLE": "Nothing that the decision needs was read from the document.",
    # does the document agree with itself?
    "CHECK_DIGITS_FAILED": "Check digits of the machine-readable zone are wrong.",
    "SOURCES_CONTRADICT": "Two parts of the document say different things, and both were read with certainty.",
    "SOURCES_DIFFER": "Two parts of the document differ, and one of them was not read with certainty.",
    "SCREEN": "A screen was photographed instead of the document.",
    "PHOTOCOPY": "A copy was photographed instead of the document.",
    "SIDES_DO_NOT_MATCH": "Nothing that the back states stands beside the portrait: the sides may be of two documents.",
    "NUMBER_CONTRADICTS": "A number of the document says another birth date or sex, or its own check digit is wrong.",
    "IMPOSSIBLE_DATES": "The dates of the document cannot be: issued before birth, or valid for longer than given.",
    "ZONE_SPACING": "The characters of the machine-readable zone are not evenly spaced.",
    "ZONE_FONT": "The machine-readable zone is not set in OCR-B.",
    "PORTRAIT_NOISE": "The portrait has another grain than its page.",
    "PORTRAIT_EDGE": "The portrait is cut out more sharply than anything else is printed.",
    "PORTRAIT_COMPRESSION": "The portrait was compressed otherwise than its page.",
    "SECOND_PORTRAIT": "The two portraits of the document do not show the same person.",
    "NO_CAMERA_NOISE": "The page is too even for any camera: a program made it.",
    "NOTHING_TO_COMPARE": "The document is read by its print alone, so nothing can confirm it.",
    "NO_ZONE": "The machine-readable zone that this kind has was not read.",
    "NO_BARCODE": "The barcode that this kind has was not read.",
    "SIDE_MISSING": "A side that this kind needs was not captured.",
    # about faces
    "NO_FACE": "No face was found where one is needed.",
    "SEVERAL_FACES": "More than one face is in the picture.",
    "OTHER_FACE_MODEL": "The templates were made by two models and cannot be compared.",
    "SPOOF_SIGNS": "Signs of a picture, a screen or a replay were seen.",
    "CHALLENGE_FAILED": "The movements asked for were not seen.",
    "NO_CHALLENGE": "No challenge was part of the capture, so the score rests on single pictures.",
    "BELOW_RANGE": "The estimated age is below the expected range.",
    "ABOVE_RANGE": "The estimated age is above the expected range.",
    # which of several fields matched
    **{f"MATCHED_{field.name}": f"The expected value matched `{field.value}`." for field in FieldName
       if field in (FieldName.DOCUMENT_NUMBER, FieldName.PERSONAL_NUMBER)},
}  # fmt: skip
