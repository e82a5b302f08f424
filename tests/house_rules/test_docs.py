"""Do README, docs and their like lead to what is there: pages, headings, files, commands, settings?"""

import re
from collections.abc import Iterator
from pathlib import Path

from truename.cli import COMMANDS, load
from truename.plumbing.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("training/**/*.md")])
FENCE = re.compile(r"```.*?```", re.DOTALL)
CODE = ("src/truename", "client/src", "tests", "tools", "benchmarks", "training", "spec")
OTHERS = {"receiver.py", "first.py"}
"""Files that a page has its reader write."""


def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return FENCE.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The fragments of a page's headings, as forges make them."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(page))
        if not re.match(r"[a-z]+:", link)
    ]
    assert len(links) > 60
    for page, link in links:
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link}"
        assert not fragment or fragment in anchors(target), f"{page.relative_to(ROOT)}: {link}"


def test_every_file_that_a_page_names_exists() -> None:
    there = {str(file) for folder in CODE for file in (ROOT / folder).rglob("*") if "/npm/" not in str(file)}
    named = {(page, name) for page in PAGES for name in re.findall(r"`([\w./]+\.(?:py|js|sql))`", prose(page))}
    assert len(named) > 40
    lost = [
        f"{page.relative_to(ROOT)}: {name}"
        for page, name in sorted(named)
        if name not in OTHERS
        and not (page.parent / name).exists()
        and not any(file.endswith(f"/{name}") for file in there)
    ]
    assert lost == []


def test_a_page_that_embeds_the_capture_knows_every_way_it_can_end() -> None:
    scripts = ROOT / "src" / "truename" / "capture_page" / "static"
    told = "".join((scripts / name).read_text("utf-8") for name in ("views.js", "capture.js"))
    endings = set(re.findall(r"leave\('(\w+)'", told))
    assert endings >= {"done", "declined", "error"}
    for page in (ROOT / "docs" / "how-to").glob("embed-*.md"):
        named = set(re.findall(r"[`'=|(](\w+)[`'|)]", page.read_text("utf-8")))
        assert endings - named == set(), page.name


def commands() -> Iterator[str]:
    """Every command and group of the command line, as one types it."""
    for name in COMMANDS:
        yield name
        yield from (f"{name} {inner}" for inner in getattr(load(name), "commands", ()))


def options(first: str, second: str) -> set[str]:
    """Every option of a command."""
    command = load(first)
    command = getattr(command, "commands", {}).get(second, command)
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}


def test_every_option_that_a_page_names_exists() -> None:
    call = re.compile(r"(?<![\w.-])truename ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?([^\n`|#;&]*)")
    found = 0
    for page in PAGES:
        for first, second, rest in call.findall(page.read_text("utf-8").replace("\\\n", "")):
            for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", rest) if first in COMMANDS else ():
                found += 1
                assert option in options(first, second), f"{page.relative_to(ROOT)}: truename {first} {second} {option}"
    assert found > 60


def test_every_command_and_setting_that_a_page_names_exists() -> None:
    settings = {f"TRUENAME_{name.upper()}" for name in Settings.model_fields} | {"TRUENAME_CHROMIUM"}
    known = set(commands())
    groups = {name.split()[0] for name in known if " " in name}
    for page in PAGES:
        text = page.read_text("utf-8")
        for name in re.findall(r"TRUENAME_[A-Z_]+[A-Z]\b", text):
            assert name in settings, f"{page.relative_to(ROOT)}: {name}"
        for first, second in re.findall(r"(?:`|^|bin/)truename ([a-z]+)(?: ([a-z][a-z-]*)\b)?", text, re.MULTILINE):
            typed = f"{first} {second}" if first in groups and second else first
            assert typed in known, f"{page.relative_to(ROOT)}: truename {typed}"
