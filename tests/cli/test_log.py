"""Log lines reach stderr as it is now, also after somebody replaced it."""

import io
import logging
import sys
from collections.abc import Iterator

import pytest
import structlog

from tests.support.log import log_restored
from truename.cli.running import set_up_log
from truename.plumbing.settings import load_settings


@pytest.fixture
def settings_of_logging() -> Iterator[None]:
    with log_restored():
        yield


def test_a_line_is_written_after_stderr_was_replaced_and_the_old_one_closed(
    settings_of_logging: None, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_command_leaves_no_logger_behind_that_a_later_setting_does_not_reach(settings_of_logging: None) -> None:
    set_up_log(load_settings())
    log = structlog.get_logger("truename.test")
    log.warning("by the first setting")
    set_up_log(load_settings())
    with structlog.testing.capture_logs() as lines:
        log.warning("by the second")
    assert [line["event"] for line in lines] == ["by the second"]
