"""A shop that sells only to people whom Truename has verified: a page, a session, a receiver of webhooks."""

import os
import secrets
from dataclasses import dataclass
from html import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from truename_client import AsyncTruename, Config, CustomerAlreadyExists, WebhookNotVerified, verify_webhook

SERVICE = os.environ.get("BASE", "http://localhost:8000")
SHOP = os.environ.get("SHOP_URL", "http://localhost:3000")
SECRET = os.environ["WEBHOOK_SECRET"]
truename = AsyncTruename(SERVICE, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])

# Built here from the shop's own rules, never from what a browser sends.
RULES: Config = {
    "webhook": {"url": f"{SHOP}/webhook"},
    "biometric_policy": {"expected_min_age": 18},
}


@dataclass
class Person:
    """What the shop knows of somebody; a real one keeps this in its database."""

    name: str
    transaction_id: str = ""
    status: str = "NEW"
    sequence: int = 0
    why: str = ""


people: dict[str, Person] = {}
"""By the cookie of their session."""
events: set[str] = set()
"""Webhooks that were handled: each may come more than once."""

PAGE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<style>body{{font:1.1rem/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}}button{{font:inherit}}</style>
<h1>Grown-up goods</h1><p role="status" id="state" data-status="{status}">{words}</p>{more}
<script src="{service}/verify/truename.js"></script>
<script>
  const verify = async () => {{
    const answer = await fetch('/verify', {{ method: 'POST' }});
    if (!answer.ok) return alert('Please try again in a moment.');
    const wait = () => setInterval(async () => {{
      const now = await (await fetch('/status')).json();
      if (now.final) location.reload();
    }}, 1000);
    const {{ token }} = await answer.json();
    const capture = Truename.verify({{ token, onDone: wait, onDecline: () => capture.close(),
      onClose: () => document.getElementById('state').textContent = 'One moment: your documents are being checked.' }});
  }};
  document.getElementById('verify')?.addEventListener('click', verify);
</script></html>"""
WORDS = {
    "NEW": "Verify your age once to buy here.",
    "APPROVED": "Welcome, you are verified.",
    "REJECTED": "We could not verify you.",
}
FINAL = {"APPROVED", "REJECTED", "FAILED", "EXPIRED", "CANCELLED"}


def person_of(request: Request) -> Person | None:
    """Who is signed in, by the session's cookie."""
    return people.get(request.cookies.get("session", ""))


async def home(request: Request) -> Response:
    """The shop's only page; whoever comes first gets a session."""
    person = person_of(request)
    session = ""
    if person is None:
        session = secrets.token_urlsafe(24)
        person = people[session] = Person(f"shopper-{secrets.token_hex(4)}")
    if person.status in FINAL and not person.why:
        # The webhook said that it is decided; the decision itself, and why, is read from the service.
        decided = await truename.transactions.get(person.transaction_id)
        person.why = (
            ", ".join(issue.code for issue in decided.issues if issue.severity == "REJECTION") or "no objection"
        )
    more = f"<p>Decision: <b>{escape(person.status)}</b> ({escape(person.why)}).</p>" if person.why else ""
    if person.status != "APPROVED":
        more += '<p><button id="verify">Verify me</button></p>'
    words = WORDS.get(person.status, "That did not come to an end; please try again.")
    page = HTMLResponse(PAGE.format(status=escape(person.status), words=words, more=more, service=escape(SERVICE)))
    if session:
        page.set_cookie("session", session, httponly=True, samesite="lax")
    return page


async def verify(request: Request) -> Response:
    """Open a verification for who is signed in, and hand the token of it to the page."""
    person = person_of(request)
    if person is None:
        return JSONResponse({}, 403)
    try:
        customer_id = (await truename.customers.create(person.name)).customer_id
    except CustomerAlreadyExists as there:
        customer_id = there.customer_id
    opened = await truename.transactions.create(customer_id, "DOCUMENT_AND_BIOMETRIC", RULES)
    person.transaction_id, person.status, person.sequence, person.why = opened.transaction_id, "CREATED", 0, ""
    return JSONResponse({"token": opened.sdk_token})


async def webhook(request: Request) -> Response:
    """What the service tells: believed only when it is signed, each event once, never an older one after a newer."""
    try:
        event = verify_webhook(request.headers, await request.body(), SECRET)
    except WebhookNotVerified:
        return Response(status_code=400)
    if event.id not in events:
        events.add(event.id)
        for person in people.values():
            if person.transaction_id == event.data.transaction_id and event.data.sequence > person.sequence:
                person.status, person.sequence = event.data.status, event.data.sequence
    return Response(status_code=204)


async def status(request: Request) -> Response:
    """For the page that waits."""
    person = person_of(request)
    return JSONResponse({"final": person is not None and person.status in FINAL})


app = Starlette(
    routes=[
        Route("/", home),
        Route("/verify", verify, methods=["POST"]),
        Route("/webhook", webhook, methods=["POST"]),
        Route("/status", status),
    ]
)
