"""Is the page on accuracy what the tool writes from the measured figures, and nothing else?"""

import json
from pathlib import Path

import pytest
from benchmarks.accuracy_rows import CHOSEN_HERE
from pydantic import ValidationError
from tools import accuracy_page


def test_page_and_readme_are_what_the_tool_writes_from_the_figures():
    sections = accuracy_page.read_figures()
    assert accuracy_page.PAGE.read_text("utf-8") == accuracy_page.page(sections)
    text = accuracy_page.README.read_text("utf-8")
    assert accuracy_page.BEGIN in text
    assert text == accuracy_page.readme(sections, text)


def test_a_run_replaces_the_sections_it_measured_and_no_other(tmp_path: Path):
    row = {"section": "mrz", "measure": "mrz: exact in every character", "value": 0.9, "low": 0.8, "high": 0.95,
           "target": "≥ 93 %", "meets": False, "n": 40, "note": "in fold 95.0 %; 20 sources", "unit": "%"}  # fmt: skip
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([row]), encoding="utf-8")
    before = accuracy_page.read_figures()
    after = accuracy_page.take(before, file, "1 December 2026")
    assert after["faces"] == before["faces"]
    assert [one.measure for one in after["mrz"].rows] == ["mrz: exact in every character"]
    written = accuracy_page.page(after)
    assert "| mrz: exact in every character | 90.0 % (80.0–95.0) | 95 % | 40 | ≥ 93 % **missed** |" in written


def test_a_figure_that_was_not_measured_is_said_and_not_invented(tmp_path: Path):
    row = {"section": "age", "measure": "utkface: mean error", "value": None, "note": "there is no folder"}
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([row]), encoding="utf-8")
    after = accuracy_page.take(accuracy_page.read_figures(), file, "1 December 2026")
    assert "| utkface: mean error | not measured |" in accuracy_page.page(after)


@pytest.mark.parametrize(("section", "empty"), [("liveness", ""), ("faces", "  |  |")])
def test_a_figure_that_its_own_pictures_chose_stands_in_the_column_in_fold(tmp_path: Path, section: str, empty: str):
    row = {"section": section, "measure": "stills: attacks accepted", "value": 0.02, "low": 0.01, "high": 0.08,
           "n": 82, "note": f"as a video would be; {CHOSEN_HERE}", "unit": "%"}  # fmt: skip
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([row]), encoding="utf-8")
    after = accuracy_page.take(accuracy_page.read_figures(), file, "1 December 2026")
    assert f"| stills: attacks accepted |  | 2.0 % (1.0–8.0) |{empty} 82 |  |" in accuracy_page.page(after)


def test_figures_hold_no_name_of_a_picture():
    names = (".jpg", ".png", ".jpeg", "/")
    for section in accuracy_page.read_figures().values():
        for row in section.rows:
            assert not any(name in row.measure for name in names), row.measure


def test_a_readme_row_that_nobody_measured_is_an_error():
    sections = accuracy_page.read_figures()
    sections["documents"] = sections["documents"].model_copy(update={"rows": []})
    with pytest.raises(KeyError, match="country and kind right"):
        accuracy_page.readme(sections, "")


def test_a_row_with_a_word_that_no_row_has_is_refused(tmp_path: Path):
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([{"section": "age", "measure": "x", "value": 1.0, "hits": 3}]), encoding="utf-8")
    with pytest.raises(ValidationError, match="hits"):
        accuracy_page.take({}, file, "1 December 2026")
