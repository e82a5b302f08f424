"""Do the recipes of the how-to pages run as they are written? They are cut out of the pages and run, on loopback."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.served import Served, served
from tests.support.waiting import free_port, within

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HOW_TO = DOCS / "how-to"
RUN = {
    "receive-webhooks.md",
    "test-your-integration.md",
    "python-client.md",
    "tune-a-policy.md",
    "erase-a-person.md",
    "five-minutes.md",
}
"""Pages whose blocks of `python` and `bash` are run below. What is only to be read is `py`, `sh` or nothing."""
ELSEWHERE: set[str] = {"generate-a-client.md"}
"""Pages whose blocks are run by another test."""
FENCED = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
BESIDE_PYTHON = Path(sys.executable).parent


def recipes(page: str, language: str) -> list[str]:
    """The fenced blocks of a page that are of this language."""
    (path,) = (one for one in DOCS.glob(f"*/{page}") if one.parent.name != "decisions")
    return [block for found, block in FENCED.findall(path.read_text("utf-8")) if found == language]


def recipe(page: str, language: str, number: int = 0) -> str:
    """One of them, by its place."""
    return recipes(page, language)[number]


def run(script: str, folder: Path, **environment: str) -> str:
    """Run a recipe as a person would paste it, with our Python first in the path."""
    path = f"{BESIDE_PYTHON}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the person works: certificates of the recipe's own making lie in it."""
    folder = tmp_path_factory.mktemp("recipe")
    run(recipe("receive-webhooks.md", "bash"), folder)
    return folder


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Served]:
    with served(folder / "data", TRUENAME_WEBHOOK_CA_FILE=str(folder / "client.pem")) as service:
        yield service


@pytest.fixture(scope="module")
def pasted(service: Served, folder: Path) -> dict[str, str]:
    """What the lines that the first start prints leave in the shell."""
    lines = [line for line in service.lines if re.match(r"(TOKEN|CUSTOMER)=", line)]
    told = run("\n".join([*lines, 'echo "$TOKEN $CUSTOMER"']), folder).split()
    return {"TOKEN": told[-2], "CUSTOMER": told[-1], "BASE": service.url}


def listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def test_a_webhook_arrives_on_loopback_by_the_recipe(service: Served, pasted: dict[str, str], folder: Path) -> None:
    (folder / "receiver.py").write_text(recipe("receive-webhooks.md", "python", 1), "utf-8")
    told = {"WEBHOOK_SECRET": service.credential("webhook_secret"), "PORT": str(free_port())}
    said = folder / "said"  # a file, and no pipe: to read an empty pipe waits without end
    with said.open("wb") as out:
        environment = {**os.environ, **told, "PYTHONUNBUFFERED": "1"}
        receiver = subprocess.Popen([sys.executable, "receiver.py"], cwd=folder, env=environment, stdout=out)
    try:
        within(30, lambda: listening(int(told["PORT"])))
        run(recipe("receive-webhooks.md", "bash", 1), folder, **pasted, **told)
        within(60, lambda: "\n" in said.read_text("utf-8"))
        assert said.read_text("utf-8").startswith("transaction.cancelled ")
    finally:
        receiver.terminate()
        receiver.wait(10)


def test_a_drawn_person_is_verified_by_the_recipe_as_often_as_one_likes(pasted: dict[str, str]) -> None:
    script = recipe("test-your-integration.md", "bash")
    for _ in range(2):
        told = run(script, ROOT, **pasted)
        assert '"status": "APPROVED"' in told, told


def story(service: Served, folder: Path, page: str, **more: str) -> str:
    """What the Python of a page prints, all of its blocks one after the other."""
    (folder / "story.py").write_text("\n".join(recipes(page, "python")), "utf-8")
    told = {"BASE": service.url} | {
        name.upper(): service.credential(name) for name in ("client_id", "client_secret", "webhook_secret")
    }
    return run("python story.py", folder, **told, **more)


def test_the_python_client_does_what_its_page_shows(service: Served, folder: Path) -> None:
    for _ in range(2):  # the second time the customer is there
        shown = story(service, folder, "python-client.md", PATIENCE="0")
        assert "not yet: CREATED" in shown
        assert "validation_failed ('/config/transaction_ttl_minutes',)" in shown
    assert "passed narrowly: [" in story(service, folder, "tune-a-policy.md")


def test_a_webhook_is_verified_as_the_tutorial_says(service: Served, folder: Path) -> None:
    shown = story(service, folder, "five-minutes.md")
    assert "Verified webhook: transaction.approved" in shown
    assert "The decision: APPROVED" in shown


def test_a_person_is_erased_by_the_recipe(pasted: dict[str, str], folder: Path) -> None:
    customer = run(
        """curl -sf $BASE/api/account/integration/kyc/customer -H "Authorization: Bearer $TOKEN" \
        -H "Content-Type: application/json" -d '{"external_customer_id": "to-be-erased"}' | jq -r .customer_id""",
        folder,
        **pasted,
    )
    told = json.loads(run(recipe("erase-a-person.md", "bash"), folder, **{**pasted, "CUSTOMER": customer.strip()}))
    assert told.keys() - {"livemode"} == json.loads(recipe("erase-a-person.md", "json")).keys()


def test_every_block_that_can_be_run_is_run() -> None:
    pages = [*HOW_TO.glob("*.md"), *(DOCS / "tutorials").glob("*.md")]
    runnable = {path.name for path in pages if re.search(r"^```(python|bash)$", path.read_text("utf-8"), re.MULTILINE)}
    assert runnable == RUN | ELSEWHERE


def test_blocks_of_data_and_shell_are_well_formed() -> None:
    for path in [*HOW_TO.glob("*.md"), *(DOCS / "tutorials").glob("*.md")]:
        for language, block in re.findall(
            r"^ *```(\w+)\n(.*?)^ *```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL
        ):
            if language == "json" and "…" not in block:
                json.loads(block)
            elif language == "toml":
                tomllib.loads(block)
            elif language == "yaml":
                yaml.safe_load(block)
            elif language == "py":
                compile(textwrap.dedent(block), path.name, "exec")
            elif language in ("sh", "bash"):
                checked = subprocess.run(["bash", "-n"], input=block, text=True, capture_output=True)
                assert checked.returncode == 0, f"{path.name}: {checked.stderr}"


def test_typescript_of_the_pages_compiles(tmp_path: Path) -> None:
    pages = [path.read_text("utf-8") for path in HOW_TO.glob("*.md")]
    blocks = [block for page in pages for language, block in FENCED.findall(page) if language in ("ts", "tsx")]
    assert len(blocks) >= 2
    for number, block in enumerate(blocks):
        (tmp_path / f"block_{number}.tsx").write_text(block, "utf-8")
    shutil.copy(ROOT / "tests" / "support" / "webview_types.d.ts", tmp_path)
    options = {"noEmit": True, "strict": True, "jsx": "react", "target": "es2022", "module": "esnext", "types": []}
    settings = {"compilerOptions": {**options, "moduleResolution": "bundler"}, "include": ["*.tsx", "*.d.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    tsc = ROOT / "node_modules" / ".bin" / "tsc"
    ran = subprocess.run([tsc, "-p", tmp_path], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
