"""The page's modules that need no browser: their own tests in Node, and what they share with the service."""

import hashlib
import json
import re
from pathlib import Path

import aiohttp
import pytest

from tests.support.links import a_link
from tests.support.node import node, run
from truename.capture_page import assets
from truename.plumbing import errors
from truename.plumbing.error_codes import PROBLEMS
from truename.plumbing.resources import Plumbing
from truename.vision.decoding.header import MAX_PIXELS

SOURCE = Path(errors.__file__).parents[1]
SDK_SIDE = [*(SOURCE / "capture").rglob("*.py"), *(SOURCE / "plumbing" / "http").rglob("*.py")]
SDK_SIDE.remove(SOURCE / "plumbing" / "http" / "queries.py")  # identifiers in the addresses of integrators
OWN = {"offline", "unavailable"}
"""Codes that the page gives itself: no answer, or an answer that is not ours."""
CONSENT_TEXTS = {"2026-11": "305f2984"}
"""Which words each version of the consent text means. Other words are another version: add it, never edit a row."""


@pytest.mark.parametrize("file", sorted(path.name for path in Path(__file__).parent.glob("*.test.js")))
def test_the_modules_own_tests_pass(file: str) -> None:
    ran = node("--test", f"tests/capture_page/{file}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "# pass 0" not in ran.stdout


def codes_of_the_sdk_side() -> set[str]:
    """Every code of the table that is uttered where the page's calls are answered, by its name or by its class."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SDK_SIDE)
    words = set(re.findall(r"\w+", text))
    by_class = {one.code for one in _refusals(errors.Refusal) if one.__name__ in words}
    return by_class | {code for code in PROBLEMS if f'"{code}"' in text}


def _refusals(parent: type[errors.Refusal]) -> set[type[errors.Refusal]]:
    children = set(parent.__subclasses__())
    return children | {one for child in children for one in _refusals(child)}


def test_the_page_knows_what_to_do_about_every_code_of_the_service_and_about_no_other() -> None:
    known = set(run("return Object.keys((await load('errors.js')).REACTIONS)"))
    assert known - OWN == codes_of_the_sdk_side()


def test_the_page_makes_pictures_smaller_that_have_more_pixels_than_the_service_unpacks() -> None:
    assert run("return (await load('document/files.js')).MOST_PIXELS") == MAX_PIXELS


def version_of_the_page() -> str:
    return str(run("return (await load('consent_text.js')).CONSENT_TEXT_VERSION"))


async def test_the_page_sends_the_version_of_the_words_it_shows(plumbing: Plumbing, live_server: str) -> None:
    async with aiohttp.ClientSession(live_server) as http:
        phone = (await a_link(plumbing, http)).phone
        version = version_of_the_page()
        assert (await phone.session())[1]["consent"]["text_version"] == version
        said = {"given": True, "text_version": version, "language": "en"}
        assert (await phone.call("POST", "/consent", json=said))[0] == 200


def test_words_of_consent_do_not_change_without_a_new_version() -> None:
    digest = hashlib.sha256()
    for file in sorted((assets.STATIC / "locales").glob("*.json")):
        words = json.loads(file.read_text(encoding="utf-8"))
        asked = {key: text for key, text in words.items() if key.startswith(("consent.", "decline."))}
        digest.update(json.dumps([file.stem, asked], ensure_ascii=False, sort_keys=True).encode())
    assert digest.hexdigest()[:8] == CONSENT_TEXTS[version_of_the_page()]
