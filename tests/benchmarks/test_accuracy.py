"""Does the accuracy report say what it could not measure, and measure the rest?"""

import csv
import json
import sys

import numpy as np
import pytest
import skimage.data
from benchmarks.accuracy import main
from benchmarks.accuracy_rows import LeftOut
from benchmarks.accuracy_sections.forgeries import installed_fonts
from benchmarks.accuracy_sections.liveness import judged_by
from benchmarks.accuracy_sections.liveness_folds import MeasuredStills, accepted_after_challenge, measured_stills
from benchmarks.accuracy_sections.liveness_selfies import groups, refused, selfies
from benchmarks.calibrate_liveness import Judges, Labelled
from PIL import Image

from truename.sandbox.drawing import documents
from truename.vision.liveness.passive import Measured, both_were_brought

COLUMNS = ("file", "country", "doc_type", "surname", "mrz1")
FOUR_SELFIES = {"sharp": "selfie", "card": "id", "soft": "selfie", "broken": "selfie"}
BROKEN = b"\xff\xd8\xff\xe0 this is no picture"


def report(data, *sections):
    out = data / "rows.json"
    main(["--data", str(data), "--only", ",".join(sections), "--json", str(out)])
    return {row["measure"]: row for row in json.loads(out.read_text("utf-8"))}


def labelled(folder, rows, columns=COLUMNS):
    folder.mkdir(exist_ok=True)
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, columns)
        written.writeheader()
        written.writerows({column: row.get(column, "") for column in columns} for row in rows)


@pytest.mark.slow
def test_an_unknown_kind_or_a_broken_picture_costs_a_sample_and_not_the_section(tmp_path):
    folder = tmp_path / "specimens"
    passport = documents.passport()
    rows = [
        {"file": "good.jpg", "country": "DEU", "doc_type": "passport", "surname": "MUSTERMANN", "mrz1": "P<D<<"},
        {"file": "good.jpg", "country": "USA", "doc_type": "driver_license_back"},
        {"file": "broken.jpg", "country": "DEU", "doc_type": "passport"},
        {"file": "missing.jpg", "country": "DEU", "doc_type": "id"},
    ]
    labelled(folder, rows)
    Image.fromarray(passport.front).save(folder / "good.jpg", quality=92)
    (folder / "broken.jpg").write_bytes(BROKEN)
    found = report(tmp_path, "documents")
    assert found["country and kind right"]["n"] == 1
    assert found["surnames exact, with zone"]["n"] == 1
    left_out = found["samples left out"]
    assert (left_out["value"], left_out["n"]) == (3, 4)
    assert "unknown kind driver_license_back" in left_out["note"]
    assert "broken.jpg" in left_out["note"]


def test_a_collection_that_cannot_be_measured_costs_its_own_row(tmp_path):
    (tmp_path / "selfie_id").mkdir()
    (tmp_path / "selfie_id" / "broken.jpg").write_bytes(BROKEN)
    labelled(tmp_path / "mrz", [{"file": "broken.jpg", "lines": "P<UTO", "format": "TD3"}], ("file", "lines", "format"))
    found = report(tmp_path, "faces", "mrz")
    assert found["selfie_id"]["value"] is None
    assert "labels.csv" in found["selfie_id"]["note"]
    assert found["pictures that cannot be read"]["note"] == "selfie_id/broken.jpg"
    assert found["LFW"]["value"] is None
    assert found["samples left out"]["value"] == 1


def test_plots_without_their_library_are_refused_before_anything_is_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit) as refused:
        main(["--data", str(tmp_path), "--plots", str(tmp_path / "plots")])
    assert refused.value.code == 2
    assert "make install-dev" in capsys.readouterr().err
    assert not (tmp_path / "plots").exists()


def test_stills_in_full_frames_are_judged_by_the_classical_signs_alone_and_by_each_network():
    def still(network, data_set="nuaa", live=True, faceless=False, operators=None):
        measured = None if faceless else Measured(2.7, 1.0, 0.1, None, 5.0, network, operators)
        return Labelled(data_set, "a.png", "somebody", "nuaa, one phone", live, "" if live else "print", measured)

    whole = [still(0.9), still(0.1, live=False), still(0.5, "pad_replay_crops"), still(0.5, faceless=True)]
    asked = [still(0.9, operators=0.8), still(0.1, live=False, operators=0.2), still(0.5, faceless=True)]
    alone, shipped, operators = measured_stills(asked)
    assert [one.judges for one in (alone, shipped, operators)] == list(Judges)
    assert alone.live.tolist() == [True, False], "full frames that show a face"
    assert shipped.x.shape[1] == alone.x.shape[1] + 1
    assert np.exp(shipped.x[:, -1]) == pytest.approx([9, 1 / 9])
    assert np.exp(operators.x[:, -2:]) == pytest.approx(np.array([[4, 9], [1 / 4, 1 / 9]]))
    assert [one.judges for one in measured_stills(whole)] == [Judges.CLASSICAL, Judges.SHIPPED]
    assert next(measured_stills(whole)).live.tolist() == [True, False], "tight crops and pictures without a face apart"
    assert list(measured_stills([still(0.5, faceless=True)])) == []


@pytest.mark.parametrize("beside", [False, True])
def test_the_shipped_network_is_judged_alone_whatever_lies_beside_the_data(tmp_path, beside):
    (tmp_path / "data").mkdir()
    if beside:
        (tmp_path / "models").mkdir()
        for name in ("one_scale2.7.onnx", "other_scale4.0.onnx"):
            (tmp_path / "models" / name).write_bytes(b"weights")
    for judges, possible in ((Judges.SHIPPED, True), (Judges.OPERATORS, beside)):
        with judged_by(judges, tmp_path / "data") as found:
            assert found is possible
            assert not found or both_were_brought() is (judges is Judges.OPERATORS)
    assert not both_were_brought()


def test_a_font_that_this_machine_lacks_is_a_sample_left_out():
    left_out = LeftOut("authenticity")
    assert installed_fonts(left_out, ["nowhere/NoSuchFont.ttf"]) == []
    (row,) = left_out.rows()
    assert (row.measure, row.value, row.n) == ("samples left out", 1, 1)
    assert "NoSuchFont.ttf" in row.note


def test_a_source_has_no_say_in_the_line_that_its_own_pictures_must_reach():
    """Its living are fainter than all others: drawn with them, as the shipped line is, it would refuse none of them."""
    sign = {"one": (1.0, -1.0), "two": (1.1, -0.9), "three": (0.9, -1.1), "faint": (-0.4, -1.0)}
    rows = [(name, live, sign[name][not live] + 0.01 * k) for name in sign for live in (True, False) for k in range(8)]
    sources, living, values = zip(*rows, strict=True)
    stills = MeasuredStills(Judges.SHIPPED, np.array(values)[:, None], np.array(living), list(sources), list(sources))
    accepted = accepted_after_challenge(stills)
    own = np.array([name == "faint" for name in sources])
    assert not accepted[own].any()
    assert accepted[~own & stills.live].all()
    assert not accepted[~own & ~stills.live].all()


def test_living_people_of_sets_without_attacks_are_counted_as_refused_or_not(tmp_path):
    """One of them sharp, one as if its fine detail had been lost: pictures of cards and broken ones do not count."""
    folder = tmp_path / "selfie_id"
    rows = [{"file": f"{name}.png", "type": kind} for name, kind in FOUR_SELFIES.items()]
    labelled(folder, rows, ("file", "type"))
    sharp = Image.fromarray(skimage.data.astronaut())
    sharp.save(folder / "sharp.png")
    sharp.save(folder / "card.png")
    sharp.resize((96, 96)).resize(sharp.size).save(folder / "soft.png")
    (folder / "broken.png").write_bytes(BROKEN)
    left_out = LeftOut("liveness")
    judged = selfies(tmp_path, left_out)
    assert {name: len(found) for name, found in judged.items()} == {"selfie_id": 2}
    assert (left_out.tried, len(left_out.reasons)) == (3, 1)
    (row,) = refused(Judges.SHIPPED, judged)
    assert (row.value, row.n, row.meets) == (0.5, 2, False)
    assert row.measure == "after a passed challenge, as shipped: living people of selfie_id refused"


def test_living_adults_are_counted_by_the_group_that_their_labels_name(tmp_path):
    folder = tmp_path / "utkface"
    people = [("a.png", 30, "Asian"), ("b.png", 12, "Asian"), ("c.png", 44, "Black"), ("none.png", 44, "Black")]
    labelled(folder, [{"file": one, "age": age, "race": race} for one, age, race in people], ("file", "age", "race"))
    for name in ("a.png", "b.png", "c.png"):
        Image.fromarray(skimage.data.astronaut()).save(folder / name)
    left_out = LeftOut("liveness")
    found = groups(tmp_path, left_out)
    assert {name: len(judged) for name, judged in found.items()} == {"utkface, Asian": 1, "utkface, Black": 1}
    assert (left_out.tried, len(left_out.reasons)) == (3, 1)
    assert [row.meets for row in refused(Judges.SHIPPED, found)] == [True, True]
    assert groups(tmp_path / "nowhere", left_out) == {}
