"""From the computer to the phone and back, between two browser contexts on the real service."""

import pytest

from tests.support.browser import DESKTOP, PHONE
from tests.support.camera import Lens
from tests.support.faulty_network import Cut, FaultyNetwork
from tests.support.links import Link
from tests.support.visits import Films, NewLink, Open, Visit, photograph_document

pytestmark = pytest.mark.browser


async def at_the_computer(visit: Open, link: Link, **where: str) -> tuple[Visit, str, str]:
    """The computer's page once it shows its code, the code's fragment and its number."""
    computer = await visit(**where, **DESKTOP)
    await computer.open(await link.agreed())
    await computer.heading("Continue on your phone")
    shown = await computer.page.input_value("#handoff-link")
    return computer, shown.partition("#")[2], await computer.page.inner_text("p.number")


async def test_a_phone_takes_over_and_the_computer_follows(
    visit: Open, lens: Lens, films: Films, new_link: NewLink
) -> None:
    computer, code, number = await at_the_computer(visit, await new_link("DOCUMENT_ONLY"))
    drawn = "(image) => image.decode().then(() => image.naturalWidth > 0)"
    assert await computer.page.locator(".qr img").evaluate(drawn)
    await computer.accessible("hand-off")

    phone = await visit(**PHONE)
    reports: list[str] = []
    phone.page.on("request", lambda request: reports.append(request.url) if "/sdk/device" in request.url else None)
    await phone.open(code)
    await phone.heading("Did you start this?")
    assert phone.page.url == f"{phone.address}/verify/"
    assert "Chrome · Linux" in await phone.page.inner_text("main"), "the phone tells which device began"
    await computer.heading("Your phone has opened the link")
    await computer.accessible("hand-off opened")
    await phone.accessible("confirm on the phone")
    await phone.press(number)
    await computer.heading("Your phone is connected")
    await computer.accessible("hand-off connected")
    await photograph_document(phone, lens, films["passport"], "DE", "Passport")
    await phone.heading("All done here")
    assert reports, "the phone reports itself, also when the computer has done so"
    assert "computer" in await phone.page.inner_text("main")
    await computer.heading("All done")

    # The code was used: another phone gets nothing.
    other = await visit(**PHONE)
    await other.open(code)
    await other.heading("This code no longer works")


async def test_a_code_serves_nobody_with_a_wrong_number_who_did_not_start_it_or_who_comes_too_late(
    visit: Open, new_link: NewLink
) -> None:
    link = await new_link("DOCUMENT_ONLY")
    computer, code, number = await at_the_computer(visit, link)
    phone = await visit(**PHONE)
    await phone.open(code)
    await phone.heading("Did you start this?")
    wrong = [text for text in await phone.page.locator(".numbers button").all_inner_texts() if text != number]
    await phone.press(wrong[0])
    await phone.heading("This code no longer works")
    await phone.accessible("wrong number")
    await computer.heading("The phone did not connect")
    await computer.accessible("hand-off refused")

    async def another() -> str:
        await computer.press("New code")
        await computer.heading("Continue on your phone")
        return (await computer.page.input_value("#handoff-link")).partition("#")[2]

    codes = [code, await another()]
    await phone.page.goto("about:blank")
    await phone.open(codes[1])
    await phone.heading("Did you start this?")
    await phone.press("I did not start this")
    await phone.heading("Stopped")
    await phone.accessible("stopped")
    await computer.heading("The phone did not connect")

    codes.append(await another())
    await link.expire_handoff()
    await computer.heading("The code has expired")
    await computer.accessible("hand-off expired")
    # Too old, never given out, malformed.
    for nothing in (codes[2], "h=never-given-out", "h=x"):
        await phone.page.goto("about:blank")
        await phone.open(nothing)
        await phone.heading("This code no longer works")
    await phone.accessible("unknown code")
    codes.append(await another())
    assert len(set(codes)) == 4


async def test_a_phone_that_loses_the_network_while_it_confirms_its_number_may_choose_it_again(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    computer, code, number = await at_the_computer(visit, await new_link("DOCUMENT_ONLY"))
    phone = await visit(address=network.address)
    await phone.open(code)
    await phone.heading("Did you start this?")
    network.faults["/api/sdk/handoff/confirm"] = Cut()
    await phone.press(number)
    await phone.heading("No connection")
    network.faults.clear()
    await phone.press("Try again")
    await phone.heading("Did you start this?")
    await phone.press(number)
    await phone.heading("Choose your document")
    await computer.heading("Your phone is connected")


async def test_a_phone_that_loses_the_network_while_it_opens_the_link_may_try_again(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    """Its code was lost with the answer: the link is gone from the address, and works once."""
    _, code, _ = await at_the_computer(visit, await new_link("DOCUMENT_ONLY"))
    phone = await visit(address=network.address)
    network.faults["/api/sdk/handoff/claim"] = Cut()
    await phone.open(code)
    await phone.heading("No connection")
    network.faults["/api/sdk/handoff/claim"] = Cut(after_the_service=True)
    await phone.press("Try again")
    await phone.heading("No connection")
    network.faults.clear()
    await phone.press("Try again")
    await phone.heading("Did you start this?")


async def test_a_computer_that_loses_the_network_says_so_and_finds_back(
    visit: Open, new_link: NewLink, network: FaultyNetwork
) -> None:
    computer, _, _ = await at_the_computer(visit, await new_link("DOCUMENT_ONLY"), address=network.address)
    network.faults["/api/sdk/handoff"] = Cut()
    await computer.page.get_by_text("Connection lost").wait_for()
    await computer.accessible("reconnecting")
    network.faults.clear()
    await computer.page.get_by_text("Connection lost").wait_for(state="detached")
