"""The hand-off to a phone over real HTTP: taken up once, by whoever names the number."""

import asyncio

import aiohttp
import pytest

from tests.support.sdk import Phone, code_of


async def test_a_phone_takes_over_after_naming_the_number(opened, outside):
    computer, _ = await opened("BIOMETRIC_ONLY")
    _, offer = await computer.call("POST", "/handoff", json={"device": "Firefox on Linux"})
    assert offer["qr_svg"].startswith("<svg")
    code = offer["url"].rpartition("#h=")[2]
    status, claimed = await Phone(outside, "").call("POST", "/handoff/claim", json={"code": code})
    assert status == 200
    assert claimed["origin"]["device"] == "Firefox on Linux"
    assert offer["match_number"] in claimed["numbers"]
    phone = Phone(outside, claimed["sdk_token"])
    assert code_of(await phone.session()) == (409, "handoff_not_confirmed")
    assert code_of(await phone.consent()) == (409, "handoff_not_confirmed")
    assert (await computer.call("GET", "/handoff"))[1]["state"] == "OPENED"
    assert await phone.call("POST", "/handoff/confirm", json={"number": offer["match_number"]}) == (
        200,
        {"state": "CONNECTED"},
    )
    assert (await phone.session())[0] == 200
    assert (await computer.call("GET", "/handoff"))[1]["state"] == "CONNECTED"
    await phone.consent()
    await phone.device()
    await phone.show_face()
    assert (await phone.submit())[0] == 202
    assert (await computer.call("GET", "/handoff"))[1]["state"] == "FINISHED"


async def test_a_wrong_number_ends_the_hand_off(opened, outside):
    computer, _ = await opened("BIOMETRIC_ONLY")
    _, offer = await computer.call("POST", "/handoff", json={"device": "Firefox"})
    code = offer["url"].rpartition("#h=")[2]
    _, claimed = await Phone(outside, "").call("POST", "/handoff/claim", json={"code": code})
    wrong = next(number for number in claimed["numbers"] if number != offer["match_number"])
    phone = Phone(outside, claimed["sdk_token"])
    assert code_of(await phone.call("POST", "/handoff/confirm", json={"number": wrong})) == (
        409,
        "handoff_number_wrong",
    )
    right = {"number": offer["match_number"]}
    assert code_of(await phone.call("POST", "/handoff/confirm", json=right)) == (409, "handoff_used")
    assert code_of(await phone.session()) == (409, "handoff_not_confirmed")
    assert (await computer.call("GET", "/handoff"))[1]["state"] == "REFUSED"
    assert (await computer.session())[0] == 200


async def test_a_code_works_once_and_a_new_offer_voids_the_old(opened, outside):
    computer, _ = await opened("BIOMETRIC_ONLY")
    nobody = Phone(outside, "")
    codes = []
    for _ in range(2):
        _, offer = await computer.call("POST", "/handoff", json={"device": "Firefox"})
        codes.append(offer["url"].rpartition("#h=")[2])
    assert code_of(await nobody.call("POST", "/handoff/claim", json={"code": codes[0]})) == (404, "handoff_unknown")
    assert (await nobody.call("POST", "/handoff/claim", json={"code": codes[1]}))[0] == 200
    assert code_of(await nobody.call("POST", "/handoff/claim", json={"code": codes[1]})) == (409, "handoff_used")
    assert code_of(await nobody.call("POST", "/handoff/claim", json={"code": "guess"})) == (404, "handoff_unknown")


async def test_whoever_lost_the_answer_to_a_claim_is_given_it_again_by_its_key_and_nobody_else(opened, outside):
    computer, _ = await opened("BIOMETRIC_ONLY")
    _, offer = await computer.call("POST", "/handoff", json={"device": "Firefox"})
    code = {"code": offer["url"].rpartition("#h=")[2]}

    async def claim(key, body=code):
        return await Phone(outside, "").call("POST", "/handoff/claim", json=body, headers={"Idempotency-Key": key})

    first = await claim("a phone's")
    assert first[0] == 200
    assert await claim("a phone's") == first
    assert code_of(await claim("another's")) == (409, "handoff_used")
    assert code_of(await claim("a phone's", {"code": "guess"})) == (404, "handoff_unknown")
    phone = Phone(outside, first[1]["sdk_token"])
    assert (await phone.call("POST", "/handoff/confirm", json={"number": offer["match_number"]}))[0] == 200


async def test_the_hand_offs_of_two_people_of_one_account_are_apart(opened, outside):
    offers, computers = [], []
    for _ in range(2):
        computer, _ = await opened("BIOMETRIC_ONLY")
        offers.append((await computer.call("POST", "/handoff", json={"device": "Firefox"}))[1])
        computers.append(computer)
    phones = []
    for offer in offers:
        code = {"code": offer["url"].rpartition("#h=")[2]}
        status, claimed = await Phone(outside, "").call("POST", "/handoff/claim", json=code)
        assert status == 200, "a later offer to somebody else voids none"
        assert offer["match_number"] in claimed["numbers"]
        phones.append(Phone(outside, claimed["sdk_token"]))
    assert (await phones[1].call("POST", "/handoff/refuse", json={}))[0] == 200
    states = [(await computer.call("GET", "/handoff"))[1]["state"] for computer in computers]
    assert states == ["OPENED", "REFUSED"]
    await computers[1].call("POST", "/handoff", json={"device": "Firefox"})
    number = {"number": offers[0]["match_number"]}
    assert await phones[0].call("POST", "/handoff/confirm", json=number) == (200, {"state": "CONNECTED"})
    states = [(await computer.call("GET", "/handoff"))[1]["state"] for computer in computers]
    assert states == ["CONNECTED", "WAITING"]


@pytest.mark.parametrize("answer", ["nothing", "refuse", "confirm"])
async def test_the_token_of_a_phone_whose_hand_off_was_voided_is_worth_nothing(opened, outside, answer):
    computer, _ = await opened("BIOMETRIC_ONLY")
    _, offer = await computer.call("POST", "/handoff", json={"device": "Firefox"})
    code = offer["url"].rpartition("#h=")[2]
    _, claimed = await Phone(outside, "").call("POST", "/handoff/claim", json={"code": code})
    phone = Phone(outside, claimed["sdk_token"])
    if answer == "refuse":
        assert (await phone.call("POST", "/handoff/refuse", json={}))[0] == 200
    if answer == "confirm":
        assert (await phone.call("POST", "/handoff/confirm", json={"number": offer["match_number"]}))[0] == 200
    _, newer = await computer.call("POST", "/handoff", json={"device": "Firefox"})
    for call in (phone.session, phone.consent, phone.submit, phone.challenge):
        assert code_of(await call()) == (409, "handoff_not_confirmed")
    number = {"number": newer["match_number"]}
    assert code_of(await phone.call("POST", "/handoff/confirm", json=number)) == (409, "handoff_used")
    assert (await computer.call("GET", "/handoff"))[1]["state"] == "WAITING"
    assert (await computer.session())[0] == 200


@pytest.fixture
async def elsewhere(live_server):
    """Calls from an address of its own: how often codes are claimed is counted by address, and others claim, too."""
    async with aiohttp.ClientSession(live_server, connector=aiohttp.TCPConnector(local_addr=("127.0.0.7", 0))) as calls:
        yield calls


async def test_opening_a_link_while_it_is_voided_is_no_deadlock(opened, elsewhere):
    computer, _ = await opened("BIOMETRIC_ONLY")
    for _ in range(4):
        _, offer = await computer.call("POST", "/handoff", json={"device": "Firefox"})
        code = {"code": offer["url"].rpartition("#h=")[2]}
        calls = [computer.call("POST", "/handoff", json={"device": "Firefox"}) for _ in range(2)]
        calls += [Phone(elsewhere, "").call("POST", "/handoff/claim", json=code) for _ in range(2)]
        statuses = [status for status, _ in await asyncio.gather(*calls)]
        assert set(statuses) <= {200, 201, 404, 409}
        assert statuses.count(200) <= 1
