"""Log lines reach stderr as it is now, also after somebody replaced it."""

import io
import logging
import sys
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from tests.support.log import as_found
from truename.cli import app
from truename.cli.running import set_up_log
from truename.plumbing.settings import load_settings
from truename.vision.configuration import configuration


def test_a_line_is_written_after_stderr_was_replaced_and_the_old_one_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", first)
    set_up_log(load_settings())
    log = structlog.get_logger("truename.test")
    log.warning("before")
    assert "before" in first.getvalue()
    monkeypatch.setattr(sys, "stderr", second)
    first.close()
    log.warning("after")
    logging.getLogger("somebody.else").warning("theirs")
    assert "after" in second.getvalue()
    assert "theirs" in second.getvalue()


def test_a_command_leaves_no_logger_behind_that_a_later_setting_does_not_reach() -> None:
    set_up_log(load_settings())
    log = structlog.get_logger("truename.test")
    log.warning("by the first setting")
    set_up_log(load_settings())
    with structlog.testing.capture_logs() as lines:
        log.warning("by the second")
    assert [line["event"] for line in lines] == ["by the second"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_error_is_logged_without_a_value_that_it_or_its_functions_have_held(
    monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Seen before: the renderer showed the variables of every function, and so the tokens of whoever was served."""
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    set_up_log(load_settings().model_copy(update={"log_format": form}))

    def fails() -> None:
        secret = f"canary{'local'}"
        raise ValueError(f"what was sent: canary{'said'} {len(secret)}")

    theirs = logging.getLogger("uvicorn.error")
    for write in (
        structlog.get_logger("truename.test").exception,
        theirs.exception,
        lambda words: theirs.error(words, exc_info=sys.exc_info()),
        lambda words: theirs.error(f"{words}\nfuture: <Task exception={sys.exc_info()[1]!r}>", exc_info=sys.exc_info()),
    ):
        written.truncate(0)
        try:
            fails()
        except ValueError:
            write("it failed")
        told = written.getvalue()
        assert "it failed" in told
        assert "in fails" in told
        assert "ValueError" in told
        assert "canarylocal" not in told
        assert "canarysaid" not in told


def test_what_a_command_sets_up_in_the_process_of_the_tests_is_over_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen before: lines of later tests were left out, and vision looked for models in the folder of an earlier one."""

    def found() -> list[object]:
        root, engine = logging.getLogger(), logging.getLogger("procrastinate")
        return [structlog.get_config()["wrapper_class"], root.handlers[:], engine.level, configuration()]

    monkeypatch.setenv("TRUENAME_DATA_DIR", str(tmp_path))
    before = found()
    with as_found():
        assert CliRunner().invoke(app, ["layouts", "list"]).exit_code == 0
        assert not [one for one, was in zip(found(), before, strict=True) if one == was]
    assert found() == before
