"""The list, one transaction, its print and its export, as an operator gets them."""

import re
from datetime import timedelta
from hashlib import sha256
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from tests.support.cases import a_case, mismatch
from tests.support.dashboard import an_operator, signed_in
from tests.support.dossiers import a_device, a_dossier
from tests.support.reviews import choose, waiting_for_review
from tests.support.transactions import a_customer, a_transaction
from truename.dashboard import patience
from truename.dashboard.listing import views
from truename.operators.model import Role
from truename.plumbing.clock import now
from truename.privacy.erase import erase

LIST = "/dashboard/transactions"


@pytest.fixture
async def ana(plumbing, an_account):
    return await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name="Ana")


@pytest.fixture
async def desk(plumbing, live_server, ana):
    async with signed_in(plumbing, live_server, ana) as desk:
        yield desk


async def actions(plumbing, account, actor) -> list[str]:
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute("SELECT action FROM audit_log WHERE actor = %s ORDER BY sequence", (actor,))
        return [row["action"] for row in await cursor.fetchall()]


def ids_on(page: str) -> list[str]:
    return re.findall(r'<tr data-id="([^"]+)"', page)


async def test_a_case_says_why_in_a_sentence_with_evidence_and_what_would_have_changed_it(
    plumbing, an_account, desk, ana
):
    config = {"webhook": {"url": "https://hooks.example.com/x?secret=1"}}
    transaction_id = await a_case(plumbing, an_account, config=config)
    status, page = await desk.get(f"{LIST}/{transaction_id}")
    assert status == 200
    assert "Rejected: the live face is not the face on the document: 0.62, needed 0.85." in page
    assert "about 1 in 100 pairs of strangers score this high or higher" in page
    assert "What would have changed it" in page
    assert "needed 0.85</text>" in page
    assert ">0.62, needed 0.85</td>" in page, "a check says once that it failed, and then by how much"
    assert "Had <code>/biometric_policy/face_comparison_min_score</code> been 0.62" in page
    assert "Document: passport · Germany (DE)" in page
    assert "AB-123.456" in page
    fresh = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account), config=config)
    assert "Nothing was sent to its webhook yet." in (await desk.get(f"{LIST}/{fresh}"))[1]
    assert "did not run" in page
    assert "Show 6 of 6 frames" in page
    assert "transaction.rejected" in page
    assert "secret=1" not in page
    pictures = re.findall(r'<img src="(/dashboard/media/[^"]+)"', page)
    assert len(pictures) == 4, "two faces, the flat page and the photograph"
    async with desk.http.get(pictures[0].replace("&amp;", "&")) as answer:
        assert (answer.status, answer.headers["Content-Type"]) == (200, "image/jpeg")
    _, page = await desk.get(f"{LIST}/{transaction_id}?frames=1")
    assert len(re.findall(r'<img src="/dashboard/media/', page)) == 10
    assert "turn left" in page
    done = await actions(plumbing, an_account, ana.actor)
    assert done.count("transaction.read") == 3
    assert done.count("media.read") == 1


@pytest.mark.parametrize(
    ("given", "language", "words"),
    [
        (True, "de", "The person consented (text 2026-11, de)"),
        (False, "en", "The person declined (text 2026-11, en)"),
        (True, "und", "The person consented (text 2026-11)"),
    ],
)
async def test_the_timeline_shows_what_the_person_answered_and_to_which_words(
    plumbing, an_account, desk, given, language, words
):
    transaction_id = await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute(
            "INSERT INTO consents (transaction_id, account_id, given, text_version, language) "
            "VALUES (%s, %s, %s, '2026-11', %s)",
            (transaction_id, an_account.account_id, given, language),
        )
    assert words in (await desk.get(f"{LIST}/{transaction_id}"))[1]


async def test_the_gravest_issue_stands_first_wherever_issues_are_listed(plumbing, an_account, desk):
    customer_id = await a_customer(plumbing, an_account)
    seen = mismatch(device=a_device(vpn_or_proxy=True, developer_mode=True))
    config = {"device_policy": {"on_vpn_or_proxy": "IGNORE"}}
    case = await a_case(plumbing, an_account, seen, config=config, customer_id=customer_id, pictures=False)
    for path in (f"{LIST}/{case}", f"{LIST}/{case}/print"):
        _, page = await desk.get(path)
        codes = re.findall(r"<code>([A-Z_]+)</code>", page)
        assert codes[:3] == ["DOCUMENT_VS_LIVENESS_FACE_MISMATCH", "DEVELOPER_MODE_ENABLED", "VPN_OR_PROXY_DETECTED"], (
            path
        )
    _, page = await desk.get(f"/dashboard/customers/{customer_id}")
    assert "<code>DOCUMENT_VS_LIVENESS_FACE_MISMATCH</code>" in page


async def test_replay_and_print_and_an_export_with_pictures_leave_their_lines(plumbing, an_account, desk, ana):
    transaction_id = await a_case(plumbing, an_account)
    there = await desk.post_for_location(f"{LIST}/{transaction_id}/replay?status=REJECTED")
    assert there == f"{LIST}/{transaction_id}?status=REJECTED&replay=1#main", "loading it again sends no form"
    _, page = await desk.get(there)
    assert "Judged again from the stored evidence: the same." in page
    status, receipt = await desk.get(f"{LIST}/{transaction_id}/receipt")
    assert (status, receipt.count(".")) == (200, 2)
    _, page = await desk.get(f"{LIST}/{transaction_id}/print")
    assert "<img" not in page
    assert "printed by <bdi>Ana</bdi> · " in page
    _, page = await desk.get(f"{LIST}/{transaction_id}/print?pictures=1")
    assert page.count("<img") == 4
    assert all(title in page for title in ("<h2>Timeline</h2>", "<h2>Checks</h2>", "<h2>Device and place</h2>"))
    assert sha256(receipt.encode()).hexdigest() in page, "the receipt by its hash, with how to check it"
    _, page = await desk.get(f"{LIST}/{transaction_id}/print?section=checks")
    assert ("<h2>Checks</h2>" in page, "<h2>Timeline</h2>" in page) == (True, False)
    _, page = await desk.get(f"{LIST}/{transaction_id}/print")
    assert ("<h2>Timeline</h2>" in page, "<img" in page) == (False, False), "sections are remembered, pictures never"
    done = await actions(plumbing, an_account, ana.actor)
    assert done.count("transaction.exported") == 1


async def test_a_case_knows_its_place_in_the_list_that_led_to_it(plumbing, an_account, desk):
    oldest, middle, newest = [await a_case(plumbing, an_account, pictures=False) for _ in range(3)]
    await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account))
    _, page = await desk.get(f"{LIST}/{middle}?status=REJECTED&within=today")
    assert "2 of 3 in “Rejected today”" in page
    assert f'rel="prev" href="{LIST}/{newest}?status=REJECTED&amp;within=today"' in page
    assert f'rel="next" href="{LIST}/{oldest}?status=REJECTED&amp;within=today"' in page
    _, page = await desk.get(f"{LIST}/{oldest}?status=REJECTED&sort=oldest")
    assert "1 of 3 in this list" in page
    assert 'rel="prev"' not in page
    _, page = await desk.get(f"{LIST}/{newest}")
    assert "2 of 4 in all" in page


async def test_an_erased_case_is_bare_and_says_so(plumbing, an_account, desk):
    customer_id = await a_customer(plumbing, an_account)
    transaction_id = await a_case(plumbing, an_account, customer_id=customer_id)
    async with plumbing.database.account(an_account.account_id) as connection:
        await erase(connection, an_account.account_id, customer_id, actor="client:x")
    status, page = await desk.get(f"{LIST}/{transaction_id}")
    assert status == 200
    assert "The customer was erased" in page
    assert "<img" not in page
    assert "AB-123.456" not in page
    assert "Rejected: the live face is not the face on the document" in page
    _, page = await desk.get(f"{LIST}/{transaction_id}?replay=1")
    assert "There is no stored evidence to judge again." in page


async def test_a_transaction_of_another_account_does_not_exist(plumbing, another_account, desk):
    customer_id = await a_customer(plumbing, another_account)
    transaction_id = await a_transaction(plumbing, another_account, customer_id)
    for path in (f"{LIST}/{transaction_id}", f"{LIST}/{transaction_id}/print", f"{LIST}/{uuid4()}"):
        status, _ = await desk.get(path)
        assert status == 404


async def test_filters_stand_in_the_address_and_show_exactly_their_rows(plumbing, an_account, desk):
    status, page = await desk.get(LIST)
    assert status == 200
    assert "No transaction yet" in page
    customer_id = await a_customer(plumbing, an_account)
    rejected = await a_case(plumbing, an_account, customer_id=customer_id, pictures=False)
    approved = await a_case(plumbing, an_account, a_dossier(), customer_id=customer_id, pictures=False)
    near = await a_case(plumbing, an_account, mismatch(0.84), pictures=False)
    waiting = await a_transaction(plumbing, an_account, customer_id)
    today = now().date()
    for query, expected in {
        "": {rejected, approved, near, waiting},
        "status=REJECTED": {rejected, near},
        "status=REJECTED&status=APPROVED": {rejected, near, approved},
        "status=CREATED": {waiting},
        "issue=DOCUMENT_VS_LIVENESS_FACE_MISMATCH": {rejected, near},
        f"customer={customer_id}": {rejected, approved, waiting},
        "decided_by=ENGINE": {rejected, approved, near},
        "within=today&near=1": {near},
        f"ended_from={today}&ended_to={today}": {rejected, approved, near},
        f"to={today - timedelta(days=1)}": set(),
        "stuck=1": set(),
        "webhook=failing": set(),
        "holder=me": set(),
        "stopped=LINK": set(),
    }.items():
        status, page = await desk.get(f"{LIST}?{query}")
        assert (status, set(ids_on(page))) == (200, {str(one) for one in expected}), query
        _, count = await desk.get(f"{LIST}/count?{query}")
        assert count.strip() == str(len(expected)), query
    _, page = await desk.get(f"{LIST}?status=REJECTED&sort=oldest")
    assert ids_on(page) == [str(rejected), str(near)]
    assert 'class="chip" href="/dashboard/transactions?sort=oldest"' in page, "a chip takes its filter off"
    assert "passport · Germany (DE)" in page
    assert "0.62" in page
    _, page = await desk.get(f"{LIST}?status=NOBODY&issue=x&from=yesterday&after=zzz&key=00")
    assert "Not understood, so left out: status, issue, from, key, after." in page
    _, page = await desk.get(f"{LIST}?status=FAILED")
    assert "No transaction fits these filters" in page


async def test_the_form_of_filters_keeps_what_it_does_not_ask_for(desk):
    asked = "status=APPROVED&status=REJECTED&ended_from=2026-01-02&waits=any&score=3&near=1&cols=status.ended"
    page = (await desk.get(f"{LIST}?{asked}"))[1]
    form = page.partition('<form class="filters"')[2].partition("</form>")[0]
    sent = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    sent += [(name, value) for name, value in re.findall(r'<select name="(\w+)">.*?"([^"]+)" selected', form)]
    chips = re.compile(r'<p class="chips" aria-label="Filters that are on">.*?</p>')
    assert chips.findall((await desk.get(f"{LIST}?{urlencode(sent)}"))[1]) == chips.findall(page) != []


async def test_pages_follow_each_other_without_a_gap_or_a_repetition(plumbing, an_account, desk):
    made = await waiting_for_review(plumbing, an_account, 120)
    seen, query = [], "?status=IN_REVIEW"
    while query:
        _, page = await desk.get(LIST + query)
        seen += ids_on(page)
        found = re.search(r'rel="next" href="/dashboard/transactions(\?[^"]+)"', page)
        query = found[1].replace("&amp;", "&") if found else ""
    assert seen == [str(one) for one in reversed(made)]


async def test_search_finds_by_name_number_and_ids_and_no_address_bears_what_was_typed(plumbing, an_account, desk):
    transaction_id = await a_case(plumbing, an_account, pictures=False)
    await a_case(plumbing, an_account, a_dossier(document=None), pictures=False)
    for typed in ("pérez", "AB 123456", "Ana O'Neill"):
        place = await desk.post_for_location(f"{LIST}/search", q=typed)
        assert place.startswith(f"{LIST}?key=")
        _, page = await desk.get(place)
        assert ids_on(page) == [str(transaction_id)]
        assert "the name or number searched for" in page
    assert await desk.post_for_location(f"{LIST}/search", q=str(transaction_id)) == f"{LIST}/{transaction_id}"
    place = await desk.post_for_location(f"{LIST}/search", q="nobody at all")
    assert "No transaction fits" in (await desk.get(place))[1]


async def test_rows_that_refresh_by_themselves_are_one_look_and_leave_a_notice_to_who_reads_it(
    plumbing, an_account, desk, ana
):
    await waiting_for_review(plumbing, an_account, 2)
    desk.http.cookie_jar.update_cookies({"truename-notice": "view-saved"})
    for _ in range(4):
        async with desk.http.get(f"{LIST}/rows?status=IN_REVIEW") as answer:
            assert len(ids_on(await answer.text())) == 2
            assert "truename-notice" not in answer.cookies, "the notice waits for the next page"
    assert (await actions(plumbing, an_account, ana.actor)).count("transaction.listed") == 1
    assert "The view is saved." in (await desk.get(f"{LIST}?status=IN_REVIEW"))[1]  # a person looks again
    await desk.get(f"{LIST}/rows?status=IN_REVIEW")
    assert (await actions(plumbing, an_account, ana.actor)).count("transaction.listed") == 2
    await desk.get(f"{LIST}/rows?status=IN_REVIEW&sort=oldest")  # other rows, or others first: another look
    assert (await actions(plumbing, an_account, ana.actor)).count("transaction.listed") == 3


async def test_a_question_that_takes_too_long_is_given_up_with_what_to_do(desk, plumbing, an_account, monkeypatch):
    await waiting_for_review(plumbing, an_account, 2)
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.2)
    async with plumbing.database.pool.connection() as connection, connection.transaction():
        await connection.execute("SET LOCAL ROLE NONE")
        await connection.execute("LOCK TABLE examinations IN ACCESS EXCLUSIVE MODE")
        status, page = await desk.get(LIST)
    assert status == 503
    assert "Choose a shorter range of time" in page
    assert (await desk.get(LIST))[0] == 200


async def test_views_are_not_kept_without_end(desk, monkeypatch):
    monkeypatch.setattr(views, "MOST", 2)
    for name in ("one", "two", "one"):
        await desk.post_for_location(f"{LIST}/views", name=name, query="status=FAILED")
    status, page = await desk.post(f"{LIST}/views", name="three", query="status=FAILED")
    assert status == 400
    assert "delete one first" in page


async def test_views_are_kept_shared_and_deleted(plumbing, an_account, live_server, desk):
    await waiting_for_review(plumbing, an_account)
    place = await desk.post_for_location(
        f"{LIST}/views", name="Stuck <b>people</b>", query="status=IN_REVIEW&sort=oldest", shared="1"
    )
    assert place == f"{LIST}?status=IN_REVIEW&sort=oldest"
    assert (await desk.post(f"{LIST}/views", name="Secret", query=f"key={'00' * 16}"))[0] == 400
    viewer = await an_operator(plumbing, {an_account.account_id: Role.VIEWER})
    async with signed_in(plumbing, live_server, viewer) as other:
        _, page = await other.get(place)
        assert "Stuck &lt;b&gt;people&lt;/b&gt;" in page
        assert (await other.post(f"{LIST}/views", name="x", query="", shared="1"))[0] == 403
        assert (await other.get(f"{LIST}/export.csv"))[0] == 403
    _, page = await desk.get(place)
    found = re.search(r'action="(/dashboard/transactions/views/[^"]+/forget)"', page)
    assert found
    assert await desk.post_for_location(found[1]) == LIST
    assert (await desk.post(found[1]))[0] == 404


async def test_an_export_is_written_down_and_runs_no_formula(plumbing, an_account, desk, ana):
    made = await waiting_for_review(plumbing, an_account, 30)
    await choose(plumbing, an_account)
    async with plumbing.database.account(an_account.account_id) as connection:
        await connection.execute("UPDATE customers SET external_customer_id = '=cmd|'' /C calc''!A0'")
    status, text = await desk.get(f"{LIST}/export.csv?status=IN_REVIEW")
    lines = text.splitlines()
    assert status == 200
    assert len(lines) == 31
    assert lines[0].startswith("transaction_id,external_customer_id,")
    assert [line.split(",")[0] for line in lines[1:]] == [str(one) for one in reversed(made)]
    assert ",'=cmd" in lines[1]
    assert "transaction.list_exported" in await actions(plumbing, an_account, ana.actor)
    hashed = "ab" * 16  # of a name that was searched for: it must not outlive the person in the audit log
    assert (await desk.get(f"{LIST}/export.csv?status=IN_REVIEW&key={hashed}"))[0] == 200
    async with plumbing.database.account(an_account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT details FROM audit_log WHERE action = 'transaction.list_exported' ORDER BY sequence"
        )
        kept = [row["details"]["fields"] for row in await cursor.fetchall()]
    assert kept == ["status=IN_REVIEW", "status=IN_REVIEW&key=…"]
    statuses = [(await desk.get(f"{LIST}/export.csv?status=FAILED"))[0] for _ in range(9)]
    assert statuses == [200] * 8 + [429]  # each may read a million rows
