"""The SDK's part of the interface: docs/reference/sdk-interface.md, call by call."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.tokens import SdkClaims
from truename.capture import handoff
from truename.capture.access import find_capture, open_capture, sdk_claims
from truename.capture.consent import give_consent
from truename.capture.document import SLOTS, Choice, Side, keep_take, take_document
from truename.capture.liveness import give_challenge, keep_frames, record_frames
from truename.capture.model import ClaimedHandoff, ConfirmedNumber, NewConsent, NewHandoff, SentFrames
from truename.capture.pictures import discard
from truename.capture.session import IMAGE_BYTES, describe_session
from truename.capture.signals import note_device
from truename.capture.submit import submit_capture
from truename.device.signals import DeviceSignals
from truename.media.pictures import StoredPicture
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Invalid, Refusal, RouteNotFound, UnsupportedMedia
from truename.plumbing.http.answers import instant, json_answer
from truename.plumbing.http.bodies import Nothing, read_body
from truename.plumbing.http.client_address import client_address
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.json_body import read_bounded
from truename.plumbing.http.operations import Answer, Endpoint, Operation
from truename.plumbing.http.problems import problem
from truename.plumbing.http.queries import Query
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.resources import Plumbing
from truename.rules.evidence import DocumentType
from truename.rules.faults import Fault
from truename.transactions.lifecycle import OPEN, Status

SMALL_BODY: Final = 64 * 1024
FRAMES_BODY: Final = 12 * 1024 * 1024

Body = TypeVar("Body", bound=BaseModel)
Work = Callable[[Connection], Awaitable[dict[str, Any] | Refusal | None]]


async def get_session(request: Request) -> Response:
    claims = await sdk_claims(request)
    async with _plumbing(request).database.account(claims.account_id) as connection:
        return json_answer(await describe_session(connection, await open_capture(connection, claims)))


async def get_status(request: Request) -> Response:
    claims = await sdk_claims(request)
    async with _plumbing(request).database.account(claims.account_id) as connection:
        capture, _ = await find_capture(connection, claims)
    told = {Status.CREATED: "IN_PROGRESS", Status.PROCESSING: "PROCESSING", Status.IN_REVIEW: "DONE"}
    kept = capture.status in OPEN or capture.status in (Status.EXPIRED, Status.CANCELLED)
    status = told.get(capture.status, capture.status if kept else "DONE")
    return json_answer({"status": status, "expires_at": instant(capture.expires_at)})


async def post_consent(request: Request) -> Response:
    claims = await sdk_claims(request)
    new, body = await _sent(request, NewConsent)
    return await _once(request, claims, body, lambda connection: give_consent(connection, claims, new))


async def post_device(request: Request) -> Response:
    claims = await sdk_claims(request)
    signals, body = await _sent(request, DeviceSignals)
    plumbing = _plumbing(request)

    async def note(connection: Connection) -> None:
        capture = await open_capture(connection, claims)
        await note_device(connection, plumbing, capture, signals, _address(request))

    return await _once(request, claims, body, note, 204)


async def post_document(request: Request) -> Response:
    claims = await sdk_claims(request)
    plumbing, side = _plumbing(request), cast(Side, request.path_params["side"])
    if side not in SLOTS:
        raise RouteNotFound
    choice = _choice(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in ("image/jpeg", "image/png"):
        raise UnsupportedMedia
    body = await read_bounded(request, IMAGE_BYTES)
    idempotent = _idempotent(request, claims, body)
    if (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    taken, picture = await take_document(plumbing, claims, side, choice, body)

    async def keep(connection: Connection) -> tuple[Response, list[str]]:
        answer, loose = await keep_take(connection, claims, side, choice, taken, picture)
        await _note_address(request, connection, claims)
        return json_answer(answer), loose

    return await _keeping(plumbing, idempotent, [picture], keep)


async def post_challenge(request: Request) -> Response:
    claims = await sdk_claims(request)
    _, body = await _sent(request, Nothing)
    return await _once(request, claims, body, lambda connection: give_challenge(connection, claims), 201)


async def post_liveness(request: Request) -> Response:
    claims = await sdk_claims(request)
    plumbing = _plumbing(request)
    sent, body = await _sent(request, SentFrames, FRAMES_BODY)
    idempotent = _idempotent(request, claims, body)
    if (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    recorded, stored = await record_frames(plumbing, claims, sent)

    async def keep(connection: Connection) -> tuple[Response, list[str]]:
        answer, loose = await keep_frames(connection, claims, sent, recorded, stored)
        await _note_address(request, connection, claims)
        return problem(request, answer) if isinstance(answer, Refusal) else json_answer(answer), loose

    return await _keeping(plumbing, idempotent, stored, keep)


async def post_submit(request: Request) -> Response:
    claims = await sdk_claims(request)
    _, body = await _sent(request, Nothing)
    plumbing = _plumbing(request)
    return await _once(
        request, claims, body, lambda connection: submit_capture(connection, plumbing, claims, _address(request)), 202
    )


async def post_handoff(request: Request) -> Response:
    claims = await sdk_claims(request)
    new, body = await _sent(request, NewHandoff)
    plumbing = _plumbing(request)
    return await _once(
        request,
        claims,
        body,
        lambda connection: handoff.offer(connection, plumbing, claims, new.device, _address(request)),
        201,
    )


async def get_handoff(request: Request) -> Response:
    claims = await sdk_claims(request)
    async with _plumbing(request).database.account(claims.account_id) as connection:
        return json_answer(await handoff.state_of(connection, claims))


async def post_handoff_claim(request: Request) -> Response:
    plumbing = _plumbing(request)
    limit = Limit("handoff", 60, 20)
    await count_call(request, request.app.state.rate_limiter, _address(request) or "unknown", limit)
    claimed, _ = await _sent(request, ClaimedHandoff)
    return json_answer(await handoff.claim(plumbing, claimed.code))


async def post_handoff_confirm(request: Request) -> Response:
    claims = await sdk_claims(request)
    confirmed, body = await _sent(request, ConfirmedNumber)
    return await _once(request, claims, body, lambda connection: handoff.confirm(connection, claims, confirmed.number))


async def post_handoff_refuse(request: Request) -> Response:
    claims = await sdk_claims(request)
    _, body = await _sent(request, Nothing)
    return await _once(request, claims, body, lambda connection: handoff.refuse(connection, claims))


# ── how all of them read and answer ────────────────────────────────────────────────────────────────────────


def _plumbing(request: Request) -> Plumbing:
    plumbing: Plumbing = request.app.state.plumbing
    return plumbing


def _address(request: Request) -> str | None:
    return client_address(request, _plumbing(request).settings.trusted_proxies)


async def _note_address(request: Request, connection: Connection, claims: SdkClaims) -> None:
    """Where each picture came from: a VPN that was up only for the upload was there all the same."""
    capture = await open_capture(connection, claims)
    await note_device(connection, _plumbing(request), capture, None, _address(request))


def _idempotent(request: Request, claims: SdkClaims, body: bytes) -> IdempotentRequest:
    """Idempotency keys of a capture are its own; what was answered dies with the customer, or by redaction."""
    client = f"sdk:{claims.transaction_id}"
    idempotent = IdempotentRequest(request, _plumbing(request), claims.account_id, client, body)
    idempotent.concerns(transaction_id=claims.transaction_id)
    return idempotent


async def _sent(request: Request, model: type[Body], limit: int = SMALL_BODY) -> tuple[Body, bytes]:
    return await read_body(request, model, limit)


async def _once(request: Request, claims: SdkClaims, body: bytes, work: Work, status: int = 200) -> Response:
    """Do the work in one database transaction, once for its key."""

    async def answer(connection: Connection) -> Response:
        done = await work(connection)
        if isinstance(done, Refusal):
            return problem(request, done)
        return Response(status_code=status) if done is None else json_answer(done, status)

    return await _idempotent(request, claims, body).run(answer)


async def _keeping(
    plumbing: Plumbing,
    idempotent: IdempotentRequest,
    stored: list[StoredPicture],
    keep: Callable[[Connection], Awaitable[tuple[Response, list[str]]]],
) -> Response:
    """Make stored pictures known in one database transaction, and delete those that are loose once it has committed."""
    loose: list[str] | None = None

    async def work(connection: Connection) -> Response:
        nonlocal loose
        answer, loose = await keep(connection)
        return answer

    fresh = [picture.object_key for picture in stored]
    try:
        answer = await idempotent.run(work)
    except BaseException:
        # Failed after the work was done: whether it committed is not known, so every picture stays.
        if loose is None:
            await discard(plumbing, fresh)
        raise
    await discard(plumbing, fresh if loose is None else loose)
    return answer


def _choice(request: Request) -> Choice:
    query = Query(request, ("country", "type", "source"))
    country, kind = query.text("country"), query.word("type", tuple(DocumentType))
    source = query.word("source", ("CAMERA", "FILE"))
    query.refuse_faults()
    if (country is None) != (kind is None):
        raise Invalid([Fault("/country", "document_incomplete", "Country and type go together.")])
    return Choice(country, DocumentType(kind) if kind else None, source or "CAMERA")


BASE: Final = "/api/sdk"


def _operation(method: str, path: str, endpoint: Endpoint, summary: str, status: int = 200) -> Operation:
    return Operation(method, BASE + path, endpoint, summary, "SDK", {status: Answer(summary)})


operations: Final = (
    _operation("GET", "/session", get_session, "What to capture, and how far the person has come"),
    _operation("GET", "/status", get_status, "Where the transaction stands, without its result"),
    _operation("POST", "/consent", post_consent, "Record the person's answer"),
    _operation("POST", "/device", post_device, "Report device signals", 204),
    _operation("POST", "/document/{side}", post_document, "Send one side of the document"),
    _operation("POST", "/liveness/challenge", post_challenge, "Ask for a liveness challenge", 201),
    _operation("POST", "/liveness", post_liveness, "Send the frames of the challenge"),
    _operation("POST", "/submit", post_submit, "Finish the capture", 202),
    _operation("POST", "/handoff", post_handoff, "Offer the capture to a phone", 201),
    _operation("GET", "/handoff", get_handoff, "Where the hand-off stands"),
    _operation("POST", "/handoff/claim", post_handoff_claim, "Open the hand-off on the phone"),
    _operation("POST", "/handoff/confirm", post_handoff_confirm, "Name the number on the computer"),
    _operation("POST", "/handoff/refuse", post_handoff_refuse, "Say that one did not start this"),
)
