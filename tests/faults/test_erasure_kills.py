"""A service that is killed between the answer to an erasure and the end of its work leaves nothing behind."""

import base64
import signal
from pathlib import Path

import aiohttp
import pytest

from tests.support.api import KYC, saved
from tests.support.served import Served, served
from tests.support.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


async def signed_in(service: Served) -> aiohttp.ClientSession:
    asking = {
        "grant_type": "client_credentials",
        "client_id": service.credential("client_id"),
        "client_secret": service.credential("client_secret"),
    }
    session = aiohttp.ClientSession(service.url)
    async with session.post("/oauth/token", data=asking) as answer:
        session.headers["Authorization"] = f"Bearer {(await answer.json())['access_token']}"
    return session


def pictures(data: Path) -> list[Path]:
    return [path for path in (data / "media").rglob("*") if path.is_file()]


async def test_pictures_go_although_the_service_was_killed_right_after_the_answer(tmp_path):
    data = tmp_path / "data"
    service = Served(data, "--no-worker").wait_until_ready()
    session = await signed_in(service)
    try:
        image = base64.b64encode(saved("JPEG")).decode()
        body = {"external_customer_id": "ana", "face_reference_image": image}
        async with session.post(f"{KYC}/customer", json=body) as answer:
            assert answer.status == 201, await answer.text()
            customer = (await answer.json())["customer_id"]
        assert len(pictures(data)) == 1
        async with session.delete(f"{KYC}/customer/{customer}") as answer:
            assert answer.status == 200
    finally:
        await session.close()
        service.stop(signal.SIGKILL)
    assert len(pictures(data)) == 1, "nobody was there to do the job"

    async def gone() -> bool:
        return pictures(data) == []

    with served(data):
        await until(gone, 60)
