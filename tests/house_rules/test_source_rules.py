"""Do the files keep to the rules of the house?"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.interface_docs import pages as interface_pages
from tools.settings_docs import PAGE, page

import truename
import truename_client
from truename.wiring import JOB_MODULES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "truename"
LONGEST = 300
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "manager", "common", "misc", "kit"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_no_file_is_longer_than_it_should_be():
    long = {
        str(path.relative_to(SOURCE)): lines
        for path in modules()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert long == {}


def test_no_test_tool_or_benchmark_is_longer_than_can_be_read():
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in ("tests", "tools", "benchmarks", "training")
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_file_has_an_empty_name():
    assert [path for path in modules() if path.stem in EMPTY_WORDS or path.parent.name in EMPTY_WORDS] == []


def test_every_module_says_what_it_is_for():
    silent = [
        str(path.relative_to(SOURCE))
        for path in modules()
        if (text := path.read_text("utf-8").lstrip()) and not text.startswith(('"""', 'r"""'))
    ]
    assert silent == []


def test_who_thinks_or_sees_reads_no_clock():
    clocks = re.compile(r"datetime\.now|date\.today|utcnow|time\.time\(|plumbing\.clock")
    reading = [path.name for room in ("rules", "vision") for path in (SOURCE / room).rglob("*.py")
               if clocks.search(path.read_text("utf-8"))]  # fmt: skip
    assert reading == []


def test_the_version_stands_in_one_place_and_in_the_changelog():
    metadata = re.compile(r"""version\(["']truename""")
    places = [*modules(), *(ROOT / "client" / "src").rglob("*.py")]
    assert [path.name for path in places if metadata.search(path.read_text("utf-8"))] == []
    (newest, *_) = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert truename.__version__ == truename_client.__version__ == newest


def test_commands_print_by_the_console_that_knows_when_nobody_reads_any_more():
    texts = {path.name: path.read_text("utf-8") for path in (SOURCE / "cli").glob("*.py") if path.name != "console.py"}
    making = {name for name, text in texts.items() if re.search(r"\bConsole\(", text)}
    assert len(making) > 5
    assert [name for name in making if "from rich.console import" in texts[name]] == []


def test_every_job_is_known_to_the_worker():
    registering = {
        "truename." + ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in modules()
        if re.search(r"^@(job|periodic)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert registering == set(JOB_MODULES)


def test_rooms_import_only_what_stands_below_them():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_page_of_settings_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


@pytest.mark.parametrize(
    "pattern",
    [r"pypi\.org|files\.pythonhosted|registry\.npmjs|--(extra-)?index-url[ =]http", r"/work/(main|shared)|/root/"],
)
def test_no_registry_or_machine_path_is_committed(pattern):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    guilty = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path == Path(__file__) or path.suffix in {".onnx", ".png", ".jpg", ".tflite", ".npz"} or not path.is_file():
            continue
        if re.search(pattern, path.read_text(encoding="utf-8", errors="ignore")):
            guilty.append(name)
    assert guilty == []


def test_the_pages_of_the_interface_are_current():
    stale = [path.name for path, text in interface_pages().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


def test_no_test_hopes_for_a_mark_that_has_no_effect():
    """pytest 9 no longer reads what xdist 3.8 makes of its groups; tests/support/scheduling.py keeps files together."""
    marked = [path for path in (ROOT / "tests").rglob("test_*.py") if "mark.xdist_group" in path.read_text("utf-8")]
    assert [path for path in marked if path != Path(__file__)] == []
