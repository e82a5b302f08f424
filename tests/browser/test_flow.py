"""From consent to a decision in a real browser, against the real service and its real analysis: nothing is scripted."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from tests.browser.conftest import Films, Open, Visit
from tests.support.browser import PHONE
from tests.support.camera import Lens
from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.worker import run_worker
from truename.plumbing.resources import Plumbing
from truename.wiring import load_jobs

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

KYC = "/api/account/integration/kyc"
POLICIES = (
    "on_compromised_device",
    "on_developer_mode",
    "on_emulator",
    "on_vpn_or_proxy",
    "on_gps_mock_location",
    "on_gps_ip_location_mismatch",
)
# A driven browser says so (navigator.webdriver), and no place is asked for here.
NO_SUSPICION = dict.fromkeys(POLICIES, "IGNORE")

New = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def new_transaction(client: aiohttp.ClientSession) -> New:
    async def make(kind: str, **config: Any) -> dict[str, Any]:
        async with client.post(f"{KYC}/customer", json={"external_customer_id": str(new_id())}) as answer:
            customer = (await answer.json())["customer_id"]
        body = {"customer_id": customer, "transaction_type": kind}
        body["config"] = {"device_policy": NO_SUSPICION, **config}
        async with client.post(f"{KYC}/transaction", json=body) as answer:
            assert answer.status == 201, await answer.text()
            return dict(await answer.json())

    return make


async def result_of(client: aiohttp.ClientSession, plumbing: Plumbing, transaction: str) -> dict[str, Any]:
    load_jobs()
    await run_worker(plumbing, until_empty=True, handle_signals=False)
    async with client.get(f"{KYC}/transaction/{transaction}") as answer:
        return dict(await answer.json())


async def photograph_document(one: Visit, lens: Lens, film: Any, country: str, kind: str) -> None:
    lens.see(film)
    await one.heading("Choose your document")
    await one.page.select_option("tn-choose select", country)
    await one.page.locator(".choice", has_text=kind).click()
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")


async def show_face(one: Visit, lens: Lens, films: Films) -> None:
    lens.see(films["person"])
    await one.heading("Now your face")
    await one.press("I’m ready")
    await one.page.get_by_role("heading", name="Follow the movements").wait_for(timeout=60_000)
    await one.accessible("live challenge")
    end = one.page.get_by_role("heading", name=re.compile("All done|Let’s try that again"))
    for _ in range(3):
        await end.wait_for(timeout=90_000)
        if "All done" in await end.inner_text():
            return
        # On a busy machine the film may be over before a movement is seen, as it may be with a person.
        print("again:", await one.page.inner_text(".lead"), await one.page.locator(".reasons").all_inner_texts())
        await one.press("Try again")
    await one.heading("All done")


async def test_a_document_and_a_face_are_captured_and_decided(
    visit: Open,
    lens: Lens,
    films: Films,
    live_server: str,
    plumbing: Plumbing,
    client: aiohttp.ClientSession,
    new_transaction: New,
) -> None:
    made = await new_transaction("DOCUMENT_AND_BIOMETRIC")
    one = await visit(address=live_server, **PHONE)
    await one.open(f"t={made['sdk_token']}")
    await one.heading("Let’s confirm it’s you")
    await one.press("Agree and continue")
    await photograph_document(one, lens, films["passport"], "DE", "Passport")
    await show_face(one, lens, films)
    result = await result_of(client, plumbing, made["transaction_id"])
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]], result["biometrics"])
    assert result["document"]["fields"]["surnames"]["value"] == "MUSTERMANN"
    assert "DOCUMENT_VS_LIVENESS_FACE_MISMATCH" not in [issue["code"] for issue in result["issues"]]
    assert "LIVENESS_LOW_CONFIDENCE" not in [issue["code"] for issue in result["issues"]]
    assert result["status"] == "APPROVED"


async def test_a_document_alone_is_captured_and_decided(
    visit: Open,
    lens: Lens,
    films: Films,
    live_server: str,
    plumbing: Plumbing,
    client: aiohttp.ClientSession,
    new_transaction: New,
) -> None:
    made = await new_transaction("DOCUMENT_ONLY")
    one = await visit(address=live_server, **PHONE)
    await one.open(f"t={made['sdk_token']}")
    await one.press("Agree and continue")
    await photograph_document(one, lens, films["id front"], "DE", "Identity card")
    await one.heading("Now turn it over")
    lens.see(films["id back"])
    await one.press("Start camera")
    await one.heading("Is everything readable?")
    await one.press("Use this photo")
    await one.heading("All done")
    result = await result_of(client, plumbing, made["transaction_id"])
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]])
    assert result["status"] == "APPROVED"
    assert result["document"]["type"] == "NATIONAL_ID"
    # The link is used up: opening it again says so and offers nothing to capture.
    await one.open(f"t={made['sdk_token']}")
    await one.heading("All done")


async def test_a_face_alone_is_captured_and_decided(
    visit: Open,
    lens: Lens,
    films: Films,
    live_server: str,
    plumbing: Plumbing,
    client: aiohttp.ClientSession,
    new_transaction: New,
) -> None:
    made = await new_transaction("BIOMETRIC_ONLY")
    one = await visit(address=live_server, **PHONE)
    await one.open(f"t={made['sdk_token']}")
    await one.press("Agree and continue")
    await show_face(one, lens, films)
    result = await result_of(client, plumbing, made["transaction_id"])
    print(result["status"], [(issue["code"], issue["details"]) for issue in result["issues"]], result["biometrics"])
    assert result["status"] == "APPROVED"
    assert result["biometrics"]["liveness"]["score"] >= 0.85
