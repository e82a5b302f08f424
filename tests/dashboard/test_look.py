"""The dashboard wears the capture page's colours, and its pages stay within their weight."""

import re
from pathlib import Path

from truename.dashboard.assets import assets
from truename.dashboard.rendering import FOLDER

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
