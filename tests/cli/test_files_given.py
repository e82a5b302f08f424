"""Files that are given to a command and cannot be used are said so in a sentence: pictures, configs, tables."""

from pathlib import Path

import pytest
import skimage.data
import typer

from tests.support.served import truename_here
from truename.cli.examine_files import captures_from_files, read_config
from truename.cli.exit_codes import ExitCode
from truename.vision.images import encode_jpeg


@pytest.fixture
def selfie(tmp_path: Path) -> Path:
    file = tmp_path / "selfie.jpg"
    file.write_bytes(encode_jpeg(skimage.data.astronaut()))
    return file


def test_a_file_that_is_no_picture_is_not_examined(tmp_path: Path):
    (tmp_path / "README.md").write_text("# Read me\n")
    done = truename_here(tmp_path, "examine", "--document-front", str(tmp_path / "README.md"))
    assert done.returncode == ExitCode.USAGE
    assert done.stderr.strip() == f"{tmp_path / 'README.md'} is no JPEG or PNG picture."
    (tmp_path / "frames").mkdir()
    for given in ((None, None, tmp_path / "README.md", None), (None, None, None, tmp_path / "frames")):
        with pytest.raises(typer.Exit):
            captures_from_files(*given)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{not json", "is not JSON: "),
        (
            '{"biometric_policy": {"livenes_min_score": 0.9}}',
            "at /biometric_policy/livenes_min_score: There is no such field.",
        ),
        ('{"biometric_policy": {"livenes_min_score": 0.9}}', "id you mean liveness_min_score?"),
        ('{"transaction_ttl_minutes": 0}', "at /transaction_ttl_minutes: The number must be at least 1."),
        ("[]", "must be an object"),
    ],
)
def test_a_faulty_config_is_said_fault_by_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture, text: str, sentence: str
):
    config = tmp_path / "config.json"
    config.write_text(text)
    with pytest.raises(typer.Exit) as ended:
        read_config(config)
    assert ended.value.exit_code == ExitCode.USAGE
    assert sentence in capsys.readouterr().err


@pytest.mark.slow
def test_a_broken_table_of_models_is_a_fault_of_the_configuration(tmp_path: Path, selfie: Path):
    (tmp_path / "models.toml").write_text("this is not TOML")
    for command in (["models"], ["examine", "--selfie", str(selfie)]):
        done = truename_here(tmp_path, *command, TRUENAME_MODELS=str(tmp_path / "models.toml"))
        assert done.returncode == ExitCode.CONFIGURATION
        assert done.stderr.startswith("TRUENAME_MODELS=")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (b"file1,file2,same\n\xff\xfe,b,1\n", "is no CSV in UTF-8"),
        (b"file1,file2,same\na.jpg\n", "line 2: nothing stands in file2, same"),
        (b"\xef\xbb\xbffile1,file2,same\nselfie.jpg,selfie.jpg,yes\n", "`same` is 1 or 0"),
    ],
)
def test_a_table_of_pairs_that_cannot_be_meant_is_refused(tmp_path: Path, selfie: Path, table: bytes, said: str):
    pairs = selfie.parent / "pairs.csv"
    pairs.write_bytes(table)
    done = truename_here(tmp_path, "calibrate", "--pairs", str(pairs), "--out", str(tmp_path / "out.toml"))
    assert (done.returncode, said in done.stderr) == (ExitCode.USAGE, True), done.stderr
