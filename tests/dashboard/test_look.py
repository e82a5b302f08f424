"""The dashboard wears the capture page's colours, and its pages stay within their weight."""

import re
from pathlib import Path

from starlette.routing import compile_path
from tools import dashboard_screenshots as shots

from truename.dashboard.assets import assets
from truename.dashboard.rendering import FOLDER
from truename.dashboard.routes import SCREENS

SOURCE = Path(__file__).parents[2] / "src" / "truename"


def colours(sheet: str) -> list[dict[str, str]]:
    """The colours of each block that sets them: light, then dark."""
    blocks = re.findall(r":root \{(.*?)\n\s*\}", sheet, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]


def test_both_pages_have_the_same_colours_in_light_and_in_dark():
    capture = colours((SOURCE / "capture_page/static/style.css").read_text("utf-8"))
    own = colours((SOURCE / "dashboard/static/dashboard.css").read_text("utf-8"))
    assert len(capture) == len(own) == 2
    for theirs, ours in zip(capture, own, strict=True):
        assert {name: ours[name] for name in theirs} == theirs
        assert set(ours) - set(theirs) == {"edge"}


def test_styles_and_scripts_stay_within_their_budget():
    weight = {".css": 0, ".js": 0}
    for name, asset in assets().items():
        if Path(name).suffix in weight:
            weight[Path(name).suffix] += len(asset.compressed)
    assert weight[".css"] <= 15 * 1024
    assert weight[".js"] <= 30 * 1024


def test_no_template_switches_escaping_off_or_brings_a_script_or_style_of_its_own():
    forbidden = re.compile(r"\|\s*safe|autoescape|<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)|javascript:", re.I)
    templates = sorted(FOLDER.rglob("*.html"))
    assert len(templates) > 20
    for template in templates:
        assert forbidden.findall(template.read_text("utf-8")) == [], template.name


NOT_PAGES = {
    "/dashboard/me/left": "no body: a header alone",
    "/dashboard/me/totp.svg": "a picture of its own",
    "/dashboard/media/{media_id}": "a picture of its own",
    "/dashboard/media/{media_id}/face": "a picture of its own",
    "/dashboard/live": "a stream",
    "/dashboard/live/since": "a part of a page",
    "/dashboard/transactions/rows": "a part of a page",
    "/dashboard/transactions/count": "a part of a page",
    "/dashboard/transactions/export.csv": "a file",
    "/dashboard/transactions/{transaction_id}/receipt": "a file",
    "/dashboard/lab/sample": "a part of a page",
    "/dashboard/search": "leads on",
    "/dashboard/audit.csv": "a file",
}


def test_a_name_amid_a_sentence_does_not_turn_what_stands_behind_it():
    """Of "printed by محمد · 2026-11-19 04:49" a browser makes "04:49 19-11-2026 · محمد" unless the name is apart."""
    name = re.compile(r"\{\{ ([^{}]*(?:who|people)(?:\[|\.get\()[^{}]*|visit\.operator\.called[^{}]*) \}\}")
    bare, apart = [], 0
    for template in sorted(FOLDER.glob("*.html")):
        for line in template.read_text("utf-8").splitlines():
            if "<summary>" not in line:  # there it stands alone
                apart += len(name.findall(line))
                bare += [f"{template.name}: {one}" for one in name.findall(line) if not one.endswith("|person")]
    assert (bare, apart > 20) == ([], True)


def test_every_page_is_photographed_by_make_screenshots():
    taken = {**shots.PAGES, **shots.IN_A_SANDBOX, **shots.FOR_STRANGERS}
    paths = {f"/dashboard{path.partition('?')[0]}" for path in taken.values()}
    for screen in SCREENS:
        if screen.method == "GET" and screen.path not in NOT_PAGES:
            pattern = compile_path(screen.path)[0]
            assert any(pattern.match(path) for path in paths), f"{screen.path} is on no picture"
