"""The site of docs/: built strictly, shown at /docs/guide/ under a policy that lets nothing else run."""

import re
import shutil
from pathlib import Path

import aiohttp
import pytest
from axe_playwright_python.async_playwright import Axe
from starlette.applications import Starlette
from tools.docs_site import DOCS, ZENSICAL, CannotBuild, build, check, navigation, stage, staged

from tests.support.browser import a_browser
from tests.support.installed import built_guide
from tests.support.loopback import serving
from truename.api.guide import routes_of


async def test_where_nothing_was_built_the_page_says_how_to(tmp_path: Path) -> None:
    async with (
        serving(Starlette(routes=list(routes_of(tmp_path)))) as address,
        aiohttp.ClientSession(address) as http,
        http.get("/docs/guide") as answer,
    ):
        assert (answer.status, str(answer.url.path)) == (404, "/docs/guide/")
        assert "make docs" in await answer.text()


async def test_nothing_beside_the_site_is_shown(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "index.html").write_text("<script>one()</script>first", "utf-8")
    (tmp_path / "secret.html").write_text("secret", "utf-8")
    app = Starlette(routes=list(routes_of(tmp_path / "guide")))
    async with serving(app) as address, aiohttp.ClientSession(address) as http:
        async with http.get("/docs/guide/") as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert (answer.status, await answer.text()) == (200, "<script>one()</script>first")
            assert re.search(r"script-src 'self' 'sha256-[A-Za-z0-9+/]{43}=';", policy)
        for path in ("..%2fsecret.html", "%2e%2e/secret.html", "%2f..%2fsecret.html", "x%00.html", "index.py"):
            async with http.get(f"/docs/guide/{path}") as answer:
                assert answer.status == 404, path
                assert "secret" not in await answer.text()


def test_lists_and_tables_may_follow_a_sentence_and_links_keep_their_way() -> None:
    text = "Words:\n- one\n- two\n  more\n\nWords\n| a |\n|-|\n\n```\ncode:\n- no\n```\n"
    assert staged(text, "how-to/x.md") == text.replace("Words:\n-", "Words:\n\n-").replace("Words\n|", "Words\n\n|")
    assert (
        staged("[a](../../SECURITY.md#x) [b](y.md)", "how-to/x.md")
        == "[a](../project/security.md#x) [b](../how-to/y.md)\n"
    )


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A copy of the pages, to spoil."""
    return Path(shutil.copytree(DOCS, tmp_path / "docs"))


@pytest.mark.slow
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"  # few pages: to build all of them takes seconds, and `make site` does
    for page, text in (
        ("index.md", "# Home\n[a](how-to/audit.md#here)\n"),
        ("how-to/audit.md", "# Audit\n## Here\n"),
        ("how-to/bad.md", "# Bad\n[a](missing.md) [b](audit.md#no-such-heading) [c](audit.md#here)\n"),
    ):
        (docs / page).parent.mkdir(parents=True, exist_ok=True)
        (docs / page).write_text(text, "utf-8")
    (docs / "reference").mkdir()
    with pytest.raises(CannotBuild) as refused:
        build(ZENSICAL, tmp_path / "guide", docs=docs, work=tmp_path / "work")
    assert re.search(r"page does not exist\s.*how-to/bad\.md:2", str(refused.value))
    assert str(refused.value).count("how-to/bad.md:2") == 2, refused.value
    assert "index.md:2" not in str(refused.value)
    assert not (tmp_path / "guide").exists()


def test_a_page_without_a_place_or_a_heading_fails_the_build(docs: Path, tmp_path: Path) -> None:
    (docs / "how-to" / "bad.md").write_text("No heading.\n", "utf-8")
    pages = stage(docs, tmp_path / "source")
    with pytest.raises(CannotBuild, match=r"bad\.md has no heading"):
        navigation(tmp_path / "source", pages)
    (docs / "stray").mkdir()
    (docs / "how-to" / "bad.md").rename(docs / "stray" / "bad.md")
    with pytest.raises(CannotBuild, match=r"stray/bad\.md"):
        stage(docs, tmp_path / "source")


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="../nothing/">', "leads nowhere"),
        ('<a href="/docs/guide/#nothing">', "no such heading"),
        ('<img src="https://example.com/x.png">', "from elsewhere"),
        ('<link rel="stylesheet" href="https://example.com/x.css">', "from elsewhere"),
        ('<script src="missing.js"></script>', "leads nowhere"),
    ],
)
def test_what_was_built_is_read_as_a_browser_would(tmp_path: Path, html: str, fault: str) -> None:
    (tmp_path / "how-to").mkdir()
    (tmp_path / "index.html").write_text('<h1 id="top">Home</h1><a href="how-to/#here">', "utf-8")
    (tmp_path / "how-to" / "index.html").write_text('<h1 id="here">How</h1><a href="../#top"><a href="/docs">', "utf-8")
    check(tmp_path, ["index.md", "how-to/index.md"])
    (tmp_path / "how-to" / "index.html").write_text(f'<h1 id="here">How</h1>{html}', "utf-8")
    with pytest.raises(CannotBuild, match=fault):
        check(tmp_path, ["index.md", "how-to/index.md"])


@pytest.mark.browser
async def test_the_guide_is_read_and_searched_without_a_network() -> None:
    app = Starlette(routes=list(routes_of(built_guide())))
    async with serving(app) as address, a_browser() as browser:
        page = await browser.new_page()
        heard: list[str] = []
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url) if address not in request.url else None)
        await page.goto(f"{address}/docs/guide/")
        await page.locator("article").get_by_role("link", name="Use the Python client").click()
        await page.get_by_role("heading", level=1, name="Use the Python client").wait_for()
        found = await Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
        assert found.violations_count == 0, found.generate_report()
        await page.keyboard.press("Control+k")
        await page.keyboard.type("idempotency")
        await page.get_by_text(re.compile(r"\d+ results")).wait_for(timeout=15_000)
        assert heard == []
