"""The page's modules that need no browser: their own tests in Node, and what they share with the service."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.support.node import node, run
from truename.capture.session import CONSENT_VERSION
from truename.capture_page import assets
from truename.plumbing.error_codes import PROBLEMS

NOT_FOR_THE_PAGE = {
    "customer_already_exists",
    "customer_not_found",
    "demo_not_available",
    "event_not_found",
    "gone",
    "media_not_found",
    "scope_missing",
    "token_expired",
    "transaction_not_found",
    "webhook_address_not_allowed",
}
"""Codes that only an integrator's call, or the demo's own pages, are answered with."""
OWN = {"offline", "unavailable"}
"""Codes that the page gives itself: no answer, or an answer that is not ours."""
CONSENT_TEXTS = {"2026-11": "305f2984"}
"""Which words each version of the consent text means. Other words are another version: add it, never edit a row."""


@pytest.mark.parametrize("file", sorted(path.name for path in Path(__file__).parent.glob("*.test.js")))
def test_the_modules_own_tests_pass(file: str) -> None:
    ran = node("--test", f"tests/capture_page/{file}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "# pass 0" not in ran.stdout


def test_the_page_knows_what_to_do_about_every_code_of_the_service_and_about_no_other() -> None:
    known = set(run("return Object.keys((await load('errors.js')).REACTIONS)"))
    assert known - OWN == PROBLEMS.keys() - NOT_FOR_THE_PAGE


def test_the_page_sends_the_version_of_the_words_it_shows() -> None:
    assert run("return (await load('consent_text.js')).CONSENT_TEXT_VERSION") == CONSENT_VERSION


def test_words_of_consent_do_not_change_without_a_new_version() -> None:
    digest = hashlib.sha256()
    for file in sorted((assets.STATIC / "locales").glob("*.json")):
        words = json.loads(file.read_text(encoding="utf-8"))
        asked = {key: text for key, text in words.items() if key.startswith(("consent.", "decline."))}
        digest.update(json.dumps([file.stem, asked], ensure_ascii=False, sort_keys=True).encode())
    assert digest.hexdigest()[:8] == CONSENT_TEXTS[CONSENT_VERSION]
