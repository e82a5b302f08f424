"""Lists of words of the interface. Made by tools/client_models.py (`make docs`); do not edit by hand."""

from typing import Literal

Action = Literal["REJECT", "WARN", "IGNORE"]
"""What a sign leads to: a rejection, a warning, or an issue that only informs."""

AttemptOutcome = Literal[
    "DELIVERED",
    "REFUSED_BY_RECEIVER",
    "GONE",
    "TIMED_OUT",
    "ADDRESS_FORBIDDEN",
    "TLS_FAILED",
    "UNREACHABLE",
    "NO_SECRET",
]
"""What can come of one attempt: NO_SECRET when the account has none to sign with, so that nothing was sent."""

AuthenticitySign = Literal[
    "SOURCES_CONTRADICT",
    "CHECK_DIGITS_FAILED",
    "SIDES_DO_NOT_MATCH",
    "NUMBER_CONTRADICTS",
    "IMPOSSIBLE_DATES",
    "ZONE_SPACING",
    "ZONE_FONT",
    "SCREEN",
    "PHOTOCOPY",
    "PORTRAIT_NOISE",
    "PORTRAIT_EDGE",
    "PORTRAIT_COMPRESSION",
    "SECOND_PORTRAIT",
    "NO_CAMERA_NOISE",
]
"""The signs, by the word that the check gives as its reason."""

BacktestStatus = Literal["QUEUED", "RUNNING", "DONE", "FAILED"]
"""How far it is."""

CheckName = Literal[
    "CUSTOMER_STATUS",
    "COMPROMISED_DEVICE",
    "DEVELOPER_MODE",
    "EMULATOR",
    "VPN_OR_PROXY",
    "MOCK_LOCATION",
    "GPS_IP_LOCATION",
    "DOCUMENT_SUPPORTED",
    "DOCUMENT_ELIGIBLE",
    "DOCUMENT_EXPIRY",
    "DOCUMENT_AUTHENTICITY",
    "GIVEN_NAMES_MATCH",
    "SURNAMES_MATCH",
    "GENDER_MATCH",
    "DOCUMENT_TYPE_MATCH",
    "ISSUING_COUNTRY_MATCH",
    "DOCUMENT_NUMBER_MATCH",
    "DATE_OF_BIRTH_MATCH",
    "GIVEN_NAMES_CONSISTENT",
    "SURNAMES_CONSISTENT",
    "GENDER_CONSISTENT",
    "DATE_OF_BIRTH_CONSISTENT",
    "LIVENESS",
    "DOCUMENT_VS_LIVENESS_FACE",
    "LIVENESS_VS_REFERENCE_FACE",
    "DOCUMENT_VS_REFERENCE_FACE",
    "SELFIE_GENDER",
    "SELFIE_AGE",
    "REPEATED_FACE",
    "INTERNAL_BLOCKLIST",
    "GLOBAL_BLOCKLIST",
]
"""Every check there is."""

CustomerStatus = Literal["ACTIVE", "SUSPICIOUS", "BLOCKED"]
"""The standing of a customer: SUSPICIOUS warns in every transaction, BLOCKED rejects it."""

Decision = Literal["APPROVED", "REJECTED"]
"""What an analysis decides."""

DocumentType = Literal["NATIONAL_ID", "PASSPORT", "DRIVER_LICENSE", "RESIDENT_PERMIT", "TEMP_PERMIT_ID"]
"""The types of document that the interface knows."""

EventState = Literal["PENDING", "DELIVERED", "EXHAUSTED", "STOPPED"]
"""What became of an event."""

EventType = Literal[
    "transaction.in_progress",
    "transaction.processing",
    "transaction.approved",
    "transaction.rejected",
    "transaction.in_review",
    "transaction.failed",
    "transaction.expired",
    "transaction.cancelled",
]
"""One for each status that a transaction can come to."""

FacePair = Literal["DOCUMENT_AND_LIVENESS", "LIVENESS_AND_REFERENCE", "DOCUMENT_AND_REFERENCE"]
"""Which two faces were compared."""

FaceSearch = Literal["off", "report", "enforce"]
"""How far an account has switched on the search for the live face among other customers and blocklists."""

FaultCode = Literal[
    "json_malformed",
    "json_duplicate_key",
    "json_too_deep",
    "json_too_many_values",
    "json_number_too_large",
    "body_incomplete",
    "too_many_faults",
    "field_required",
    "field_unknown",
    "null_not_allowed",
    "value_not_allowed",
    "value_invalid",
    "not_a_string",
    "not_a_boolean",
    "not_an_integer",
    "not_a_number",
    "not_an_array",
    "not_an_object",
    "number_out_of_range",
    "list_too_short",
    "list_too_long",
    "text_too_short",
    "text_too_long",
    "text_empty",
    "text_malformed",
    "text_has_outer_space",
    "name_without_letter",
    "text_forbidden_character",
    "uuid_malformed",
    "email_malformed",
    "phone_number_malformed",
    "customer_not_found",
    "image_empty",
    "image_not_base64",
    "image_too_large",
    "image_format_not_supported",
    "image_damaged",
    "image_no_pixels",
    "image_too_many_pixels",
    "image_too_narrow",
    "image_too_many_scans",
    "image_shows_no_face",
    "image_too_costly",
    "image_metadata_too_large",
    "country_unknown",
    "date_malformed",
    "date_in_future",
    "until_before_since",
    "max_age_below_min_age",
    "target_documents_contradictory",
    "webhook_url_not_https",
    "webhook_url_too_long",
    "webhook_url_forbidden_character",
    "webhook_url_credentials",
    "webhook_url_bad_host",
    "webhook_url_bad_port",
    "webhook_address_not_allowed",
    "parameter_unknown",
    "parameter_repeated",
    "instant_malformed",
    "cursor_malformed",
    "scenario_unknown",
    "scenario_not_for_this_type",
    "clock_too_far",
    "idempotency_key_malformed",
    "consent_text_unknown",
    "document_incomplete",
    "document_not_accepted",
    "frames_out_of_order",
    "frames_missing_step",
    "frames_repeated",
    "capture_missing",
    "location_without_permission",
    "location_incomplete",
    "web_signs_from_native",
]
"""What is wrong with one field."""

FieldName = Literal[
    "given_names",
    "surnames",
    "gender",
    "document_number",
    "personal_number",
    "date_of_birth",
    "date_of_issue",
    "date_of_expiry",
    "nationality",
    "place_of_birth",
    "address",
    "issuing_authority",
]
"""The fields that can be read from a document."""

FilterMode = Literal["ALLOW", "REJECT"]
"""Whether the listed documents are the accepted ones or the refused ones."""

Gender = Literal["M", "F", "X"]
"""The gender printed on a document; the one estimated from a selfie has its own words."""

Group = Literal["DEVICE", "DOCUMENT_ELIGIBILITY", "DATA_MATCHING", "BIOMETRIC", "BLOCKLIST", "CUSTOMER"]
"""What an issue is about."""

IssueCode = Literal[
    "COMPROMISED_DEVICE",
    "DEVELOPER_MODE_ENABLED",
    "EMULATOR_DETECTED",
    "VPN_OR_PROXY_DETECTED",
    "MOCK_LOCATION_DETECTED",
    "GEO_IP_MISMATCH",
    "DOCUMENT_TYPE_NOT_SUPPORTED",
    "DOCUMENT_NOT_ELIGIBLE",
    "EXPIRED_DOCUMENT",
    "NAME_MISMATCH",
    "SURNAME_MISMATCH",
    "GENDER_MISMATCH",
    "EXPECTED_DOCUMENT_TYPE_MISMATCH",
    "DOCUMENT_ISSUING_COUNTRY_MISMATCH",
    "DOCUMENT_NUMBER_MISMATCH",
    "DATE_OF_BIRTH_MISMATCH",
    "LIVENESS_LOW_CONFIDENCE",
    "DOCUMENT_VS_LIVENESS_FACE_MISMATCH",
    "LIVENESS_VS_IDENTITY_REF_FACE_MISMATCH",
    "DOCUMENT_VS_IDENTITY_REF_FACE_MISMATCH",
    "FACE_COMPARISON_DISABLED",
    "LIVENESS_GENDER_MISMATCH_EXPECTED",
    "LIVENESS_AGE_OUT_OF_RANGE",
    "ANOTHER_CUSTOMER_REPEATED_FACE",
    "INTERNAL_FACE_BLACKLIST_MATCH",
    "GLOBAL_FACE_BLACKLIST_MATCH",
    "CUSTOMER_SUSPICIOUS",
    "CUSTOMER_BLOCKED",
]
"""What the analysis can find; no other code."""

LivenessSign = Literal[
    "REPEATED_FRAMES",
    "TOO_FEW_FRAMES",
    "WRONG_ORDER",
    "STEP_NOT_DONE",
    "WRONG_SIDE",
    "FLAT_MOTION",
    "SCENE_MOVES_ALONG",
    "JUMP",
    "CUT",
    "WRONG_LIGHT",
    "IDENTITY_CHANGE",
    "SEVERAL_FACES",
    "FACE_LOST",
    "MOIRE",
    "BORDER",
    "FLAT_TEXTURE",
    "PASSIVE_NETWORK",
    "NO_CHALLENGE",
]
"""What speaks against a living person, or against the capture; what each rests on stands in `vision/liveness/`."""

MediaKind = Literal[
    "REFERENCE_IMAGE",
    "DOCUMENT_FRONT",
    "DOCUMENT_BACK",
    "DOCUMENT_FRONT_RECTIFIED",
    "DOCUMENT_PORTRAIT",
    "LIVENESS_FRAME",
    "LIVENESS_FACE",
]
"""What a stored picture shows."""

Mode = Literal["REPLACE", "CHANGE"]
"""How the other config is meant."""

MrzFormat = Literal["TD1", "TD2", "TD3", "MRV_A", "MRV_B", "FRENCH_ID", "RUSSIAN_ID", "KENYAN_ID"]
"""The layouts of machine-readable zones: those of ICAO Doc 9303, and three of single countries."""

Outcome = Literal["PASSED", "FAILED", "INCONCLUSIVE", "NOT_RUN"]
"""What a check came to; NOT_RUN and INCONCLUSIVE are never a pass."""

ProblemCode = Literal[
    "validation_failed",
    "customer_already_exists",
    "webhook_address_not_allowed",
    "http_malformed",
    "invalid_image",
    "frames_out_of_order",
    "frames_missing_step",
    "frames_repeated",
    "not_authenticated",
    "token_expired",
    "transaction_expired",
    "scope_missing",
    "not_found",
    "route_not_found",
    "customer_not_found",
    "transaction_not_found",
    "media_not_found",
    "receipt_not_found",
    "evidence_not_found",
    "backtest_not_found",
    "event_not_found",
    "blocklist_entry_not_found",
    "no_usable_face",
    "client_not_found",
    "handoff_unknown",
    "demo_not_available",
    "method_not_allowed",
    "too_slow",
    "wrong_state",
    "client_revoked",
    "client_is_administrator",
    "too_many_webhook_secrets",
    "customer_blocked",
    "transaction_redacted",
    "idempotency_key_in_flight",
    "transaction_cancelled",
    "already_submitted",
    "consent_missing",
    "capture_missing",
    "wrong_step",
    "challenge_unknown",
    "challenge_used",
    "challenge_expired",
    "handoff_not_confirmed",
    "handoff_number_wrong",
    "handoff_used",
    "handoff_expired",
    "gone",
    "too_large",
    "not_json",
    "unsupported_media_type",
    "idempotency_key_reused",
    "too_many_requests",
    "too_many_at_once",
    "too_many_takes",
    "too_many_attempts",
    "head_too_large",
    "internal_error",
    "not_ready",
]
"""Stable; decide by this one."""

QualityReason = Literal[
    "NO_DOCUMENT",
    "BLURRED",
    "GLARE",
    "TOO_SMALL",
    "CROPPED",
    "TOO_DARK",
    "SCREEN",
    "PHOTOCOPY",
    "BACK_NEEDED",
    "WRONG_SIDE",
    "NO_FACE",
    "SEVERAL_FACES",
    "FACE_TOO_SMALL",
    "FACE_COVERED",
    "UNREADABLE",
]
"""Why a picture is hard to use; each has words for a person on the capture page."""

Reason = Literal[
    "UNKNOWN",
    "NOTHING_EXPECTED",
    "NO_EARLIER_RECORD",
    "DISABLED",
    "NOT_PART_OF_THIS_TRANSACTION_TYPE",
    "NO_REFERENCE_FACE",
    "FACE_SEARCH_OFF",
    "NOT_SEARCHED",
    "NOT_EXAMINED",
    "NOT_EXTRACTED",
    "NOT_ESTIMATED",
    "DOCUMENT_NOT_RECOGNISED",
    "DOCUMENT_NOT_SUPPORTED",
    "NOT_RECOGNISED",
    "NOT_IN_SUPPORTED_LIST",
    "NO_DOCUMENT",
    "UNREADABLE",
    "UNKNOWN_LAYOUT",
    "CHECK_DIGIT_FAILED",
    "EXPIRED",
    "EXPIRED_ALLOWED",
    "WITHOUT_END",
    "WITHOUT_END_NOT_ISSUED",
    "DOCUMENT_UNREADABLE",
    "CHECK_DIGITS_FAILED",
    "SOURCES_CONTRADICT",
    "SOURCES_DIFFER",
    "SCREEN",
    "PHOTOCOPY",
    "SIDES_DO_NOT_MATCH",
    "NUMBER_CONTRADICTS",
    "IMPOSSIBLE_DATES",
    "ZONE_SPACING",
    "ZONE_FONT",
    "PORTRAIT_NOISE",
    "PORTRAIT_EDGE",
    "PORTRAIT_COMPRESSION",
    "SECOND_PORTRAIT",
    "NO_CAMERA_NOISE",
    "NOTHING_TO_COMPARE",
    "NO_ZONE",
    "NO_BARCODE",
    "SIDE_MISSING",
    "NO_FACE",
    "SEVERAL_FACES",
    "OTHER_FACE_MODEL",
    "SPOOF_SIGNS",
    "CHALLENGE_FAILED",
    "NO_CHALLENGE",
    "BELOW_RANGE",
    "ABOVE_RANGE",
    "MATCHED_DOCUMENT_NUMBER",
    "MATCHED_PERSONAL_NUMBER",
]
"""Why a check came to its result."""

SelfieGender = Literal["MALE", "FEMALE"]
"""The gender estimated from a selfie; the one printed on a document has its own words."""

Severity = Literal["REJECTION", "WARNING", "INFORMATIONAL"]
"""How grave an issue is; only a REJECTION rejects."""

Source = Literal["MRZ", "BARCODE", "VISUAL"]
"""Where on the document a value was read."""

Status = Literal[
    "CREATED", "IN_PROGRESS", "PROCESSING", "APPROVED", "REJECTED", "IN_REVIEW", "FAILED", "EXPIRED", "CANCELLED"
]
"""The nine states of a transaction; MOVES says which may follow which."""

TransactionType = Literal["DOCUMENT_AND_BIOMETRIC", "DOCUMENT_ONLY", "BIOMETRIC_ONLY"]
"""The kinds of verification, by what is captured: a document, a live face, or both."""

WhatIfKind = Literal["POLICY", "EVIDENCE"]
"""What would have had to be different."""
