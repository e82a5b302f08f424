"""From the computer to the phone and back, between two browser contexts on the real service."""

import pytest

from tests.browser.conftest import Films, Open
from tests.browser.test_flow import New, new_transaction, photograph_document  # noqa: F401
from tests.support.browser import DESKTOP, PHONE
from tests.support.camera import Lens

pytestmark = pytest.mark.browser


async def test_a_phone_takes_over_and_the_computer_follows(
    visit: Open,
    lens: Lens,
    films: Films,
    live_server: str,
    new_transaction: New,  # noqa: F811
) -> None:
    made = await new_transaction("DOCUMENT_ONLY")
    computer = await visit(address=live_server, **DESKTOP)
    await computer.open(f"t={made['sdk_token']}")
    await computer.press("Agree and continue")
    await computer.heading("Continue on your phone")
    link = await computer.page.input_value("#handoff-link")
    number = await computer.page.inner_text("p.number")

    phone = await visit(address=live_server, **PHONE)
    await phone.open(link.partition("#")[2])
    await phone.heading("Did you start this?")
    assert phone.page.url == f"{live_server}/verify/"
    await computer.heading("Your phone has opened the link")
    await phone.accessible("confirm on the phone")
    await phone.press(number)
    await computer.heading("Your phone is connected")
    await photograph_document(phone, lens, films["passport"], "DE", "Passport")
    await phone.heading("All done here")
    assert "computer" in await phone.page.inner_text("main")
    await computer.heading("All done")

    # The code was used: another phone gets nothing.
    other = await visit(address=live_server, **PHONE)
    await other.open(link.partition("#")[2])
    await other.heading("This code no longer works")


async def test_a_wrong_number_connects_nobody(
    visit: Open,
    live_server: str,
    new_transaction: New,  # noqa: F811
) -> None:
    made = await new_transaction("DOCUMENT_ONLY")
    computer = await visit(address=live_server, **DESKTOP)
    await computer.open(f"t={made['sdk_token']}")
    await computer.press("Agree and continue")
    await computer.heading("Continue on your phone")
    link = await computer.page.input_value("#handoff-link")
    number = await computer.page.inner_text("p.number")
    phone = await visit(address=live_server, **PHONE)
    await phone.open(link.partition("#")[2])
    await phone.heading("Did you start this?")
    wrong = [text for text in await phone.page.locator(".numbers button").all_inner_texts() if text != number]
    await phone.press(wrong[0])
    await phone.heading("This code no longer works")
    await computer.heading("The phone did not connect")
    await computer.press("New code")
    await computer.heading("Continue on your phone")
