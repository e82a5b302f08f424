"""THE TABLE of error codes: every `code` of a problem and of its `errors`, what it means and what to do.

docs/reference/errors.md, the pages under /docs/errors/ and the enumerations of the OpenAPI description are made from
here; a house rule compares the table with what the source can emit, both ways.
"""
# ruff: noqa: E501 - a table is read by its columns

from collections.abc import Mapping
from typing import Final, NamedTuple


class ProblemCode(NamedTuple):
    """The `code` of a whole answer."""

    status: int
    meaning: str
    remedy: str


class FaultCode(NamedTuple):
    """The `code` of one entry of `errors`."""

    meaning: str
    remedy: str


AGAIN: Final = "Read the session again and go on where it says."

# fmt: off
OF_THE_DASHBOARD: Final[Mapping[str, ProblemCode]] = {
    "role_missing":                ProblemCode(403, "The operator's role in this account does not allow this (dashboard).", "Ask an admin of the account for the role; `detail` names it."),
    "wrong_site":                  ProblemCode(403, "A form of the dashboard was not sent by the dashboard's own page, or that page was too old.", "Load the page again and repeat."),
    "form_sent_twice":             ProblemCode(409, "A form of the dashboard that shows a secret was sent a second time.", "Nothing was done again; the secret was on the first answer only."),
}
"""Codes of pages for operators, which the interface never answers."""

PROBLEMS: Final[Mapping[str, ProblemCode]] = {
    "validation_failed":           ProblemCode(400, "One or more fields or parameters are wrong.", "`errors` names each of them by its JSON pointer: correct all of them and send the request again."),
    "customer_already_exists":     ProblemCode(400, "The account has a customer of this `external_customer_id`.", "Use the `customer_id` that the answer carries; do not retry."),
    "webhook_address_not_allowed": ProblemCode(400, "`config.webhook.url` leads to an address where webhooks may not go (this machine, a private or a metadata network).", "Give a public address, or ask the operator to allow this one (`TRUENAME_WEBHOOK_ALLOW`)."),
    "http_malformed":              ProblemCode(400, "The bytes are not a valid HTTP/1.1 request.", "Use an HTTP library instead of writing the request by hand."),
    "invalid_image":               ProblemCode(400, "The picture cannot be decoded, or is not of a kind and size that is accepted.", "Take or export it again as JPEG or PNG; `errors` says what is wrong."),
    "frames_out_of_order":         ProblemCode(400, "The frames do not follow the challenge: times do not rise, lie in the future, or steps are in another order.", "Ask for a new challenge and record again; `errors` names the frames."),
    "frames_missing_step":         ProblemCode(400, "A step of the challenge has no frame.", "Ask for a new challenge and record every step; `errors` names those that are missing."),
    "frames_repeated":             ProblemCode(400, "These frames, or frames like them, were sent before.", "Record fresh ones: a recording cannot be used twice. The attempt counts."),
    "not_authenticated":           ProblemCode(401, "The token is missing, malformed, or not one of ours.", "Send `Authorization: Bearer TOKEN` with a token from `POST /oauth/token` (or the `sdk_token` on the SDK's side)."),
    "token_expired":               ProblemCode(401, "The access token was good and has expired.", "Fetch a new one by `POST /oauth/token` and repeat the request."),
    "transaction_expired":         ProblemCode(401, "The time for this verification is over, and its SDK token with it.", "Create a new transaction for the same customer."),
    "scope_missing":               ProblemCode(403, "The access token lacks the scope that this call needs; `detail` names it.", "Fetch a token with the scope, or ask the account's administrator for a client that has it."),
    "not_found":                   ProblemCode(404, "What the address names does not exist, or not in this account.", "Check the identifiers in the address."),
    "route_not_found":             ProblemCode(404, "The path is none of this service.", "Check the spelling; `detail` names the path that was probably meant, `/docs` lists them all."),
    "customer_not_found":          ProblemCode(404, "No customer of this account has this `customer_id`, or it was erased.", "Use the `customer_id` that creation answered. Another account's is not told apart from an unknown one."),
    "transaction_not_found":       ProblemCode(404, "No transaction of this account has this `transaction_id`.", "Use the `transaction_id` that creation answered. Another account's is not told apart from an unknown one."),
    "media_not_found":             ProblemCode(404, "No picture of this transaction has this `media_id`.", "Take the `media_id` from the transaction's `media`."),
    "receipt_not_found":           ProblemCode(404, "The transaction has no decision, so it has no receipt.", "Read it again once the status is `APPROVED` or `REJECTED`; what expired, failed or was cancelled never has one."),
    "evidence_not_found":          ProblemCode(404, "The transaction was not analysed yet, or its evidence was deleted.", "Wait for the analysis; what was redacted or erased does not come back."),
    "backtest_not_found":          ProblemCode(404, "No back-test of this account has this `backtest_id`.", "Use the `backtest_id` that creation answered."),
    "event_not_found":             ProblemCode(404, "No webhook event of this account has this `event_id`.", "Take the `event_id` from the list of events."),
    "blocklist_entry_not_found":   ProblemCode(404, "The account's blocklist has no entry of this `entry_id`, or it was removed.", "Take the `entry_id` from the list."),
    "no_usable_face":              ProblemCode(409, "No face of the customer is kept that could be searched for: none was captured, or it was deleted.", "Put a picture of the face on the list instead."),
    "client_not_found":            ProblemCode(404, "No client of this account has this `client_id`.", "Take the `client_id` from the list of clients."),
    "handoff_unknown":             ProblemCode(404, "There is no such hand-off, or none was offered.", "Offer a new one on the computer."),
    "demo_not_available":          ProblemCode(404, "There is no trial account here, so there is no demo.", "Use the API with the credentials of an account."),
    "method_not_allowed":          ProblemCode(405, "The path exists, but not with this method.", "Use one of the methods in the `Allow` header."),
    "too_slow":                    ProblemCode(408, "The head or the body of the request came too slowly.", "Send the request again over a better connection."),
    "wrong_state":                 ProblemCode(409, "The transaction's status does not allow this; `transaction_status` tells it.", "Read the transaction; a final one never changes: create a new one."),
    "client_revoked":              ProblemCode(409, "The client was revoked, which is for good.", "Add another client."),
    "client_is_administrator":     ProblemCode(409, "The client is another administrator of the account.", "Ask the operator: `truename client rotate` and `truename client revoke` may."),
    "too_many_webhook_secrets":    ProblemCode(409, "Five secrets sign the account's webhooks already: the webhook secret was rotated again and again within the overlap.", "Use the newest; rotate again when the first has stopped signing (`detail` says when), or in the dashboard with an overlap of 0 hours, which ends all others at once."),
    "customer_blocked":            ProblemCode(409, "The customer is BLOCKED, and no review approves a blocked customer.", "Reject the transaction; or change the customer's status and create a new transaction."),
    "transaction_redacted":        ProblemCode(409, "Pictures and data were deleted while the transaction waited for a review, as the account's retention says.", "Reject the transaction, and create a new one if the person still wants to be verified."),
    "idempotency_key_in_flight":   ProblemCode(409, "The first request with this `Idempotency-Key` is still being answered.", "Wait a little and repeat the same request with the same key."),
    "transaction_cancelled":       ProblemCode(409, "The integrator cancelled this verification.", "End the capture."),
    "already_submitted":           ProblemCode(409, "The capture was submitted; nothing can be added.", "Go to the end; `GET /api/sdk/status` tells how far the analysis is."),
    "consent_missing":             ProblemCode(409, "The person has not agreed yet.", "Ask for consent and send it before any upload."),
    "capture_missing":             ProblemCode(409, "Not everything that the transaction calls for was captured.", "`errors` names the parts: capture them, then submit."),
    "wrong_step":                  ProblemCode(409, "The transaction or the account does not call for this, or not now.", AGAIN),
    "challenge_unknown":           ProblemCode(409, "The nonce is none of this transaction, or a newer challenge voided it.", "Ask for a new challenge."),
    "challenge_used":              ProblemCode(409, "The challenge was answered already.", "Read the session; if liveness is not done, ask for a new challenge."),
    "challenge_expired":           ProblemCode(409, "The frames came after the challenge's time.", "Ask for a new challenge and answer it at once."),
    "handoff_not_confirmed":       ProblemCode(409, "The phone has not named the number that the computer shows.", "Confirm the number first."),
    "handoff_number_wrong":        ProblemCode(409, "The number is not the one on the computer; the hand-off has ended.", "Offer a new hand-off on the computer."),
    "handoff_used":                ProblemCode(409, "The link was opened already, or the hand-off is over.", "Offer a new hand-off on the computer."),
    "handoff_expired":             ProblemCode(409, "The link has expired.", "Offer a new hand-off on the computer."),
    "gone":                        ProblemCode(410, "It existed and was erased or redacted.", "Nothing brings it back; do not retry."),
    "too_large":                   ProblemCode(413, "The body is larger than this call accepts; `detail` names the limit.", "Send less: a smaller picture, fewer frames."),
    "not_json":                    ProblemCode(415, "The body is not sent as JSON, or is compressed.", "Send `Content-Type: application/json`, in UTF-8 and uncompressed."),
    "unsupported_media_type":      ProblemCode(415, "The body is not sent as a picture.", "Send the file itself with `Content-Type: image/jpeg` or `image/png`."),
    "idempotency_key_reused":      ProblemCode(422, "This `Idempotency-Key` was used with another request in the last 24 hours.", "Use a fresh key for every new request, the same only to repeat one."),
    "too_many_requests":           ProblemCode(429, "The rate limit is used up.", "Wait as many seconds as `Retry-After` says; `RateLimit` tells how much is left."),
    "too_many_at_once":            ProblemCode(429, "The account has too many requests or uploads under way at the same moment.", "Wait as `Retry-After` says and send fewer in parallel; the requests under way are not touched."),
    "too_many_takes":              ProblemCode(429, "This side of the document was photographed too often.", "Go on with the last take; no waiting lifts this."),
    "too_many_attempts":           ProblemCode(429, "The live face was tried, or a challenge asked for, too often.", "Try again tomorrow, or with a new transaction of the integrator."),
    "head_too_large":              ProblemCode(431, "The address and the headers are too long, or there are too many headers.", "Send fewer and shorter headers."),
    "internal_error":              ProblemCode(500, "The service failed; nothing is known to have been done.", "Repeat the request with the same `Idempotency-Key`; if it stays, tell the operator the `request_id`."),
    "not_ready":                   ProblemCode(503, "The service, or its database, does not answer at the moment.", "Wait as `Retry-After` says and repeat the request with the same `Idempotency-Key`."),
}

FAULTS: Final[Mapping[str, FaultCode]] = {
    # the shape of the body
    "json_malformed":              FaultCode("The body is not valid JSON in UTF-8.", "`detail` names line and column where it can."),
    "json_duplicate_key":          FaultCode("An object holds the same key twice.", "Send each key once: which one was meant cannot be known."),
    "json_too_deep":               FaultCode("The body is nested more than 100 levels deep.", "No body of this interface needs more than six."),
    "json_too_many_values":        FaultCode("The body holds more than 20,000 values.", "No body of this interface needs a tenth of them."),
    "json_number_too_large":       FaultCode("A number is larger than a double can hold.", "Send a number within the field's range."),
    "body_incomplete":             FaultCode("The connection ended, or fell silent, before the body did.", "Send the request again."),
    "too_many_faults":             FaultCode("More than 1,000 things are wrong.", "Check that the body is of the shape that this call expects."),
    # fields
    "field_required":              FaultCode("The field is required.", "Send it."),
    "field_unknown":               FaultCode("There is no such field.", "Correct its name or place (`detail` names the field that was probably meant): a misspelt rule must not fall back to its default in silence."),
    "null_not_allowed":            FaultCode("The field may be left out, but not be null.", "Leave it out."),
    "value_not_allowed":           FaultCode("The value is none of those allowed.", "Use one of the values in `detail`; capital letters count."),
    "value_invalid":               FaultCode("The value does not have the form that the field asks for.", "See the field's description."),
    "not_a_string":                FaultCode("The value must be a string of valid Unicode.", "Send text in quotation marks."),
    "not_a_boolean":               FaultCode("The value must be true or false.", "Send the JSON literal, not text or a number."),
    "not_an_integer":              FaultCode("The value must be a whole number.", "Send a JSON number without a fraction."),
    "not_a_number":                FaultCode("The value must be a number.", "Send a JSON number, not text."),
    "not_an_array":                FaultCode("The value must be an array.", "Send a JSON array."),
    "not_an_object":               FaultCode("The value must be an object.", "Send a JSON object."),
    "number_out_of_range":         FaultCode("The number is outside its range.", "`detail` names the range."),
    "list_too_short":              FaultCode("The list has too few items.", "`detail` names the least."),
    "list_too_long":               FaultCode("The list has too many items.", "`detail` names the most."),
    "text_too_short":              FaultCode("The text is too short.", "`detail` names the least length."),
    "text_too_long":               FaultCode("The text is too long.", "`detail` names the greatest length."),
    "text_empty":                  FaultCode("The text is empty or all spaces.", "Send a text that says something, or leave the field out."),
    "text_malformed":              FaultCode("The text does not have the form of the field.", "See the field's pattern."),
    "text_has_outer_space":        FaultCode("The text begins or ends with a space.", "Trim it: identifiers that look alike must be alike."),
    "name_without_letter":         FaultCode("The name has no letter, so that nothing could ever match it.", "Send the name, or leave the field out."),
    "text_forbidden_character":    FaultCode("The text holds a control character.", "Remove it."),
    "uuid_malformed":              FaultCode("The value is no UUID in its 36-character form.", "Send it as it was answered."),
    # customers
    "email_malformed":             FaultCode("The text is no e-mail address.", "Send an address with a complete domain; internationalised ones are accepted."),
    "phone_number_malformed":      FaultCode("The number is not in E.164 form.", "Send `+`, the country code and the number: 2 to 15 digits, nothing else."),
    "customer_not_found":          FaultCode("No customer of this account has this `customer_id`, or it was erased.", "Create the customer first."),
    # pictures
    "image_empty":                 FaultCode("The image is empty.", "Send the file, or leave the field out."),
    "image_not_base64":            FaultCode("The image is not plain base64.", "Standard alphabet, padded, no `data:` prefix and no line breaks."),
    "image_too_large":             FaultCode("The image has more than 4,194,304 bytes before encoding.", "Make the picture smaller."),
    "image_format_not_supported":  FaultCode("The file is neither a JPEG nor a PNG.", "Convert it; renaming does not."),
    "image_damaged":               FaultCode("The file is damaged and cannot be decoded.", "Export or take the picture again."),
    "image_no_pixels":             FaultCode("The picture has no pixels.", "Export or take the picture again."),
    "image_too_many_pixels":       FaultCode("The picture has too many pixels.", "Scale it down: at most 40 million, a liveness frame at most 720 on its long side."),
    "image_too_narrow":            FaultCode("The picture is so narrow that nothing can be seen on it.", "Send a picture of ordinary proportions."),
    "image_too_many_scans":        FaultCode("The JPEG is made of far more passes than a picture needs.", "Export it again, not progressive."),
    "image_shows_no_face":         FaultCode("The picture shows no single face that could be searched for.", "Send one that shows one face, large and from the front."),
    "image_too_costly":            FaultCode("The picture takes too long, or too much memory, to decode.", "Export it again, smaller or not progressive."),
    "image_metadata_too_large":    FaultCode("The file carries a text or profile that unfolds to many megabytes.", "Export it without metadata."),
    # config
    "country_unknown":             FaultCode("The country is no assigned ISO 3166-1 alpha-2 code in upper case.", "`detail` names the code that was probably meant (`ESP` is `ES`, `UK` is `GB`)."),
    "date_malformed":              FaultCode("The date is no real day written YYYY-MM-DD.", "Send a full ISO-8601 date."),
    "date_in_future":              FaultCode("The date lies in the future.", "Check day and month."),
    "until_before_since":          FaultCode("`until` is earlier than `since`: no transaction could lie between them.", "Exchange them, or leave one out."),
    "max_age_below_min_age":       FaultCode("`expected_max_age` is lower than `expected_min_age`.", "Exchange them, or leave one out."),
    "target_documents_contradictory": FaultCode("The same country and type is listed twice with different `allow_expired`.", "List each kind of document once."),
    "webhook_url_not_https":       FaultCode("The address does not start with `https://` in lower case.", "Give an HTTPS address."),
    "webhook_url_too_long":        FaultCode("The address has more than 2,048 characters.", "Shorten it."),
    "webhook_url_forbidden_character": FaultCode("The address holds a space, a control character or a backslash.", "Percent-encode it."),
    "webhook_url_credentials":     FaultCode("The address holds a user name or password.", "Remove it; webhooks are signed instead."),
    "webhook_url_bad_host":        FaultCode("The address has no valid host name.", "Check the name."),
    "webhook_url_bad_port":        FaultCode("The port is no number from 1 to 65535.", "Check the port."),
    "webhook_address_not_allowed": FaultCode("The address leads where webhooks may not go.", "Give a public address, or ask the operator to allow this one."),
    # parameters and headers
    "parameter_unknown":           FaultCode("The address has a parameter that this call does not know.", "Correct its name: a misspelt filter must not be ignored in silence."),
    "parameter_repeated":          FaultCode("The parameter is given twice.", "Give it once."),
    "instant_malformed":           FaultCode("The value is no RFC 3339 timestamp with its offset.", "Send for example `2026-11-15T09:30:00Z`; a `+` of an offset must be written `%2B` in an address."),
    "cursor_malformed":            FaultCode("The cursor is none that this list has given.", "Use `next_cursor` of the page before."),
    "scenario_unknown":            FaultCode("There is no scenario of this name.", "Take a name from `GET …/test/scenarios`, or leave it out and say what is to be seen."),
    "scenario_not_for_this_type":  FaultCode("The scenario is not for transactions of this type.", "Take one whose `transaction_types` name it, or create a transaction of such a type."),
    "clock_too_far":               FaultCode("The time of the sandbox was moved as far as it can be.", "Make a new sandbox: `truename account create NAME --sandbox`."),
    "idempotency_key_malformed":   FaultCode("The header `Idempotency-Key` is given twice, or is not 1 to 255 printable ASCII characters.", "Send a UUID."),
    # the SDK's side
    "consent_text_unknown":        FaultCode("`text_version` is none that this service has shown.", "Send the `consent.text_version` of the session."),
    "document_incomplete":         FaultCode("Only one of `country` and `type` was given.", "Send both or neither."),
    "document_not_accepted":       FaultCode("This transaction does not accept such a document.", "Offer the person those of `documents` in the session."),
    "frames_out_of_order":         FaultCode("A frame's time or step does not follow the one before.", "Record in the order of the challenge, with rising times."),
    "frames_missing_step":         FaultCode("No frame shows a step of the challenge.", "Record every step."),
    "frames_repeated":             FaultCode("These frames were sent before.", "Record fresh ones."),
    "capture_missing":             FaultCode("This part was not captured, or not well enough.", "Capture it, then submit."),
    "location_without_permission": FaultCode("Coordinates stand without the permission `GRANTED`.", "Send them only when the person allowed it."),
    "location_incomplete":         FaultCode("Only one of latitude and longitude was given.", "Send both or neither."),
    "web_signs_from_native":       FaultCode("`web` stands with a platform other than `WEB`.", "Leave it out."),
}
# fmt: on
