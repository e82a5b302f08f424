"""A decoder that the machine gives no time: the picture is not to blame, so nobody is refused or judged for it."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.support import bombs
from tests.support.api import CUSTOMER, b64, person_id, problem
from tests.support.loopback import serving
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.analysis.analyse import _why
from truename.cli.doors import application
from truename.plumbing.jobs.engine import is_outage
from truename.plumbing.resources import Plumbing
from truename.vision.decoding.decoder import Decoder, DecoderStarved, DecodingLimits
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.pool import Decoders, NotDecodedAgain
from truename.vision.decoding.protocol import Wanted
from truename.vision.examine import _decoded


@pytest.fixture
async def starved(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Decoders]:
    """Decoders whose one process for ordinary pictures has been stopped."""
    monkeypatch.setattr("truename.vision.decoding.decoder.PATIENCE", 3)
    pool = Decoders(DecodingLimits(decoders=1, seconds=0.5))
    await pool.start()
    stop(pool)
    yield pool
    await pool.close()


def stop(pool: Decoders) -> None:
    for decoder in pool._quick.decoders:
        os.kill(decoder.process_id or 0, signal.SIGSTOP)


async def test_a_starved_decoder_is_no_fault_of_the_picture_and_makes_nobody_a_suspect(starved: Decoders) -> None:
    with pytest.raises(DecoderStarved):
        await starved.decode(bombs.photo(64, 48), "honest")
    assert not starved._is_suspect("honest")
    assert (await starved.decode(bombs.photo(64, 48), "honest")).width == 64  # by a process that was made anew


@pytest.mark.slow
@pytest.mark.parametrize("picture", [bombs.photo(64, 48), bombs.photo(64, 48) + bytes(4_000_000)])
async def test_a_frozen_decoder_is_replaced_and_the_picture_decoded(picture: bytes) -> None:
    """Seen before: its sender was asked to come again, after 18 seconds. The second does not fit into the socket."""
    pool = Decoders(DecodingLimits(decoders=1))
    await pool.start()
    stop(pool)
    try:
        assert (await pool.decode(picture, "honest")).width == 64
        assert not pool._is_suspect("honest")
    finally:
        await pool.close()


class Freezing(ForkServer):
    """Each process that it makes is stopped at once."""

    def make(self, *, memory: int, niceness: int = 0) -> tuple[int, socket.socket]:
        process, connection = super().make(memory=memory, niceness=niceness)
        os.kill(process, signal.SIGSTOP)
        return process, connection


def test_where_the_new_decoder_is_frozen_too_the_picture_is_not_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truename.vision.decoding.decoder.FROZEN_SECONDS", 0.5)
    server = Freezing()
    decoder = Decoder(server, DecodingLimits())
    try:
        with pytest.raises(DecoderStarved):
            decoder.decode(bombs.photo(64, 48), Wanted(), 600.0)
    finally:
        decoder.close()
        server.close()


async def test_a_frozen_fork_server_is_replaced_instead_of_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seen before: with its decoders gone each upload waited for as long as it was frozen."""
    monkeypatch.setattr("truename.vision.decoding.fork_server.FORK_SECONDS", 1.0)
    pool = Decoders(DecodingLimits(decoders=1))
    await pool.start()
    frozen = freeze_fork_server(pool)
    try:
        async with asyncio.timeout(60):
            assert (await pool.decode(bombs.photo(64, 48), "honest")).width == 64
        assert pool._fork_server.process_id != frozen
    finally:
        end(frozen)
        await pool.close()


async def test_where_no_fork_server_answers_the_picture_is_not_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was answered as a defect."""
    monkeypatch.setattr("truename.vision.decoding.fork_server.FORK_SECONDS", 0.2)
    monkeypatch.setattr("truename.vision.decoding.fork_server.LOAD_SECONDS", 0.0)
    pool = Decoders(DecodingLimits(decoders=1))
    try:
        with pytest.raises(DecoderStarved):
            await pool.decode(bombs.photo(64, 48), "honest")
        assert not pool._is_suspect("honest")
    finally:
        await pool.close()


async def test_to_cancel_never_waits_for_a_frozen_fork_server() -> None:
    """The event loop does it: it would stand still, and everybody with it."""
    server = ForkServer()
    process, connection = server.make(memory=512 * 1024 * 1024)
    frozen = server.process_id or 0
    os.kill(frozen, signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):
            await asyncio.to_thread(kill_often, server, process)
    finally:
        end(frozen)
        connection.close()
        server.close()


def kill_often(server: ForkServer, process: int) -> None:
    """More orders than its socket holds."""
    for _ in range(5000):
        server.kill(process)


def freeze_fork_server(pool: Decoders) -> int:
    """Its children are gone, and it is stopped; its process id."""
    server = pool._fork_server.process_id or 0
    os.kill(server, signal.SIGSTOP)
    for process in pool.processes():
        os.kill(process, signal.SIGKILL)
    return server


def end(process: int) -> None:
    """Whatever came of it: what is stopped would stay for ever."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


async def test_an_analysis_is_tried_again_instead_of_judging_a_picture_as_missing(starved: Decoders) -> None:
    with pytest.raises(DecoderStarved) as caught:
        await asyncio.to_thread(_decoded, bombs.photo(64, 48), starved.in_thread("analysis"))
    assert is_outage(caught.value)


async def test_a_kept_picture_for_which_there_is_no_memory_now_is_not_held_against_who_sent_it() -> None:
    """It was judged as one that nobody can read, and an honest person refused."""
    short = Decoders(DecodingLimits(decoders=1, memory_mb=16))
    try:
        with pytest.raises(NotDecodedAgain) as caught:
            await asyncio.to_thread(_decoded, bombs.photo(3000, 2000), short.in_thread("analysis"))
        assert _why(caught.value) == "PICTURE_NOT_DECODED"
        assert not is_outage(caught.value), "tried a few times, not for ever"
        assert await asyncio.to_thread(_decoded, b"no picture", short.in_thread("analysis")) is None
    finally:
        await short.close()


async def test_a_caller_is_asked_to_come_again(plumbing, an_account, starved: Decoders) -> None:
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, SCOPES)
    own = Plumbing(plumbing.settings, plumbing.database, plumbing.objects, plumbing.vault, decoders=starved)
    body = {"external_customer_id": person_id(), "face_reference_image": b64(bombs.photo(64, 48))}
    async with (
        serving(application(own)) as address,
        aiohttp.ClientSession(address, headers={"Authorization": f"Bearer {token}"}) as caller,
    ):
        stop(starved)  # also where the start of the service has made it anew
        async with caller.post(CUSTOMER, json=body) as answer:
            told = await problem(answer, 503)
            assert (told["code"], answer.headers["Retry-After"]) == ("not_ready", "5")
            assert told["detail"] == "The machine is too busy to decode the picture."
        async with caller.post(CUSTOMER, json=body) as answer:
            assert answer.status == 201, await answer.text()
