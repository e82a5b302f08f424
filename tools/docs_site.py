"""Build the site of docs/ into src/truename/api/guide/, from where the service shows it at /docs/guide/.

    python tools/docs_site.py [--zensical PROGRAM] [--out FOLDER]

The pages are staged first: what stands beside docs/ (the house on one page, the changelog …) joins them, and the
navigation is made from the folders, so that a new page needs nothing but to be there. Then zensical builds them
strictly, and the result is read once more as a browser would: a link that leads nowhere, a page without a place, or
anything that would be fetched from elsewhere ends the build.
"""

import argparse
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import api_page  # noqa: E402

DOCS = ROOT / "docs"
OUT = ROOT / "src" / "truename" / "api" / "guide"
WORK = ROOT / "build" / "site"
ZENSICAL = ROOT / "build" / "site-tools" / "bin" / "zensical"
ADDRESS = "/docs/guide/"
SECTIONS = {
    "tutorials": "Tutorials",
    "how-to": "How-to",
    "reference": "Reference",
    "explanation": "Explanation",
    "decisions": "Decisions",
    "project": "Project",
}
"""Folders in the order of the navigation."""
BESIDE = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "README.md": "index.md",
}
"""Pages beside docs/, and where they stand on the site; the README's place is taken by docs/index.md."""
OWN_PLACES = {name: place for name, place in BESIDE.items() if name != "README.md"}
CONFIG = """[project]
site_name = "Truename"
site_description = "Self-hosted identity verification whose every decision can be explained."
site_url = "{address}"
docs_dir = "source"
site_dir = "made"
extra_css = ["own.css"]
nav = [
{nav}
]
[project.theme]
font = false
language = "en"
features = ["navigation.tabs", "navigation.top", "content.code.copy", "search.highlight", "toc.follow"]
[[project.theme.palette]]
media = "(prefers-color-scheme)"
toggle.icon = "lucide/sun-moon"
toggle.name = "Use the light colours"
[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Use the dark colours"
[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Use the colours of the system"
"""
OWN_STYLE = """/* The theme's colour for the page one is on has too little contrast (WCAG 2.2, 1.4.3). */
.md-nav .md-nav__item .md-nav__link.md-nav__link--active { color: var(--md-default-fg-color); font-weight: 600; }
"""
LINE_ANCHOR = re.compile(r'<a id="__codelineno[^>]*></a>')
"""Links without words before each line of code: nothing leads there, and a screen reader would read each."""
FENCE = re.compile(r"^( *)(```+|~~~+)")
LINK = re.compile(r"\]\(([^)\s]+)\)")


class CannotBuild(Exception):
    """The site is not as it should be."""


# ── staging ────────────────────────────────────────────────────────────────────────────────────────────────


def stage(docs: Path, source: Path) -> list[str]:
    """Copy every page to its place, as the generator wants it written; the places, sorted."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(docs, source)
    for name, place in OWN_PLACES.items():
        if (ROOT / name).exists():
            (source / place).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, source / place)
    (source / "reference" / "api.md").write_text(api_page.page(), "utf-8")
    (source / "own.css").write_text(OWN_STYLE, "utf-8")
    pages = sorted(str(path.relative_to(source)) for path in source.rglob("*.md"))
    if "index.md" not in pages:
        raise CannotBuild("docs/index.md, the first page, is missing.")
    lost = [page for page in pages if page != "index.md" and page.partition("/")[0] not in SECTIONS]
    if lost:
        raise CannotBuild(f"These pages are in no folder of the navigation ({', '.join(SECTIONS)}): {', '.join(lost)}")
    for page in pages:
        path = source / page
        path.write_text(staged(path.read_text("utf-8"), page), "utf-8")
    return pages


def staged(text: str, page: str) -> str:
    """A page with its links put right, and a blank line before lists and tables, as Python-Markdown wants it."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[2]
        elif mark and line.strip() == fence:
            fence = ""
        elif not fence:
            before = lines[-1] if lines else ""
            begins = re.match(r"([-*] |\d+\. )", line) and not re.match(r"([-*] |\d+\. |\s|#|$)", before)
            table = line.startswith("|") and before.strip() and not before.startswith("|")
            if begins or table:
                lines.append("")
            line = LINK.sub(lambda found: f"]({moved(found[1], page)})", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def moved(link: str, page: str) -> str:
    """Where a link leads on the site; one to a file of the source leads to the page about the house."""
    path, mark, fragment = link.partition("#")
    if not path or re.match(r"[a-z]+:", path) or path.startswith("/"):
        return link
    home = next((beside for beside, place in OWN_PLACES.items() if place == page), f"docs/{page}")
    target = _plain(PurePosixPath(home).parent / path)
    up = "../" * (len(PurePosixPath(page).parts) - 1)
    place = target.removeprefix("docs/")
    if target in BESIDE:
        place = BESIDE[target]
    elif not target.startswith("docs/"):
        if not (ROOT / target).exists():
            raise CannotBuild(f"{page}: {link}: there is no such file.")
        return f"{up}project/architecture.md"
    return f"{up}{'index.md' if place.rstrip('/') in SECTIONS else place}{mark}{fragment}"


def _plain(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def title(path: Path) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", path.read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise CannotBuild(f"{path.name} has no heading.")
    return found[1].replace("`", "").replace('"', "'")


def navigation(source: Path, pages: list[str]) -> str:
    """Sections in their order, pages by their titles."""
    rows = ['  {"Home" = "index.md"},']
    for folder, name in SECTIONS.items():
        inside = sorted((title(source / page), page) for page in pages if page.startswith(f"{folder}/"))
        if inside:
            rows.append(f'  {{"{name}" = [')
            rows += [f'    {{"{words}" = "{page}"}},' for words, page in inside]
            rows.append("  ]},")
    return "\n".join(rows)


# ── checking what was made ─────────────────────────────────────────────────────────────────────────────────


class Seen(HTMLParser):
    """What a page links to, loads, and can be linked at."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.anchors.add(str(given["id"]))
        if tag == "a" and given.get("href"):
            self.links.add(str(given["href"]))
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loads.add(str(given.get("href")))
        if given.get("src"):
            self.loads.add(str(given["src"]))


def check(made: Path, pages: list[str]) -> None:
    """Does every link lead somewhere, has every page a place, and is nothing fetched from elsewhere?"""
    seen: dict[str, Seen] = {}
    for path in sorted(made.rglob("*.html")):
        found = Seen()
        found.feed(path.read_text("utf-8"))
        seen[address_of(path.relative_to(made))] = found
    files = {ADDRESS + str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    faults = [f"{page}: was not built" for page in pages if address_of(Path(page)) not in seen]
    for here, found in seen.items():
        for link in found.links | found.loads:
            faults += [f"{here}: {link}: {fault}" for fault in faults_of(here, link, found, seen, files)]
    if faults:
        raise CannotBuild("\n".join(sorted(set(faults))))


def faults_of(here: str, link: str, found: Seen, seen: dict[str, Seen], files: set[str]) -> list[str]:
    parts = urlsplit(urljoin(here, link))
    if parts.scheme or parts.netloc:
        return ["is loaded from elsewhere"] if link in found.loads else []
    if not parts.path.startswith(ADDRESS):
        return []  # another page of the service, such as /docs
    if parts.path not in seen and parts.path not in files:
        return ["leads nowhere"]
    if parts.fragment and parts.path in seen and unquote(parts.fragment) not in seen[parts.path].anchors | {"__top"}:
        return ["there is no such heading"]
    return []


def address_of(path: Path) -> str:
    """Where a page is shown."""
    plain = path.with_suffix("")
    if plain.name == "index":
        plain = plain.parent
    return ADDRESS if str(plain) == "." else ADDRESS + str(PurePosixPath(plain)) + "/"


# ── all of it ──────────────────────────────────────────────────────────────────────────────────────────────


def build(zensical: Path, out: Path, docs: Path = DOCS, work: Path = WORK) -> int:
    """Stage, build, check, put in place; how many pages there are."""
    work.mkdir(parents=True, exist_ok=True)
    pages = stage(docs, work / "source")
    config = CONFIG.format(address=ADDRESS, nav=navigation(work / "source", pages))
    (work / "zensical.toml").write_text(config, "utf-8")
    made = work / "made"
    shutil.rmtree(made, ignore_errors=True)
    command = [str(zensical.absolute()), "build", "--strict", "--clean"]
    ran = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        told = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr)
        raise CannotBuild(told.partition("Traceback")[0].strip() or told)
    for path in made.rglob("*.html"):
        path.write_text(LINE_ANCHOR.sub("", path.read_text("utf-8")), "utf-8")
    check(made, pages)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(made, out)
    return len(pages)


def main() -> int:
    options = argparse.ArgumentParser(description="Build the site of docs/.")
    options.add_argument("--zensical", type=Path, default=ZENSICAL)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    try:
        count = build(given.zensical, given.out)
    except CannotBuild as fault:
        print(fault, file=sys.stderr)
        return 1
    print(f"{count} pages in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
