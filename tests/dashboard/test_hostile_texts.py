"""Five hundred hostile texts, put wherever a text can come in, come out nowhere unescaped."""

import html
import random
import re
import secrets
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from yarl import URL

from tests.support.dashboard import an_operator, signed_in
from tests.support.transactions import a_customer, a_transaction
from truename.accounts.clients import add_client
from truename.customers.change_status import change_status
from truename.dashboard.routes import SCREENS
from truename.operators.model import Origin, Role
from truename.operators.sessions import begin_session
from truename.rules.default_policy import DefaultPolicy
from truename.rules.dossier import CustomerStatus
from truename.transactions.default_policy import draft_policy

TAGS = (
    *("script", "img src=x onerror=", "svg onload=", "iframe src="),
    *("a href=javascript:", "style", "base href=", "body onload="),
)
FORMS = (
    "<{tag}>{mark}",
    '"><{tag}>{mark}',
    "'><{tag}>{mark}",
    "</title><{tag}>{mark}",
    "</textarea><{tag}>{mark}",
    "</script><{tag}>{mark}",
    "--><{tag}>{mark}",
    "{{{{7*7}}}}<{tag}>{mark}",
    "{{% for x in y %}}<{tag}>{mark}",
    '" autofocus onfocus={mark} x="<{tag}',
    "' style=background:{mark} x='<{tag}",
    "javascript:{mark}//<{tag}",
    "&lt;{tag}&gt;{mark}&#60;{tag}>",
    "\u202e<{tag}>{mark}\u202c",
    "<{tag} \u2028{mark}>",
    "<%{tag}%>{mark}",
    "${{{mark}}}<{tag}>",
    "<<{tag}>>{mark}",
    "<{tag}\t/onmouseover={mark}>",
    "`<{tag}>{mark}`",
    "]]><{tag}>{mark}",
    "<!--<{tag}>{mark}",
    "%3C{tag}%3E{mark}<{tag}>",
    "\\x3c{tag}>{mark}<{tag}>",
    "é<{tag}>{mark}漢字",
    "=cmd|'<{tag}>'!{mark}",
    "@<{tag}>{mark}",
    "../../<{tag}>{mark}",
    "<{tag}>{mark}" + "A" * 60,
    "a b  <{tag}>{mark} c",
    "\N{FULLWIDTH LESS-THAN SIGN}{tag}\N{FULLWIDTH GREATER-THAN SIGN}<{tag}>{mark}",
    '<{tag} x="{mark}',
    "<{tag}>{mark}</{tag}>",
    "x' OR 1=1; <{tag}>{mark}",
    "%s %(x)s <{tag}>{mark}",
    "<{tag}>{mark}?a=1&b=2#c",
    "\U0001f600<{tag}>{mark}",
    "<A{tag}>{mark}",
    "<{tag}>\u00a0{mark}",
    "&<{tag}>{mark};",
    "<x-{tag} is={mark}>",
    "<math><{tag}>{mark}",
    "<details open ontoggle={mark}><{tag}",
    "<input value='{mark}'<{tag}>",
    "<meta http-equiv=refresh content='{mark}'><{tag}>",
    "<form action={mark}><{tag}>",
    "<link rel=stylesheet href={mark}><{tag}>",
    "<object data={mark}><{tag}>",
    "<embed src={mark}><{tag}>",
    "<marquee onstart={mark}><{tag}>",
    "<video><source onerror={mark}><{tag}>",
    "<{tag}>{mark}\"'`=<>&",
    "<?xml {mark}?><{tag}>",
    "<{tag}/{mark}/>",
    "‮‮<{tag}>{mark}",
    "<TEMPLATE><{tag}>{mark}",
    "<noscript><{tag}>{mark}",
    "<{tag}>{mark}|safe",
    "<slot onslotchange={mark}><{tag}>",
    "<button formaction={mark}><{tag}>",
    "<keygen autofocus onfocus={mark}><{tag}>",
    "<isindex action={mark}><{tag}>",
    "<xmp><{tag}>{mark}",
)


LEADING = ("href", "src", "action", "formaction", "data", "content")
"""Attributes whose value a browser opens."""


def texts() -> list[str]:
    made = [form.format(tag=tag, mark=f"mark{n}x{m}") for n, form in enumerate(FORMS) for m, tag in enumerate(TAGS)]
    return made[:500]


class Seen(HTMLParser):
    """Every tag and attribute that a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.bad: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            runs = name in LEADING and (value or "").strip().lower().startswith("javascript:")
            if name.startswith("on") or name == "style" or runs:
                self.bad.append(f"{tag} {name}={value}")
        if "mark" in tag or tag in ("iframe", "base", "object", "embed", "marquee", "style", "math", "template", "xmp"):
            self.bad.append(tag)

    def handle_comment(self, data: str) -> None:
        self.bad.append(f"comment {data}")


def test_there_are_five_hundred_of_them():
    assert len(set(texts())) == 500


@pytest.fixture
async def pages(plumbing, live_server, an_account):
    """Every page on which a text of somebody else's can stand, after it was put wherever one can come in."""
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN}, name=texts()[3][:200])
    account_id, hostile = an_account.account_id, [text for text in texts() if text == text.strip()]
    customers = []
    for place in range(0, len(hostile), 4):
        four = [text.replace("\x00", "")[:200] for text in hostile[place : place + 4]]
        name = "".join(letter for letter in four[0] if letter.isprintable())
        customer_id = await a_customer(plumbing, an_account, external_customer_id=f"{name}{secrets.token_hex(3)}")
        customers.append((customer_id, four))
        async with plumbing.database.account(account_id) as connection:
            own = account_id, customer_id
            await change_status(
                connection, plumbing.keys, *own, CustomerStatus.BLOCKED, actor=ana.actor, reason=" / ".join(four)[:500]
            )
            printable = "".join(letter for letter in four[1] if letter.isprintable())
            if place < 80:
                await add_client(connection, account_id, name=printable, actor="test")
    async with plumbing.database.account(account_id) as connection:
        for text in hostile[100:140]:
            await draft_policy(connection, account_id, DefaultPolicy(), text[:300], actor=ana.actor)
    async with plumbing.database.system() as connection:
        for text in hostile[:60]:
            await begin_session(
                connection, ana.operator_id, Origin(text[:60], text[:60], text[:60]), second_factor=False
            )
    await a_transaction(plumbing, an_account, customers[-1][0])
    async with signed_in(plumbing, live_server, ana) as desk:
        await desk.get("/dashboard", headers={"User-Agent": texts()[0].encode("ascii", "replace").decode()})

        async def fetch(path: str) -> str:
            status, page = await desk.get(path)
            assert status in (200, 400, 404), path
            return page

        yield fetch, desk, customers


@pytest.mark.slow
async def test_no_text_of_somebody_else_becomes_a_tag_or_an_attribute(pages):
    fetch, desk, customers = pages
    shown = [await fetch(path) for path in ("/dashboard/customers", "/dashboard/settings", "/dashboard/me/security")]
    shown += [await fetch("/dashboard/audit"), await fetch("/dashboard/transactions")]
    shown += [await fetch("/dashboard/lab/policies"), await fetch("/dashboard/groups")]
    assert "mark12x4" in shown[-2], "notes of drafts are shown"
    texts_of_page = {f"{code}_welcome": text for code, text in zip(("en", "de", "fr"), texts()[::50], strict=False)}
    shown.append((await desk.post("/dashboard/settings/texts", **texts_of_page))[1])
    shown.append(await fetch("/dashboard/settings"))
    told = 0
    for customer_id, four in customers:
        page = await fetch(f"/dashboard/customers/{customer_id}")
        told += html.escape(four[2])[:20] in page.replace("&#34;", "&quot;").replace("&#39;", "&#x27;")
        shown.append(page)
    assert told > 100  # the texts are on the pages, escaped
    for text in texts()[::9]:
        quoted = quote(text, safe="")
        shown.append(await fetch(f"/dashboard/search?q={quoted}"))
        shown.append(await fetch(f"/dashboard/customers?q={quoted}"))
        shown.append(await fetch(f"/dashboard/audit?actor={quoted}&subject={quoted}"))
        shown.append(await fetch(f"/dashboard/developers?path={quoted}&request_id={quoted}"))
        shown.append(await fetch(f"/dashboard/sign-in?next={quoted}"))
        shown.append(await fetch(f"/dashboard/transactions?cols={quoted}&waits={quoted}&group={quoted}&score={quoted}"))
        shown.append(await fetch(f"/dashboard?from={quoted}&to={quoted}"))
        shown.append((await desk.post("/dashboard/settings/policy", **{"device_policy.on_emulator": text}))[1])
        shown.append((await desk.post("/dashboard/lab/draft", config=text, mode=text))[1])
        shown.append((await desk.post("/dashboard/developers/signature", headers=text, body=text))[1])
        shown.append((await desk.post("/dashboard/settings/operators/add", email=text, role=text, once=text))[1])
    plain = Seen(await fetch("/dashboard/developers"))
    for page in shown:
        seen = Seen(page)
        assert seen.bad == []
        assert not any(re.search(r"mark\d+x\d+", name) for name in seen.tags | seen.attributes)
        assert "script" not in seen.tags or page.count("<script") <= 5
    assert plain.bad == []


ODD = (
    *(
        "%ff",
        "%00",
        "9" * 400,
        "-1",
        "1e999",
        "nan",
        "%D9%A3",
        "%F0%9F%98%80",
        "1%27%22%3Cb%3E",
        "..%2f..%2f",
        "%0d%0aX:y",
    ),
    *(
        "0001-01-01",
        "9999-12-31",
        "2026-13-40",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00%2B14:00",
        "[]",
        "",
        "%ud800",
    ),
)
PARAMETERS = (
    *(
        "status",
        "type",
        "issue",
        "customer",
        "within",
        "from",
        "to",
        "ended_from",
        "ended_to",
        "stopped",
        "near",
        "key",
    ),
    *("sort", "after", "q", "before", "request_id", "failed", "client", "path", "state", "transaction_id", "actor"),
    *("action", "subject", "customer_id", "since", "until", "days", "face_comparison_min_score", "frames", "proof"),
)


@pytest.mark.slow
async def test_no_address_of_a_page_is_a_fault(plumbing, live_server, an_account):
    chance = random.Random(20261116)
    ana = await an_operator(plumbing, {an_account.account_id: Role.ADMIN})
    made = str(await a_transaction(plumbing, an_account, await a_customer(plumbing, an_account)))
    faults = []
    async with signed_in(plumbing, live_server, ana) as desk:
        for screen in (one for one in SCREENS if one.method == "GET" and one.path != "/dashboard/live"):
            for _ in range(12):
                path = re.sub(r"\{\w+\}", lambda _: chance.choice((made, chance.choice(ODD) or "x")), screen.path)
                query = "&".join(f"{name}={chance.choice(ODD)}" for name in chance.sample(PARAMETERS, 7))
                address = URL(f"{live_server}{path}?{query}", encoded=True)
                async with desk.http.get(address, allow_redirects=False) as answer:
                    if answer.status >= 500:
                        faults.append(str(address))
    assert faults == []
