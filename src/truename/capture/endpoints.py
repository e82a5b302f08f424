"""The SDK's part of the interface: docs/reference/sdk-interface.md, call by call."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from truename.accounts.tokens import SdkClaims
from truename.capture import handoff
from truename.capture.access import find_capture, open_capture, sdk_claims
from truename.capture.consent import give_consent
from truename.capture.document import KINDS, keep_take, look_at_side, refuse_useless_take
from truename.capture.liveness import (
    give_challenge,
    keep_frames,
    look_at_frames,
    refuse_false_answer,
    refuse_useless_answer,
)
from truename.capture.model import ClaimedHandoff, ConfirmedNumber, NewConsent, NewHandoff, SentFrames, WantedChallenge
from truename.capture.pictures import store_all_sealed, store_sealed
from truename.capture.replays import were_sent_before
from truename.capture.session import IMAGE_BYTES, describe_session, status_of
from truename.capture.signals import note_device
from truename.capture.submit import submit_capture
from truename.capture.takes import Choice
from truename.capture.uploads import ask_first, keep_pictures
from truename.device.signals import DeviceSignals
from truename.media.pictures import MediaKind
from truename.plumbing.database.pool import Connection
from truename.plumbing.errors import Refusal, RouteNotFound, UnsupportedMedia, WrongState
from truename.plumbing.http.answers import json_answer
from truename.plumbing.http.bodies import Nothing, Shown, read_body
from truename.plumbing.http.client_address import client_address
from truename.plumbing.http.hang_up import unless_hung_up
from truename.plumbing.http.idempotency import IdempotentRequest
from truename.plumbing.http.json_body import read_bounded
from truename.plumbing.http.problems import problem
from truename.plumbing.http.queries import Query
from truename.plumbing.http.rate_limits import Limit, count_call
from truename.plumbing.resources import Plumbing
from truename.rules.evidence import DocumentType
from truename.rules.faults import Fault, did_you_mean, nearest
from truename.transactions.lifecycle import Status, begin
from truename.vision.captures import Side

SMALL_BODY: Final = 64 * 1024
FRAMES_BODY: Final = 12 * 1024 * 1024

Body = TypeVar("Body", bound=BaseModel)
Work = Callable[[Connection], Awaitable[Shown | Refusal | None]]


async def get_session(request: Request) -> Response:
    """Answer everything that the SDK needs to know of its transaction; the first call begins the capture."""
    claims = await sdk_claims(request)
    async with _plumbing(request).database.account(claims.account_id) as connection:
        capture = await open_capture(connection, claims, lock=False)
        return json_answer(await describe_session(connection, capture, _plumbing(request).settings.screen_light))


async def get_status(request: Request) -> Response:
    """Answer how far the transaction is, also after its submission; what page and phone poll.

    It begins the capture as any first call does: what is told to be in progress is.
    """
    claims = await sdk_claims(request)
    async with _plumbing(request).database.account(claims.account_id) as connection:
        capture, _ = await find_capture(connection, claims, lock=False)
        if capture.status is Status.CREATED:
            with suppress(WrongState):  # it was cancelled this very moment: the next poll says so
                await begin(connection, capture.account_id, capture.transaction_id)
    return json_answer(status_of(capture))


async def post_consent(request: Request) -> Response:
    """Record the person's answer to the consent text."""
    claims = await sdk_claims(request)
    new, body = await _sent(request, NewConsent)
    return await _once(request, claims, body, lambda connection: give_consent(connection, claims, new))


async def post_device(request: Request) -> Response:
    """Note what the device reports of itself, and the address it connects from."""
    claims = await sdk_claims(request)
    signals, body = await _sent(request, DeviceSignals)
    plumbing = _plumbing(request)

    async def note(connection: Connection) -> None:
        capture = await open_capture(connection, claims)
        await note_device(connection, plumbing, capture, signals, _address(request))

    return await _once(request, claims, body, note, 204)


async def post_document(request: Request) -> Response:
    """Keep a picture of one side of the document and say whether it is good enough."""
    claims = await sdk_claims(request)
    plumbing = _plumbing(request)
    if (named := request.path_params["side"]) not in set(Side):
        raise RouteNotFound(RouteNotFound.words + did_you_mean(nearest(named, Side)))
    side = Side(request.path_params["side"])
    choice = _choice(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in ("image/jpeg", "image/png"):
        raise UnsupportedMedia
    capture = await ask_first(
        request, claims, lambda connection: refuse_useless_take(connection, claims, side, choice, lock=False)
    )
    body = await read_bounded(request, IMAGE_BYTES)
    idempotent = _idempotent(request, claims, body)
    if (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    if isinstance(capture, Refusal):
        raise capture
    taken = await unless_hung_up(request, look_at_side(plumbing, claims, side, body))
    picture = await store_sealed(plumbing, capture, taken.image, KINDS[side])

    async def keep(connection: Connection) -> tuple[Response, list[str]]:
        locked = await refuse_useless_take(connection, claims, side, choice)
        answer, loose = await keep_take(connection, locked, side, choice, taken, picture)
        await note_device(connection, plumbing, locked, None, _address(request))
        return json_answer(answer), loose

    return await keep_pictures(plumbing, idempotent, [picture], keep)


async def post_challenge(request: Request) -> Response:
    """Give a liveness challenge, which voids the one before."""
    claims = await sdk_claims(request)
    wanted, body = await _sent(request, WantedChallenge)
    light = wanted.light and _plumbing(request).settings.screen_light
    return await _once(request, claims, body, lambda connection: give_challenge(connection, claims, light), 201)


async def post_liveness(request: Request) -> Response:
    """Keep the frames that answer a challenge, unless they were sent before or do not follow it."""
    claims = await sdk_claims(request)
    plumbing = _plumbing(request)
    capture = await ask_first(request, claims, lambda connection: refuse_useless_answer(connection, claims, lock=False))
    sent, body = await _sent(request, SentFrames, FRAMES_BODY)
    idempotent = _idempotent(request, claims, body)
    # Before the earlier answer is looked for: this waits for frames that are just being kept, and then calls the
    # challenge used, although it was this very request that has used it.
    asked = await ask_first(
        request, claims, lambda connection: refuse_false_answer(connection, claims, sent, lock=False)
    )
    if (earlier := await idempotent.earlier_answer()) is not None:
        return earlier
    if isinstance(capture, Refusal):
        raise capture
    if isinstance(asked, Refusal):
        raise asked
    recorded = await unless_hung_up(request, look_at_frames(plumbing, claims, sent))
    before = await unless_hung_up(request, were_sent_before(plumbing, capture, recorded.small))
    stored = await store_all_sealed(plumbing, capture, recorded.frames, MediaKind.LIVENESS_FRAME)

    async def keep(connection: Connection) -> tuple[Response, list[str]]:
        locked, steps = await refuse_false_answer(connection, claims, sent)
        answer, loose = await keep_frames(connection, locked, sent, steps, recorded, stored, sent_before=before)
        await note_device(connection, plumbing, locked, None, _address(request))
        return problem(request, answer) if isinstance(answer, Refusal) else json_answer(answer), loose

    return await keep_pictures(plumbing, idempotent, stored, keep)


async def post_submit(request: Request) -> Response:
    """Close the capture and ask for the analysis; refuses (409) while a part is missing."""
    claims = await sdk_claims(request)
    _, body = await _sent(request, Nothing)
    plumbing = _plumbing(request)
    return await _once(
        request, claims, body, lambda connection: submit_capture(connection, plumbing, claims, _address(request)), 202
    )


async def post_handoff(request: Request) -> Response:
    """Offer a link with which a phone takes over; it voids the one before."""
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
    """Answer what became of the link, for the computer that waits."""
    claims = await sdk_claims(request)
    async with _plumbing(request).database.account(claims.account_id) as connection:
        return json_answer(await handoff.state_of(connection, claims))


async def post_handoff_claim(request: Request) -> Response:
    """Give the phone that opens the link a token of its own. The code is the secret: no token is needed.

    It works once; whoever lost the answer is given it again by the key of that call.
    """
    plumbing = _plumbing(request)
    limit = Limit("handoff", 60, 20)
    address = plumbing.vault.keyed_hash("address of a hand-off", _address(request) or "unknown").hex()
    await count_call(request, request.app.state.rate_limiter, address, limit)
    claimed, body = await _sent(request, ClaimedHandoff)
    owner = await handoff.owner_of(plumbing, claimed.code)

    async def work(connection: Connection) -> Response:
        return json_answer(await handoff.claim(connection, plumbing, owner, claimed.code))

    return await _idempotent(request, owner, body).run(work)


async def post_handoff_confirm(request: Request) -> Response:
    """Let the phone go on when the person names the computer's number; there is one guess."""
    claims = await sdk_claims(request)
    confirmed, body = await _sent(request, ConfirmedNumber)
    return await _once(request, claims, body, lambda connection: handoff.confirm(connection, claims, confirmed.number))


async def post_handoff_refuse(request: Request) -> Response:
    """End a hand-off that the person on the phone did not start."""
    claims = await sdk_claims(request)
    _, body = await _sent(request, Nothing)
    return await _once(request, claims, body, lambda connection: handoff.refuse(connection, claims))


# ── how all of them read and answer ────────────────────────────────────────────────────────────────────────


def _plumbing(request: Request) -> Plumbing:
    plumbing: Plumbing = request.app.state.plumbing
    return plumbing


def _address(request: Request) -> str | None:
    return client_address(request, _plumbing(request).settings.trusted_proxies)


def _idempotent(request: Request, of: SdkClaims | handoff.Owner, body: bytes) -> IdempotentRequest:
    """Idempotency keys of a capture are its own; what was answered dies with the customer, or by redaction."""
    client = f"sdk:{of.transaction_id}"
    idempotent = IdempotentRequest(request, _plumbing(request), of.account_id, client, body)
    idempotent.concerns(transaction_id=of.transaction_id)
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


def _choice(request: Request) -> Choice:
    query = Query(request, ("country", "type", "source"))
    country, kind = query.text("country"), query.word("type", tuple(DocumentType))
    source = query.word("source", ("CAMERA", "FILE"))
    if (country is None) != (query.text("type") is None):
        query.faults.append(Fault("/country", "document_incomplete", "Country and type go together."))
    query.refuse_faults()
    return Choice(country, DocumentType(kind) if kind else None, source or "CAMERA")
