"""What each check asks, as a question that a person understands."""

from collections.abc import Mapping
from typing import Final

from truename.rules.results import CheckName

QUESTIONS: Final[Mapping[CheckName, str]] = {
    CheckName.CUSTOMER_STATUS: "Is the customer in good standing?",
    CheckName.COMPROMISED_DEVICE: "Is the device as its maker shipped it, neither rooted nor debugged?",
    CheckName.DEVELOPER_MODE: "Is developer mode switched off?",
    CheckName.EMULATOR: "Is it a real device?",
    CheckName.VPN_OR_PROXY: "Did the connection come without VPN, proxy or Tor?",
    CheckName.MOCK_LOCATION: "Is the reported location a real one?",
    CheckName.GPS_IP_LOCATION: "Are location and address in the same country?",
    CheckName.DOCUMENT_SUPPORTED: "Is it a document that can be read?",
    CheckName.DOCUMENT_ELIGIBLE: "Is it a document that the config accepts?",
    CheckName.DOCUMENT_EXPIRY: "Is the document still valid?",
    CheckName.DOCUMENT_AUTHENTICITY: "Does the document agree with itself, and is it the original?",
    CheckName.GIVEN_NAMES_MATCH: "Are the given names those expected?",
    CheckName.SURNAMES_MATCH: "Are the surnames those expected?",
    CheckName.GENDER_MATCH: "Is the gender on the document the one expected?",
    CheckName.DOCUMENT_TYPE_MATCH: "Is the document of the type expected?",
    CheckName.ISSUING_COUNTRY_MATCH: "Was the document issued by the country expected?",
    CheckName.DOCUMENT_NUMBER_MATCH: "Is the number of the document the one expected?",
    CheckName.DATE_OF_BIRTH_MATCH: "Is the date of birth the one expected?",
    CheckName.GIVEN_NAMES_CONSISTENT: "Are the given names those of the customer's earlier document?",
    CheckName.SURNAMES_CONSISTENT: "Are the surnames those of the customer's earlier document?",
    CheckName.GENDER_CONSISTENT: "Is the gender that of the customer's earlier document?",
    CheckName.DATE_OF_BIRTH_CONSISTENT: "Is the date of birth that of the customer's earlier document?",
    CheckName.LIVENESS: "Was a living person before the camera?",
    CheckName.DOCUMENT_VS_LIVENESS_FACE: "Is the live face the face on the document?",
    CheckName.LIVENESS_VS_REFERENCE_FACE: "Is the live face the customer's reference face?",
    CheckName.DOCUMENT_VS_REFERENCE_FACE: "Is the face on the document the customer's reference face?",
    CheckName.SELFIE_GENDER: "Is the gender that the selfie shows the one expected?",
    CheckName.SELFIE_AGE: "Is the age that the selfie shows within the expected range?",
    CheckName.REPEATED_FACE: "Is the live face unknown from other customers?",
    CheckName.INTERNAL_BLOCKLIST: "Is the live face absent from the account's own blocklist?",
    CheckName.GLOBAL_BLOCKLIST: "Is the live face absent from the platform-wide blocklist?",
}
"""A passed check answers yes."""
