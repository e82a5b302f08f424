"""Do the recipes of the how-to pages run as they are written? They are cut out of the pages and run, on loopback."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.served import Served, served
from tests.support.waiting import free_port, within

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
BESIDE_PYTHON = Path(sys.executable).parent


def recipes(page: str, language: str) -> list[str]:
    """The fenced blocks of a page that are of this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (HOW_TO / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


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


def test_the_python_client_does_what_its_page_shows(service: Served, folder: Path) -> None:
    (folder / "story.py").write_text("\n".join(recipes("python-client.md", "python")), "utf-8")
    told = {"BASE": service.url, "PATIENCE": "0"} | {
        name.upper(): service.credential(name) for name in ("client_id", "client_secret")
    }
    for _ in range(2):  # the second time the customer is there
        shown = run("python story.py", folder, **told)
        assert "not yet: CREATED" in shown
        assert "validation_failed ('/config/transaction_ttl_minutes',)" in shown
