"""What an owner and a developer look up: links between customers, who looked from where, how webhooks arrive."""

from datetime import timedelta

from tests.support.cases import a_case
from tests.support.dashboard import PASSWORD, an_operator, signed_in
from tests.support.reviews import waiting_for_review
from tests.support.transactions import a_customer, a_transaction, submitted
from truename.dashboard.whence import cut_short
from truename.device.kind import DeviceKind, device_kind
from truename.device.signals import DeviceSignals
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.plumbing.database.ids import new_id
from truename.reviews.queue import take
from truename.transactions.traits import remember_device

AGENT = "Mozilla/5.0 (Linux; Android 15; Pixel 8) Chrome/141 Mobile"


def a_report(agent: str = AGENT, touch: int = 5) -> DeviceSignals:
    web = {"user_agent": agent, "touch_points": touch, "screen": "412x915@2.6", "time_zone": "Europe/Berlin"}
    return DeviceSignals.model_validate({"platform": "WEB", "os": "Android 15", "web": web})


async def test_links_say_what_is_shared_with_how_many_and_how_rare_that_is(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    people = [await a_customer(plumbing, an_account) for _ in range(4)]
    for person in people[:2]:
        await a_case(plumbing, an_account, customer_id=person, pictures=False)  # the same drawn document
    async with plumbing.database.account(an_account.account_id) as connection:
        for person in people[:3]:
            made = await a_transaction(plumbing, an_account, person)
            own = connection, plumbing.vault, an_account.account_id, person, made
            await remember_device(*own, a_report() if person != people[0] else None, "192.0.2.7")
    async with signed_in(plumbing, live_server, ana) as desk:
        first = (await desk.get(f"/dashboard/customers/{people[0]}"))[1]
        last = (await desk.get(f"/dashboard/customers/{people[3]}"))[1]
        assert "same document number" in first
        assert "one document, several customers" in first
        assert "same internet address" in first
        assert '2 others</a> <span class="fine">of 4</span>' in first
        assert "same device" not in first
        assert "Nothing is known that could link this customer" in last
        second = (await desk.get(f"/dashboard/customers/{people[1]}"))[1]
        assert "same device, by all that it tells of itself" in second
        href = second.partition("/dashboard/transactions?key=")[2][:32]
        assert (await desk.get(f"/dashboard/transactions/count?key={href}"))[1].strip() == "2"


def test_kinds_of_devices_are_told_apart():
    for agent, touch, kind in (
        (AGENT, 5, DeviceKind.ANDROID_BROWSER),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", 5, DeviceKind.IOS_BROWSER),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X)", 5, DeviceKind.IOS_BROWSER),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X)", 0, DeviceKind.COMPUTER),
        ("Mozilla/5.0 (X11; Linux x86_64)", 0, DeviceKind.COMPUTER),
    ):
        assert device_kind(a_report(agent, touch)) is kind
    assert device_kind(DeviceSignals.model_validate({"platform": "IOS"})) is DeviceKind.IOS_APP


async def test_a_look_says_from_where_and_stands_out_when_the_case_is_not_ones_own(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    own, foreign = await waiting_for_review(plumbing, an_account, 2)
    async with plumbing.database.account(an_account.account_id) as connection:
        await take(connection, an_account.account_id, ana.actor, own)
    async with signed_in(plumbing, live_server, ana) as desk:
        for transaction_id in (own, foreign):
            assert (await desk.get(f"/dashboard/transactions/{transaction_id}"))[0] == 200
        page = (await desk.get("/dashboard/audit?action=transaction.read"))[1]
    lines = {line: row for row in page.split("<tr>") for line in (own, foreign) if f"/transactions/{line}" in row}
    assert "not their case" in lines[foreign]
    assert "not their case" not in lines[own]
    assert "an unknown place · 127.0.0.0/24 · Firefox 141 on Linux" in lines[own]
    assert (cut_short("2001:db8:1:2::9"), cut_short("<b>")) == ("2001:db8:1::/48", "no address")


async def test_the_first_page_says_in_words_where_one_is(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    async with signed_in(plumbing, live_server, ana) as desk:
        desk.http.cookie_jar.clear()
        async with desk.http.get("/dashboard/sign-in") as answer:
            token = (await answer.text()).partition('name="csrf" value="')[2][:64]
        sent = {"csrf": token, "email": ana.email, "password": PASSWORD}
        async with desk.http.post("/dashboard/sign-in", data=sent) as answer:
            page = await answer.text()
    assert "LIVE: these are real people. Your last sign-in:" in page
    assert "an unknown place, Firefox 141 on Linux" in page


async def test_a_range_of_events_goes_out_again_and_each_address_shows_its_health(plumbing, live_server, an_account):
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    customer = await a_customer(plumbing, an_account)
    made = []
    for place in range(3):
        hook = {"webhook": {"url": f"https://hooks.example.com/{min(place, 1)}?secret=1"}}
        made.append(await a_transaction(plumbing, an_account, customer, config=hook))
        await submitted(plumbing, an_account, made[-1])
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET state = 'DELIVERED'")
        await connection.execute(
            "UPDATE webhook_events SET state = 'EXHAUSTED', attempts = 10 WHERE transaction_id = %s", (made[0],)
        )
        cursor = await connection.execute("SELECT count(*) AS n FROM webhook_events WHERE state = 'EXHAUSTED'")
        failed = (await cursor.fetchone())["n"]
        cursor = await connection.execute("SELECT count(*) AS n FROM webhook_events")
        every = (await cursor.fetchone())["n"]
    path = "/dashboard/developers/webhooks"
    begin, end = (f"{now() + timedelta(minutes=shift):%Y-%m-%dT%H:%M}" for shift in (-60, 60))
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get(path))[1]
        assert "1 of 2 addresses does not take everything" in page
        assert "https://hooks.example.com/0</td>" in page
        for wrong in ({"since": end, "until": begin}, {"since": "x", "until": end}, {}):
            assert (await desk.post(f"{path}/resend", **wrong))[0] == 400
        await desk.post_for_location(f"{path}/resend", since=begin, until=end)
        assert f"On their way again: {failed}." in (await desk.get(path))[1]
        await desk.post_for_location(f"{path}/resend", since=begin, until=end, all="1")
        assert f"On their way again: {every}." in (await desk.get(path))[1]


async def test_an_address_that_wants_no_more_is_named_and_home_says_nothing_of_arrivals(
    plumbing, live_server, an_account
):
    """Its page said "Nothing tried", and home that every webhook arrives."""
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    hook = {"webhook": {"url": "https://hooks.example.com/off"}}
    customer = await a_customer(plumbing, an_account)
    await submitted(plumbing, an_account, await a_transaction(plumbing, an_account, customer, config=hook))
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE webhook_events SET state = 'STOPPED', attempts = 1")
        await connection.execute(
            "INSERT INTO webhook_attempts (attempt_id, account_id, event_id, number, at, status_code, outcome) "
            "SELECT %s, account_id, event_id, 1, now(), 410, 'GONE' FROM webhook_events LIMIT 1",
            (new_id(),),
        )
    async with signed_in(plumbing, live_server, ana) as desk:
        page = (await desk.get("/dashboard/developers/webhooks"))[1]
        assert "1 of 1 address does not take everything" in page
        assert "Wants no more (410)" in page
        assert "Nothing tried" not in page
        home = (await desk.get("/dashboard"))[1]
        assert "no webhook fails" in home
        assert "every webhook arrives" not in home
