"""Sight on the command line, without any server."""

import json
from pathlib import Path

import pytest
import skimage.data
import typer
from PIL import Image
from typer.testing import CliRunner

from truename.cli.examine import register
from truename.cli.examine_files import captures_from_files
from truename.cli.exit_codes import ExitCode
from truename.cli.models import register as register_models
from truename.cli.models_report import models_as_markdown
from truename.vision import models
from truename.vision.captures import Step
from truename.vision.images import encode_jpeg

ROOT = Path(__file__).parents[2]


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()
    register(app)
    register_models(app)
    return app


@pytest.fixture
def selfie(tmp_path: Path) -> Path:
    file = tmp_path / "selfie.jpg"
    file.write_bytes(encode_jpeg(skimage.data.astronaut()))
    return file


def test_a_selfie_is_examined_judged_and_drawn(command: typer.Typer, selfie: Path, tmp_path: Path):
    sheet = tmp_path / "found.png"
    run = CliRunner().invoke(
        command, ["examine", "--selfie", str(selfie), "--reference", str(selfie), "--json", "--picture", str(sheet)]
    )
    said = json.loads(run.stdout)
    assert (said["decision"], run.exit_code) == ("APPROVED", 0), run.output
    assert said["evidence"]["liveness"]["reason"] == "NO_CHALLENGE", "no more than single pictures say"
    assert said["evidence"]["face_similarity"]["LIVENESS_AND_REFERENCE"]["score"] > 0.95
    assert "document" not in said["evidence"]
    assert Image.open(sheet).width > 1000


def test_in_words_the_decision_stands_last(command: typer.Typer, selfie: Path):
    soft = Image.fromarray(skimage.data.astronaut())
    soft.resize((96, 96)).resize(soft.size).save(selfie)
    run = CliRunner().invoke(command, ["examine", "--selfie", str(selfie)])
    assert run.exit_code == ExitCode.NEGATIVE, run.output
    assert "liveness" in run.stdout
    assert run.stdout.index("Checks") < max(run.stdout.rfind("APPROVED"), run.stdout.rfind("REJECTED"))


@pytest.mark.parametrize(
    "arguments", [[], ["--selfie", "{selfie}", "--frames", "{folder}"], ["--selfie", "nowhere.jpg"]]
)
def test_a_wrong_call_is_explained(command: typer.Typer, selfie: Path, arguments: list[str]):
    filled = [one.format(selfie=selfie, folder=selfie.parent) for one in arguments]
    assert CliRunner().invoke(command, ["examine", *filled]).exit_code == 2


def test_frames_tell_step_and_time_by_their_names(tmp_path: Path):
    for name in ("00_LOOK_STRAIGHT_0.jpg", "01_LOOK_STRAIGHT_250.jpg", "02_TURN_LEFT_1500.jpg", "notes.txt"):
        (tmp_path / name).write_bytes(b"\xff\xd8\xff")
    captures = captures_from_files(None, None, None, tmp_path)
    assert [(frame.step, frame.at_ms) for frame in captures.frames] == [
        (Step.LOOK_STRAIGHT, 0),
        (Step.LOOK_STRAIGHT, 250),
        (Step.TURN_LEFT, 1500),
    ]
    assert captures.challenge == (Step.LOOK_STRAIGHT, Step.TURN_LEFT)
    assert captures.wants_liveness
    assert not captures.wants_document


def test_models_are_listed_with_the_state_of_their_files(command: typer.Typer):
    run = CliRunner().invoke(command, ["models"], env={"COLUMNS": "200"})
    assert run.exit_code == 0
    assert all(row.name in run.stdout for row in models.SHIPPED)
    assert "as measured" in run.stdout
    assert len(json.loads(CliRunner().invoke(command, ["models", "--json"]).stdout)) == len(models.SHIPPED)


def test_the_page_of_models_is_up_to_date():
    page = (ROOT / "docs" / "reference" / "models.md").read_text(encoding="utf-8")
    assert page == models_as_markdown(models.SHIPPED), "run `truename models --markdown > docs/reference/models.md`"
