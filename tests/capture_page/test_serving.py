"""What the browser gets from us: only listed files, under strict rules, small and cached."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.capture_page import assets
from truename.plumbing.resources import Plumbing
from truename.rules.evidence import QualityReason
from truename.vision import models
from truename.vision.captures import Step
from truename.vision.liveness.light import COLOURS
from truename.vision.liveness.targets import WAY_OF


@dataclass(frozen=True)
class Answered:
    status_code: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


class Site:
    """Fetches paths exactly as they are written, and does not unpack what travels."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self.address, self.session = address, session

    async def get(self, path: str, headers: dict[str, str] | None = None) -> Answered:
        asked = {"Accept-Encoding": "identity", **(headers or {})}
        url = URL(self.address + path, encoded=True)
        async with self.session.get(url, headers=asked, allow_redirects=False) as answer:
            found = {name.lower(): value for name, value in answer.headers.items()}
            return Answered(answer.status, found, await answer.read())


@pytest.fixture(scope="module")
async def site(live_server: str) -> AsyncIterator[Site]:
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        yield Site(live_server, session)


async def test_the_page_allows_nothing_but_our_own_files(site: Site) -> None:
    answer = await site.get("/verify/")
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    assert "http" not in answer.headers["content-security-policy"]
    assert policy["frame-ancestors"] == "'self'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "camera=(self)" in answer.headers["permissions-policy"]


async def test_the_import_map_is_the_only_inline_script_and_its_hash_is_right(site: Site) -> None:
    answer = await site.get("/verify/")
    inline = re.findall(r"<script(?![^>]*src=)[^>]*>(.*?)</script>", answer.text, re.DOTALL)
    assert len(inline) == 1
    digest = base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in answer.headers["content-security-policy"]
    assert " style=" not in answer.text


async def test_every_address_of_the_import_map_is_served_as_a_script(site: Site) -> None:
    for address in json.loads(assets.import_map())["imports"].values():
        answer = await site.get(address)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "path",
    [
        "/verify/vendor/../package.json",
        "/verify/vendor/lit@3.3.1/package.json",
        "/verify/vendor/typescript/lib/tsc.js",
        "/verify/static/x/../../assets.py",
        "/verify/static/x/%2e%2e/assets.py",
        "/verify/static/x/tsconfig.json",
        "/verify/static/x/",
        "/verify/model/other.task",
    ],
)
async def test_what_is_not_listed_is_not_served(site: Site, path: str) -> None:
    assert (await site.get(path)).status_code == 404


async def test_own_files_are_kept_for_ever_under_the_name_of_their_release(site: Site) -> None:
    named = await site.get(f"/verify/static/{assets.release()}/app.js")
    other = await site.get("/verify/static/another/app.js")
    assert "immutable" in named.headers["cache-control"]
    assert other.headers["cache-control"] == "no-cache"
    again = await site.get("/verify/static/another/app.js", headers={"If-None-Match": other.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""


async def test_files_travel_compressed_and_arrive_whole(site: Site) -> None:
    address = f"/verify/static/{assets.release()}/locales/en.json"
    packed = await site.get(address, {"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    plain = await site.get(address, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed.content) == plain.content


async def test_the_face_model_is_the_one_of_the_model_table(site: Site) -> None:
    answer = await site.get("/verify/model/face_landmarker.task")
    assert hashlib.sha256(answer.content).hexdigest() == models.model("face_landmarker").sha256


async def test_the_loader_may_be_fetched_by_any_site(site: Site) -> None:
    answer = await site.get("/verify/truename.js")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"


async def test_a_missing_slash_keeps_the_query(site: Site) -> None:
    answer = await site.get("/verify?lang=es")
    assert answer.status_code == 308
    assert answer.headers["location"] == "/verify/?lang=es"


async def test_an_account_opens_frames_for_its_own_origins_only(site: Site, plumbing: Plumbing) -> None:
    settings = AccountSettings(capture_origins=("https://shop.example", "https://evil.example; script-src *"))
    account = await create_account(plumbing, "embedding", settings=settings)

    async def ancestors(query: str) -> str:
        policy = (await site.get(f"/verify/{query}")).headers["content-security-policy"]
        return policy.rpartition("frame-ancestors ")[2]

    assert await ancestors(f"?a={account.account_id}") == "'self' https://shop.example"
    assert await ancestors("?a=00000000-0000-7000-8000-000000000000") == "'self'"
    assert await ancestors("?a=nonsense") == "'self'"


def test_every_language_has_the_same_words() -> None:
    files = sorted((assets.STATIC / "locales").glob("*.json"))
    assert [file.stem for file in files] == ["ar", "de", "en", "es", "fr", "pt"]
    english = json.loads((assets.STATIC / "locales" / "en.json").read_text())
    for file in files:
        words = json.loads(file.read_text())
        assert words.keys() == english.keys(), file.stem
        for key, text in words.items():
            assert text.strip(), f"{file.stem} {key}"
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), f"{file.stem} {key}"


def test_every_reason_of_the_service_has_words() -> None:
    english = json.loads((assets.STATIC / "locales" / "en.json").read_text())
    for reason in QualityReason:
        # That a back is needed is not told but done: the page asks for it.
        assert reason is QualityReason.BACK_NEEDED or f"reason.{reason}" in english
    assert {"face.aim.near", "face.aim.far"} <= set(english)
    for step in Step:
        if step not in (Step.TURN_LEFT, Step.TURN_RIGHT, Step.MOVE_CLOSER, Step.MOVE_AWAY):  # asked for until 2026-11
            words = f"face.way.{WAY_OF[step]}" if step in WAY_OF else f"face.step.{step}"
            assert ("face.step.LIGHT" if step in COLOURS else words) in english


def test_every_word_that_the_page_asks_for_exists_and_none_is_left_over() -> None:
    english = json.loads((assets.STATIC / "locales" / "en.json").read_text())
    code = "\n".join(path.read_text() for path in assets.STATIC.rglob("*.js"))
    asked = set(re.findall(r"""['"`]((?:[a-z_]+\.)[A-Za-z_.0-9]+)['"`]""", code))
    prefixes = tuple(prefix for prefix in re.findall(r"`([a-z_.]+)\$\{", code) if prefix)
    assert {key for key in asked if key.split(".")[0] in {one.split(".")[0] for one in english}} - english.keys() <= {
        key for key in asked if key.endswith((".js", ".css", ".json", ".mjs", ".task"))
    } | {"truename.demo", "truename.document", "truename.face", "document.title_", "face.step."}
    unused = {key for key in english if key not in asked and not key.startswith(prefixes)}
    suffixed = {f"{key}_text" for key in english}
    assert unused - suffixed == set()


def test_the_lock_file_names_no_registry() -> None:
    lock = (Path(__file__).parents[2] / "package-lock.json").read_text()
    assert "://" not in re.sub(r'"url": "https?://[^"]*"', "", lock)
    # A package may be resolved to a folder of the checkout.
    assert all(at.startswith("node_modules/") for at in re.findall(r'"resolved": "([^"]*)"', lock))
