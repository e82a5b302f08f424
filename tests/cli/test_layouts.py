"""Can somebody who writes a layout file see what is wrong in it and what it makes of pictures?"""

import json
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.served import truename_here
from truename.cli import app
from truename.sandbox.drawing.from_layout import draw
from truename.vision.document.layouts.load import countries, read_country
from truename.vision.document.layouts.unheeded import unheeded
from truename.vision.images import encode_jpeg

MOLDOVA = """
country = "MD"
languages = ["ro"]
issuers = ["Republica Moldova"]
[[documents]]
kind = "NATIONAL_ID"
version = "veteran"
known_from = "description"
form = "ID-1"
titles = ["Legitimație de veteran"]
dates = "DD.MM.YYYY"
[documents.fields]
full_name = { labels = ["Titular"], order = "SURNAME_FIRST" }
document_number = { labels = ["Seria"], formats = ["@@ ######"] }
date_of_birth = { labels = ["Născut la"] }
date_of_expiry = { labels = ["Termen"], without_end = "NELIMITAT" }
"""
SPAIN = resources.files("truename.vision.document.layouts") / "es.toml"


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUENAME_DATA_DIR", str(tmp_path / "data"))


def test_all_documents_are_listed() -> None:
    run = CliRunner().invoke(app, ["layouts", "list", "--json"])
    assert run.exit_code == 0
    listed = json.loads(run.stdout)
    assert len(listed) == sum(len(country.documents) for country in countries().values())
    assert {"country": "MX", "kind": "NATIONAL_ID"}.items() <= next(
        row for row in listed if row["country"] == "MX"
    ).items()
    assert "INE 2014" in CliRunner(env={"COLUMNS": "160"}).invoke(app, ["layouts", "list"]).stdout


def test_a_wrong_file_is_said_key_by_key(tmp_path: Path) -> None:
    file = tmp_path / "es.toml"
    file.write_text(SPAIN.read_text("utf-8").replace('form = "ID-1"', 'form = "ID-7"', 1), "utf-8")
    run = CliRunner().invoke(app, ["layouts", "check", str(file)])
    assert (run.exit_code, "es.toml: `documents[0].form`" in run.stderr) == (1, True), run.stderr
    run = CliRunner().invoke(app, ["layouts", "check", str(file), "--json"])
    assert run.exit_code == 1
    assert json.loads(run.stdout)["problems"][0].startswith("`documents[0].form`")


@pytest.mark.parametrize("named", ["nowhere.toml", "."])
@pytest.mark.parametrize("command", [["check"], ["check", "--json"], ["draw", "--out", "drawn"]])
def test_a_file_that_is_not_there_is_a_wrong_call(tmp_path: Path, command: list[str], named: str) -> None:
    run = CliRunner(env={"COLUMNS": "300"}).invoke(app, ["layouts", *command, str(tmp_path / named)])
    assert (run.exit_code, run.stdout) == (2, "")
    assert str(tmp_path / named) in run.stderr


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ('labels = ["Născut la"]', 'labels = ["Născut la"], without_end = "?"', "date_of_birth.without_end"),
        ('labels = ["Născut la"]', 'labels = ["Născut la"], formats = ["########"]', "date_of_birth`: only a number"),
        ('labels = ["Născut la"]', 'labels = ["Născut la"], printed = ["1 MAI"]', "date_of_birth.printed"),
        ('labels = ["Născut la"]', 'labels = ["Născut la"], courtesy = ["Dl"]', "date_of_birth.courtesy"),
        ('labels = ["Născut la"]', 'labels = ["Născut la"], second = ["în"]', "date_of_birth.second"),
        ('labels = ["Titular"]', 'labels = ["Titular"], above = "date_of_birth"', "full_name.above"),
        ('labels = ["Titular"]', 'labels = [], above = "address"', "address is no other field"),
        ('labels = ["Titular"]', 'labels = ["Titular"], script = "Cyrillic"', "full_name.script"),
        ('labels = ["Titular"]', 'labels = ["Titular"], latin_below = true', "full_name.latin_below"),
        ('labels = ["Seria"], formats = ["@@ ######"]', "labels = []", "document_number`: without a label"),
        ("dates =", 'zone_number = "card_number"\ndates =', "documents[0].zone_number"),
        ("dates =", 'zone_side = "back"\ndates =', "documents[0].zone_side"),
        ('formats = ["@@ ######"]', 'formats = ["@@ ######", "(a+)+$"]', "(a+)+$ is the very number"),
        ('labels = ["Născut la"]', 'labels = ["Născut la"], script = "Thai"', "Thai figures are not read"),
        ("dates =", 'number_formats = ["####"]\ndates =', "documents[0].number_formats"),
    ],
)
def test_a_key_that_means_nothing_where_it_stands_is_told_and_the_file_is_read(
    tmp_path: Path, was: str, becomes: str, said: str
) -> None:
    file = tmp_path / "md.toml"
    file.write_text(MOLDOVA, "utf-8")
    assert "Without effect" not in CliRunner().invoke(app, ["layouts", "check", str(file)]).stdout
    file.write_text(MOLDOVA.replace(was, becomes, 1), "utf-8")
    run = CliRunner().invoke(app, ["layouts", "check", str(file)])
    assert (run.exit_code, "Without effect" in run.stdout, said in run.stdout) == (0, True, True), run.stdout
    answer = json.loads(CliRunner().invoke(app, ["layouts", "check", str(file), "--json"]).stdout)
    assert (answer["problems"], said in answer["without_effect"][0]) == ([], True)


def test_a_field_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    file = tmp_path / "md.toml"
    file.write_text(MOLDOVA.replace("date_of_birth =", "born =", 1), "utf-8")
    run = CliRunner().invoke(app, ["layouts", "check", str(file)])
    assert (run.exit_code, "there are full_name" in run.stderr) == (1, True), run.stderr


def test_every_key_of_the_shipped_files_has_an_effect() -> None:
    assert [said for country in countries().values() for said in unheeded(country)] == []


def test_who_writes_that_a_card_has_no_end_is_told_that_the_table_says_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "md.toml"
    file.write_text(MOLDOVA, "utf-8")
    run = CliRunner().invoke(app, ["layouts", "check", str(file)])
    assert (run.exit_code, "it is refused, whatever the file says" in run.stdout) == (0, True), run.stdout
    file.write_text(MOLDOVA.replace(', without_end = "NELIMITAT"', ""), "utf-8")
    assert "whatever the file says" not in CliRunner().invoke(app, ["layouts", "check", str(file)]).stdout


@pytest.mark.slow
def test_a_file_is_tried_on_a_picture_in_the_place_of_the_countrys_own(tmp_path: Path) -> None:
    """The same card, drawn by the shipped file and read by one that says other words and places."""
    picture = tmp_path / "front.jpg"
    picture.write_bytes(encode_jpeg(draw("ES", countries()["ES"].documents[0]).front))
    file = tmp_path / "es.toml"
    file.write_text(SPAIN.read_text("utf-8"), "utf-8")
    run = CliRunner().invoke(app, ["layouts", "check", str(file), str(picture), "--json"])
    (found,) = json.loads(run.stdout)["pictures"]
    assert (run.exit_code, found["recognised"], found["missed"]) == (0, True, []), found
    assert "SOLER" in next(one["value"] for one in found["read"] if one["field"] == "surnames")
    text = SPAIN.read_text("utf-8").replace(
        "given_names = {", 'address = { labels = ["Domicilio"] }\ngiven_names = {', 2
    )
    file.write_text(text, "utf-8")
    run = CliRunner().invoke(app, ["layouts", "check", str(file), str(picture)])
    assert run.exit_code == 1
    assert "address            missed" in run.stdout
    assert read_country(file).documents[0].fields.keys() != countries()["ES"].documents[0].fields.keys()


@pytest.mark.slow
def test_the_back_beside_a_front_is_read_with_it_where_that_is_asked_for(tmp_path: Path) -> None:
    drawn = draw("ES", countries()["ES"].documents[0])
    assert drawn.back is not None
    front, back, alone = (tmp_path / name for name in ("a-front.jpg", "a-back.jpg", "front.jpg"))
    for file, side in ((front, drawn.front), (back, drawn.back), (alone, drawn.front)):
        file.write_bytes(encode_jpeg(side))
    pictures = [str(front), str(alone)]
    run = CliRunner().invoke(app, ["layouts", "check", str(SPAIN), *pictures, "--backs", "--json"])
    whole, half = json.loads(run.stdout)["pictures"]
    assert (whole["back"], half["back"]) == (str(back), None)
    assert "MRZ" in {one["source"] for one in whole["read"]}, "the zone of this card is on its back"
    assert "MRZ" not in {one["source"] for one in half["read"]}
    run = CliRunner().invoke(app, ["layouts", "check", str(SPAIN), str(front), "--json"])
    (unasked,) = json.loads(run.stdout)["pictures"]
    assert (unasked["back"], unasked["read"]) == (None, half["read"])
    back.write_text("no picture")
    run = CliRunner().invoke(app, ["layouts", "check", str(SPAIN), pictures[0], "--backs"])
    assert (run.exit_code, "a-back.jpg is no JPEG or PNG picture" in run.stderr) == (2, True), run.stderr


def test_what_is_no_picture_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file, other = tmp_path / "es.toml", tmp_path / "front.jpg"
    file.write_text(SPAIN.read_text("utf-8"), "utf-8")
    other.write_text("no picture")
    run = CliRunner().invoke(app, ["layouts", "check", str(file), str(other)])
    assert (run.exit_code, "is no JPEG or PNG picture" in run.stderr) == (2, True), run.stderr


def test_documents_are_drawn_from_a_file_and_nothing_is_overwritten(tmp_path: Path) -> None:
    file, out = tmp_path / "es.toml", tmp_path / "drawn"
    file.write_text(SPAIN.read_text("utf-8"), "utf-8")
    run = CliRunner().invoke(app, ["layouts", "draw", str(file), "--out", str(out), "--flat", "--json"])
    assert run.exit_code == 0, run.stderr
    assert {Path(name) for name in json.loads(run.stdout)["files"]} == set(out.iterdir())
    kinds = len(read_country(file).documents)
    assert len(list(out.glob("es-*-1-front.jpg"))) == len(list(out.glob("es-*-1.json"))) == kinds
    told = json.loads((out / "es-national-id-dni-2006-1.json").read_text("utf-8"))
    assert (told["country"], told["type"], told["mrz"][0][:5]) == ("ES", "NATIONAL_ID", "IDESP")
    assert told["fields"]["surnames"]
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    run = CliRunner().invoke(app, ["layouts", "draw", "ES", "--out", str(out), "--count", "2"])
    assert (run.exit_code, "-1.json already" in run.stderr) == (2, True), run.stderr
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before
    run = CliRunner().invoke(app, ["layouts", "draw", str(tmp_path / "none.toml"), "--out", str(out)])
    assert (run.exit_code, "none.toml" in run.stderr) == (2, True), run.stderr
    run = CliRunner().invoke(app, ["layouts", "draw", "ES", "--out", str(file)])
    assert (run.exit_code, run.stderr.startswith(f"--out: {file} cannot be written")) == (2, True), run.stderr


@pytest.mark.parametrize("command", [["serve"], ["worker"], ["doctor"], ["layouts", "list"]])
def test_a_wrong_layout_of_the_operators_own_is_refused_at_the_start(command: list[str], tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "es.toml").write_text(SPAIN.read_text("utf-8").replace('form = "ID-1"', 'form = "ID-7"', 1), "utf-8")
    run = truename_here(tmp_path / "data", *command, TRUENAME_LAYOUTS=str(own), TRUENAME_PORT="0")
    assert (run.returncode, "es.toml: `documents[0].form`" in run.stderr) == (3, True), run.stderr
    assert not (tmp_path / "data").exists()
