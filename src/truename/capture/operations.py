"""How the SDK's part of the interface is described."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from truename.capture import answers, endpoints
from truename.capture.model import ClaimedHandoff, ConfirmedNumber, NewConsent, NewHandoff, SentFrames, WantedChallenge
from truename.device.signals import DeviceSignals
from truename.plumbing.http.bodies import Nothing
from truename.plumbing.http.operations import Answer, Endpoint, Operation, parameter
from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType

BASE: Final = "/api/sdk"
SDK_TOKEN: Final[tuple[Mapping[str, list[str]], ...]] = ({"sdk_token": []},)


def _get(path: str, endpoint: Endpoint, name: str, summary: str, answer: type[BaseModel]) -> Operation:
    return Operation(
        "GET",
        BASE + path,
        endpoint,
        summary=summary,
        tag="SDK",
        name=name,
        security=SDK_TOKEN,
        answers={200: Answer(summary + ".", answer)},
        refusals=(401, 404, 409),
    )


def _post(
    path: str,
    endpoint: Endpoint,
    name: str,
    summary: str,
    body: type[BaseModel],
    answer: type[BaseModel] | None,
    status: int = 200,
) -> Operation:
    return Operation(
        "POST",
        BASE + path,
        endpoint,
        summary=summary,
        tag="SDK",
        name=name,
        security=SDK_TOKEN,
        body=body,
        answers={status: Answer(summary + ".", answer)},
        refusals=(401, 404, 409),
    )


operations: Final = (
    _get("/session", endpoints.get_session, "getSession", "What to capture, and how far it is", answers.Session),
    _get(
        "/status",
        endpoints.get_status,
        "getCaptureStatus",
        "Where it stands, not its result",
        answers.CaptureStatus,
    ),
    _post(
        "/consent",
        endpoints.post_consent,
        "giveConsent",
        "Record the person's answer",
        NewConsent,
        answers.ConsentRecorded,
    ),
    _post("/device", endpoints.post_device, "reportDevice", "Report device signals", DeviceSignals, None, 204),
    Operation(
        "POST",
        BASE + "/document/{side}",
        endpoints.post_document,
        summary="Send one side of the document",
        tag="SDK",
        name="sendDocument",
        description="The body is the picture itself. The answer tells at once whether it is usable, so that the person "
        "can take it again.",
        security=SDK_TOKEN,
        pictures=True,
        parameters=(
            parameter("side", "path", {"type": "string", "enum": ["front", "back"]}, "Which side it shows."),
            parameter(
                "country",
                "query",
                {"type": "string", "enum": list(COUNTRIES)},
                "What the person chose, with `type`: one of the session's `documents`.",
            ),
            parameter(
                "type",
                "query",
                {"type": "string", "enum": [kind.value for kind in DocumentType]},
                "What the person chose, with `country`.",
            ),
            parameter(
                "source",
                "query",
                {"type": "string", "enum": ["CAMERA", "FILE"], "default": "CAMERA"},
                "Where the picture comes from.",
            ),
        ),
        answers={200: Answer("Whether the picture is usable.", answers.DocumentTaken)},
        refusals=(401, 409),
    ),
    _post(
        "/liveness/challenge",
        endpoints.post_challenge,
        "createChallenge",
        "Ask for a liveness challenge",
        WantedChallenge,
        answers.Challenge,
        201,
    ),
    _post(
        "/liveness",
        endpoints.post_liveness,
        "sendLiveness",
        "Send the frames of the challenge",
        SentFrames,
        answers.FramesTaken,
    ),
    _post("/submit", endpoints.post_submit, "submitCapture", "Finish the capture", Nothing, answers.Submitted, 202),
    _post(
        "/handoff",
        endpoints.post_handoff,
        "offerHandoff",
        "Offer the capture to a phone",
        NewHandoff,
        answers.HandoffOffered,
        201,
    ),
    _get("/handoff", endpoints.get_handoff, "getHandoff", "Where the hand-off stands", answers.HandoffState),
    Operation(
        "POST",
        BASE + "/handoff/claim",
        endpoints.post_handoff_claim,
        summary="Open the hand-off on the phone",
        tag="SDK",
        name="claimHandoff",
        description="Needs no token: the code is the proof, and it works once. Whoever lost the answer is given it "
        "again by the same `Idempotency-Key`.",
        body=ClaimedHandoff,
        answers={200: Answer("A token of the phone's own.", answers.HandoffClaimed)},
        refusals=(401, 404, 409),
    ),
    _post(
        "/handoff/confirm",
        endpoints.post_handoff_confirm,
        "confirmHandoff",
        "Name the number on the computer",
        ConfirmedNumber,
        answers.HandoffConfirmed,
    ),
    _post(
        "/handoff/refuse",
        endpoints.post_handoff_refuse,
        "refuseHandoff",
        "Say that one did not start this",
        Nothing,
        answers.HandoffRefused,
    ),
)
