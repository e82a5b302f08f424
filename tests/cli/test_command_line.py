"""A user's mistake is one sentence and its exit code, and a command that only looks leaves nothing behind."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import typer
from tools import cli_docs
from typer.testing import CliRunner

from tests.support.forks import Order, forks
from tests.support.served import environment_of, truename, truename_here
from truename import __version__
from truename.cli import COMMANDS, app, load
from truename.cli.exit_codes import ExitCode
from truename.cli.running import troubles_in_words
from truename.plumbing.database.embedded import NoDataHere
from truename.plumbing.settings import load_settings
from truename.plumbing.storage.objects import StorageUnavailable
from truename.wiring import wired

NOBODY = "00000000-0000-4000-8000-000000000000"
LOOKING = [
    ("account", "list"),
    ("account", "set", "default", "handoff=false"),
    ("keys", "rotate"),
    ("keys", "rewrap"),
    ("client", "list", "default"),
    ("audit", "verify"),
    ("scrub",),
    ("replay", NOBODY),
    ("demo",),
    ("database", "dump", "{folder}/dump"),
]


def test_the_version_is_that_of_the_package(tmp_path: Path):
    done = truename(tmp_path, "--version")
    assert (done.returncode, done.stdout) == (0, f"truename {__version__}\n")


def test_a_misspelt_command_is_told_which_one_was_meant():
    wrong = CliRunner().invoke(app, ["exmaine"])
    assert wrong.exit_code == ExitCode.USAGE
    assert "Did you mean examine?" in wrong.output


def test_what_an_older_installation_left_behind_does_not_tell_its_version(tmp_path: Path):
    """As src/truename.egg-info does in a checkout that was upgraded in place."""
    left = tmp_path / "truename-0.0.1.dist-info"
    left.mkdir()
    (left / "METADATA").write_text("Metadata-Version: 2.1\nName: truename\nVersion: 0.0.1\n", "utf-8")
    stale = {**os.environ, "PYTHONPATH": str(tmp_path)}
    call = [sys.executable, "-c", "from importlib import metadata; print(metadata.version('truename'))"]
    assert subprocess.run(call, env=stale, capture_output=True, text=True, timeout=60).stdout == "0.0.1\n"
    call = [sys.executable, "-m", "truename.cli", "--version"]
    told = subprocess.run(call, env=stale, capture_output=True, text=True, timeout=60)
    assert told.stdout == f"truename {__version__}\n", told.stderr


def test_a_port_that_cannot_be_is_a_wrong_call_and_named_as_it_was_typed(tmp_path: Path):
    done = truename_here(tmp_path, "serve", "--port", "99999")
    assert done.returncode == ExitCode.USAGE
    assert "--port" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("queues", "words"), [("analysis,mail", "no queue mail"), (" , ", "name one at least")])
def test_a_worker_for_a_queue_that_is_not_there_is_a_wrong_call(queues: str, words: str):
    done = CliRunner().invoke(app, ["worker", "--queues", queues])
    assert done.exit_code == ExitCode.USAGE
    assert words in done.stderr
    assert "analysis, delivery, upkeep" in done.stderr


@pytest.mark.parametrize("call", ["models --json", "models", "--help", "account --help"])
def test_a_reader_who_has_seen_enough_is_no_defect(tmp_path: Path, call: str):
    reader, writer = os.pipe()
    os.close(reader)
    with (tmp_path / "errors").open("wb") as errors:
        order = Order("truename.cli", call.split(), environment_of(tmp_path / "data"))
        status = forks().start(order, stdout=writer, stderr=errors).wait(60)
    os.close(writer)
    assert (status, (tmp_path / "errors").read_text()) == (ExitCode.OUTPUT_CLOSED, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("call", ["models --json", "models", "account --help"])
def test_a_full_disk_behind_the_output_is_said_in_words_and_no_defect(tmp_path: Path, call: str):
    with (tmp_path / "errors").open("wb") as errors, Path("/dev/full").open("wb") as full:
        order = Order("truename.cli", call.split(), environment_of(tmp_path / "data"))
        status = forks().start(order, stdout=full, stderr=errors).wait(60)
    told = (tmp_path / "errors").read_text()
    assert (status, told) == (ExitCode.NOT_REACHABLE, "It cannot be written: No space left on device.\n")


@pytest.mark.slow
def test_who_closes_the_output_has_the_command_run_all_the_same(tmp_path: Path):
    """As a shell does with `>&-`: Python then has no output at all."""
    call = 'exec "$0" -m truename.cli models >&- 2>"$1"'
    done = subprocess.run(
        ["sh", "-c", call, sys.executable, tmp_path / "errors"], env=environment_of(tmp_path / "data"), timeout=60
    )
    assert (done.returncode, (tmp_path / "errors").read_text()) == (ExitCode.OK, "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands_and_their_options(tmp_path: Path, shell: str):
    variables = {
        "bash": {"COMP_WORDS": "truename examine --sel", "COMP_CWORD": "2"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "truename examine --sel"},
        "fish": {"_TYPER_COMPLETE_ARGS": "truename examine --sel", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    # Completion is asked of the program by its own name, which `python -m` does not have.
    program = Path(sys.executable).with_name("truename")
    told = subprocess.run(
        [program],
        env={"_TRUENAME_COMPLETE": f"complete_{shell}", **variables[shell]},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "--selfie" in told.stdout, told.stderr


@pytest.mark.parametrize("command", LOOKING, ids=lambda command: " ".join(command[:2]))
def test_a_command_in_a_wrong_folder_makes_nothing_and_says_where_it_looked(tmp_path: Path, command: tuple[str, ...]):
    data = tmp_path / "data"
    done = truename_here(data, *(part.format(folder=tmp_path) for part in command))
    assert done.returncode == ExitCode.CONFIGURATION
    assert str(data) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_nor_does_a_worker(tmp_path: Path):
    done = truename(tmp_path / "data", "worker")
    assert (done.returncode, str(tmp_path / "data") in done.stderr) == (ExitCode.CONFIGURATION, True)
    assert list(tmp_path.iterdir()) == []


async def test_only_what_may_create_does(tmp_path: Path):
    with pytest.raises(NoDataHere, match=str(tmp_path / "data")):
        async with wired(load_settings(data_dir=tmp_path / "data")):
            pass
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_makes_nothing_either(tmp_path: Path):
    done = truename_here(tmp_path / "data", "doctor", "--json")
    found = {one["check"]: one["good"] for one in json.loads(done.stdout)}
    assert done.returncode == ExitCode.NEGATIVE
    assert found == {"database": False, "disk": True, "files": True}
    assert list(tmp_path.iterdir()) == []


def test_a_defect_of_ours_is_told_apart_from_a_mistake_of_yours(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(f"by what was given: canary{'said'}")

    monkeypatch.setattr("urllib.request.urlopen", broken)
    done = CliRunner().invoke(app, ["healthcheck", "--url", "http://127.0.0.1:1/"])
    assert done.exit_code == ExitCode.DEFECT
    assert "ZeroDivisionError" in done.stderr
    assert "in broken" in done.stderr
    assert "canarysaid" not in done.stderr, "what people are asked to report holds no value"
    assert "please report" in done.stderr
    monkeypatch.undo()
    assert CliRunner().invoke(app, ["healthcheck", "--url", "http://127.0.0.1:1/"]).exit_code == ExitCode.NOT_REACHABLE
    assert CliRunner().invoke(app, ["healthcheck", "--url", "file:///etc/passwd"]).exit_code == ExitCode.USAGE


def test_a_store_that_does_not_answer_is_not_reachable_and_no_defect_of_ours(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit) as ended, troubles_in_words():
        raise StorageUnavailable("The bucket of pictures does not exist.")
    assert ended.value.exit_code == ExitCode.NOT_REACHABLE
    assert "The bucket of pictures does not exist." in capsys.readouterr().err


@pytest.mark.slow
def test_a_database_that_does_not_answer_is_not_reachable(tmp_path: Path):
    away = "postgresql://nobody@127.0.0.1:1/nothing"
    for command in (["account", "list"], ["migrate"], ["replay", NOBODY]):
        done = truename_here(tmp_path, *command, TRUENAME_DATABASE_URL=away)
        assert done.returncode == ExitCode.NOT_REACHABLE
        assert done.stderr.startswith("The database cannot be reached")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("healthcheck", "--url", "http://[::1"), ExitCode.USAGE),
        (("healthcheck", "--url", "http://localhost:port/"), ExitCode.USAGE),
        (("healthcheck", "--url", "http://localhost:99999"), ExitCode.USAGE),
        (("healthcheck", "--url", "http://localhost:0"), ExitCode.USAGE),
        (("receipt", "verify", "{file}", "--keys", "http://[::1"), ExitCode.USAGE),
        (("receipt", "verify", "{file}", "--keys", "https://localhost:99999/"), ExitCode.USAGE),
        (("mcp", "--client-id", "a", "--client-secret", "b", "--server", "https://[::1"), ExitCode.USAGE),
    ],
)
def test_what_is_no_address_is_a_wrong_call(tmp_path: Path, command: tuple[str, ...], code: ExitCode):
    file = tmp_path / "receipt"
    file.write_text("receipt")
    done = truename_here(tmp_path, *(word.format(file=file) for word in command))
    assert (done.returncode, "no address" in done.stderr) == (code, True), done.stderr


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("account", "create", "acme"), ("migrate",)])
def test_a_data_folder_that_cannot_be_made_is_a_fault_of_the_configuration(tmp_path: Path, command: tuple[str, ...]):
    (tmp_path / "file").write_text("not a folder")
    folder = tmp_path / "file" / "data"
    # Where this process counts for /metrics would be another folder after `serve`.
    done = (truename if command[0] == "serve" else truename_here)(folder, *command)
    assert done.returncode == ExitCode.CONFIGURATION, done.stderr
    assert f"The folder {folder} cannot be made: Not a directory." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_token_that_is_too_short_is_told_how_many_characters_it_needs(tmp_path: Path):
    done = truename_here(tmp_path, "doctor", TRUENAME_METRICS_TOKEN="short")
    assert (done.returncode, done.stderr.strip()) == (
        ExitCode.CONFIGURATION,
        "TRUENAME_METRICS_TOKEN: value should have at least 16 characters, not 5.",
    )


def test_who_answers_something_else_than_http_is_not_healthy(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"no http\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        done = truename_here(tmp_path, "healthcheck", "--url", f"http://127.0.0.1:{server.getsockname()[1]}/")
        answering.join(10)
    assert (done.returncode, "does not answer" in done.stderr) == (ExitCode.NOT_REACHABLE, True), done.stderr


def test_the_pages_about_the_command_line_are_up_to_date():
    for path, text in cli_docs.pages().items():
        assert path.read_text(encoding="utf-8") == text, "run `make docs`"


def _tables(command, name: str = ""):
    if hasattr(command, "commands"):
        for inner, one in command.commands.items():
            yield from _tables(one, f"{name} {inner}".strip())
    else:
        yield name, {option for parameter in command.params for option in parameter.opts}


def test_every_command_that_prints_a_table_can_print_json():
    silent = {
        "serve",
        "worker",
        "migrate",
        "calibrate",
        "database dump",
        "database restore",
        "keys rotate",
        "keys move",
        "scrub",
    }
    silent |= {"healthcheck"} | {"audit anchor"}  # the latter prints nothing but JSON
    silent |= {"receipt show", "receipt evidence", "receipt keys", "receipt rotate-key", "mcp"}  # files of a fixed form
    for top in COMMANDS:
        for name, options in _tables(load(top), top):
            assert name in silent or "--json" in options, name
