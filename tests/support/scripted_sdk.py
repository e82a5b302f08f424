"""Answers of the SDK interface by script: for pictures of screens, and for faults that a real service rarely shows."""

import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import segno
from playwright.async_api import Page, Route

TYPES = ("PASSPORT", "NATIONAL_ID", "DRIVER_LICENSE", "RESIDENT_PERMIT")


def a_session(**changes: Any) -> dict[str, Any]:
    """A session as docs/reference/sdk-interface.md describes it."""
    moment = datetime.now(UTC)
    session: dict[str, Any] = {
        "transaction_id": "0198a3c2-7d1e-7a44-9b1f-2f6f5f0c1a11",
        "transaction_type": "DOCUMENT_AND_BIOMETRIC",
        "status": "IN_PROGRESS",
        "now": moment.isoformat().replace("+00:00", "Z"),
        "expires_at": (moment + timedelta(hours=24)).isoformat().replace("+00:00", "Z"),
        "account": {"name": "Acme Bank"},
        "steps": ["CONSENT", "DOCUMENT", "LIVENESS"],
        "consent": {"given": None, "text_version": "2026-11", "retention_days": 90, "privacy_url": None},
        "documents": [
            {"country": country, "type": kind, "sides": ["front"] if kind == "PASSPORT" else ["front", "back"]}
            for country in ("AR", "DE", "ES", "FR", "US")
            for kind in TYPES
        ],
        "progress": {
            "document": {"country": None, "type": None, "back_needed": None, "front": None, "back": None},
            "liveness": {"done": False, "attempts_left": 5},
            "device": False,
        },
        "liveness": {"challenge_seconds": 90, "frames_min": 4, "frames_max": 40, "frame_max_px": 720},
        "limits": {"image_bytes": 12582912, "image_types": ["image/jpeg", "image/png"], "takes": 8},
        "file_upload": True,
        "handoff": True,
        "wants_location": False,
        "language": None,
        "return": {"origins": [], "url": None},
        "demo": False,
    }
    session.update(changes)
    return session


class ScriptedSdk:
    """Answers by path; a test changes `answers` (a body, or a status and a problem's code)."""

    def __init__(self, **session: Any) -> None:
        soon = (datetime.now(UTC) + timedelta(minutes=10)).isoformat().replace("+00:00", "Z")
        self.calls: list[tuple[str, str]] = []
        self.answers: dict[str, Any] = {
            "GET /session": a_session(**session),
            "POST /consent": {"given": True, "text_version": "2026-11", "at": soon},
            "POST /device": None,
            "POST /document/front": _take(),
            "POST /document/back": _take(),
            "POST /liveness/challenge": {
                "nonce": "n",
                "steps": ["LOOK_STRAIGHT", "TURN_LEFT", "MOVE_CLOSER", "TURN_RIGHT"],
                "expires_at": soon,
                "seconds": 90,
                "attempts_left": 4,
            },
            "POST /liveness": {"usable": True, "reasons": [], "attempts_left": 4},
            "POST /submit": {"status": "PROCESSING"},
            "GET /status": {"status": "PROCESSING", "expires_at": soon},
            "POST /handoff": {
                "url": "https://verify.acme.example/verify/#h=Jd83-kQx7-Yp2m",
                "qr_svg": segno.make("https://verify.acme.example/verify/#h=Jd83-kQx7-Yp2m", error="m").svg_inline(
                    scale=8, border=0, omitsize=True
                ),
                "match_number": "47",
                "state": "WAITING",
                "expires_at": soon,
            },
            "GET /handoff": {"state": "WAITING", "expires_at": soon},
            "POST /handoff/claim": {
                "sdk_token": "a.b.c",
                "origin": {"device": "Chrome · Windows", "place": "Madrid, Spain"},
                "account": {"name": "Acme Bank"},
                "numbers": ["12", "47", "83"],
                "expires_at": soon,
            },
            "POST /handoff/confirm": {"state": "CONNECTED"},
            "POST /handoff/refuse": {"state": "REFUSED"},
        }

    def refuse(self, call: str, status: int, code: str) -> None:
        self.answers[call] = (status, code)

    def refused_take(self, *reasons: str, **changes: Any) -> None:
        self.answers["POST /document/front"] = {**_take(), "usable": False, "reasons": list(reasons), **changes}

    async def serve(self, page: Page) -> None:
        await page.route("**/api/sdk/**", self._answer)

    async def _answer(self, route: Route) -> None:
        call = f"{route.request.method} {urlsplit(route.request.url).path.removeprefix('/api/sdk')}"
        self.calls.append((call, route.request.url))
        answer = deepcopy(self.answers.get(call, (404, "not_found")))
        if answer == "offline":
            await route.abort("internetdisconnected")
        elif answer is None:
            await route.fulfill(status=204)
        elif isinstance(answer, tuple):
            status, code = answer
            await route.fulfill(
                status=status,
                content_type="application/problem+json",
                body=json.dumps({"type": "about:blank", "status": status, "code": code}),
            )
        else:
            await route.fulfill(status=200, content_type="application/json", body=json.dumps(answer))


def _take() -> dict[str, Any]:
    return {
        "usable": True,
        "reasons": [],
        "back_needed": False,
        "takes_left": 7,
        "can_use_anyway": True,
        "advice": "",
    }
