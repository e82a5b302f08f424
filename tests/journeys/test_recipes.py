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
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.support.collector import Collector, collecting
from tests.support.loaded_command import loaded_command
from tests.support.served import Served, forked
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
    """Run a recipe as a person would paste it, with our Python first in the path, and in its folder our command."""
    path = os.pathsep.join((str(folder / "bin"), str(BESIDE_PYTHON), os.environ["PATH"]))
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
    """Where the person works: its own certificates lie in it, and a command that is loaded already."""
    folder = tmp_path_factory.mktemp("recipe")
    run(recipe("receive-webhooks.md", "bash"), folder)
    (folder / "bin").mkdir()
    loaded_command(folder / "bin")
    return folder


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="module")
def service(folder: Path, collector: Collector) -> Iterator[Served]:
    watched = {"TRUENAME_TRACES_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "500"}
    with forked(folder / "data", TRUENAME_WEBHOOK_CA_FILE=str(folder / "client.pem"), **watched) as service:
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


def test_a_webhook_arrives_on_loopback_by_the_recipe(
    service: Served, pasted: dict[str, str], folder: Path, collector: Collector
) -> None:
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
        within(
            20, lambda: collector.leads("POST /api/account/integration/kyc/transaction/{transaction_id}/", "webhook")
        )
    finally:
        receiver.terminate()
        receiver.wait(10)


def test_a_drawn_person_is_verified_by_the_recipe_and_traced_from_submit_to_model(
    pasted: dict[str, str], collector: Collector
) -> None:
    script = recipe("test-your-integration.md", "bash")
    told = run(script, ROOT, **pasted)
    assert '"status": "APPROVED"' in told, told
    within(20, lambda: collector.leads("POST /api/sdk/submit", "job analysis.", "model sface"))
    assert collector.told <= {
        *("http.request.method", "http.route", "http.response.status_code"),
        *("error.type", "truename.request_id", "truename.attempt", "truename.outcome"),
    }


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


def by_client(service: Served) -> dict[str, str]:
    names = ("client_id", "client_secret", "webhook_secret")
    return {"BASE": service.url} | {name.upper(): service.credential(name) for name in names}


@pytest.fixture
def new_service(tmp_path: Path) -> Iterator[Served]:
    """One on which nobody has made a second account."""
    with forked(tmp_path / "data") as service:
        yield service


def _approved(said: Path, times: int) -> bool:
    return said.read_text("utf-8").count("transaction.approved") == times


def test_the_readme_leads_to_a_verified_webhook(new_service: Served, folder: Path) -> None:
    """The listener of the second window, which names no account, the lines of the third one, as they stand there."""
    text = (ROOT / "README.md").read_text("utf-8")
    (listen,) = re.findall(r"^\.venv/bin/(truename webhook listen)\b", text, re.MULTILINE)
    (lines,) = (block for language, block in FENCED.findall(text) if language == "py")
    told = by_client(new_service)
    written = {"http://localhost:8000": "BASE", "client_…": "CLIENT_ID", "the client_secret": "CLIENT_SECRET"}
    for words, name in written.items():
        assert words in lines
        lines = lines.replace(words, told[name])
    (folder / "readme.py").write_text(lines, "utf-8")
    said = folder / "heard"
    environment = {**os.environ, "TRUENAME_DATA_DIR": str(new_service.data), "PYTHONUNBUFFERED": "1"}
    command = [str(BESIDE_PYTHON / "truename"), *listen.split()[1:]]
    with said.open("wb") as out:
        listener = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
    try:
        within(60, lambda: "http://127.0.0.1" in said.read_text("utf-8") or listener.poll() is not None)
        assert listener.poll() is None, said.read_text("utf-8")
        for times in range(2):  # whoever begins anew finds the customer of the first time
            run("python readme.py", folder)
            within(60, partial(_approved, said, times + 1))
        heard = [line for line in said.read_text("utf-8").splitlines() if "transaction.approved" in line]
        assert all(line.endswith("verified") for line in heard)
    finally:
        listener.terminate()
        listener.wait(20)


def commands(page: str) -> list[str]:
    """The blocks of a page that one types beside the service: each begins with our command or with curl."""
    (path,) = (one for one in DOCS.glob(f"*/{page}") if one.parent.name in ("how-to", "tutorials"))
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    blocks = [textwrap.dedent(block) for language, block in found if language in ("", "sh")]
    return [block for block in blocks if re.match(r"(truename|curl|\.venv/bin/truename) ", block)]


def test_what_an_integrator_types_runs(service: Served, folder: Path) -> None:
    """The lines of the first verification, with what each answered in the place of the dots."""
    told = by_client(service)
    sign_in, customer, opened, read, replay = commands("first-verification.md")
    known = {"localhost:8000": service.url, "CLIENT_ID:CLIENT_SECRET": f"{told['CLIENT_ID']}:{told['CLIENT_SECRET']}"}

    def typed(block: str) -> str:
        for words, real in known.items():
            block = block.replace(words, real)
        return run(block, folder, TRUENAME_DATA_DIR=str(service.data), **more)

    more: dict[str, str] = {}
    more["TOKEN"] = json.loads(typed(sign_in))["access_token"]
    known["person-1"] = "person-of-the-first-verification"
    known['"customer_id": "…"'] = f'"customer_id": "{json.loads(typed(customer))["customer_id"]}"'
    made = json.loads(typed(opened))
    known["TRANSACTION_ID"] = made["transaction_id"]
    known["wait=30"] = "wait=0"
    assert json.loads(typed(read))["status"] == "CREATED"
    simulate, clock = commands("sandbox.md")[1:]
    more |= {"KYC": f"{service.url}/api/account/integration/kyc", "TRANSACTION": made["transaction_id"]}
    assert json.loads(typed(simulate))["issues"][0]["code"] == "EXPIRED_DOCUMENT"
    assert "APPROVED" not in typed(replay.replace(".venv/bin/", ""))
    assert json.loads(typed(clock))["advanced_seconds"] == 86400


WALKED = (
    *("review.md", "train-reviewers.md", "operators.md", "clients.md", "assistant.md", "audit.md"),
    *("back-test.md", "receipts.md", "upgrade.md"),
)
"""Pages whose blocks that begin with our command, or with curl, are run in this order."""
NOT_HERE = {
    "run-in-production.md": "another database, a proxy, systemd",
    "sandbox.md": "above",
    "first-verification.md": "above",
    "webhooks-on-your-laptop.md": "commands that end when they are told to; tests/sandbox/test_webhooks_on_loopback.py",
    "sandbox-in-ci.md": "takes minutes; tests/sandbox/test_simulate_command.py",
    "downgrade.md": "another version; tests/backup/test_backup.py",
    "add-a-document.md": "a file and pictures of one's own; tests/cli/test_layouts.py",
}


def test_what_an_operator_types_runs(service: Served, folder: Path, pasted: dict[str, str]) -> None:
    """Page after page in one installation, with real ids in the place of those that the pages invent."""
    at = {"TRUENAME_DATA_DIR": str(service.data), "BASE": service.url}
    run(commands("sandbox.md")[0], folder, **at)
    (folder / "new.json").write_text('{"biometric_policy": {"liveness_min_score": 0.9}}', "utf-8")
    plain, other, admin = (
        json.loads(run(f"truename client add shop --scopes {scope} --json", folder, **at))
        for scope in ("transactions:read", "customers:read", "admin")
    )
    login = f"{admin['client_id']}:{admin['client_secret']}"
    sign_in = "curl -s $BASE/oauth/token -u $LOGIN -d grant_type=client_credentials | jq -r .access_token"
    administrator = run(sign_in, folder, **at, LOGIN=login).strip()
    story(service, folder, "five-minutes.md")
    listed = 'curl -s $BASE/api/account/integration/kyc/transaction -H "Authorization: Bearer $TOKEN"'
    transaction = json.loads(run(listed, folder, **pasted))["data"][0]["transaction_id"]
    real = {
        "https://kyc.example.com": service.url,
        "client_5f2c0f6a4be14c1d8f0e5d9b": plain["client_id"],
        "my-account": "shop",
        "/mnt/elsewhere": str(folder),
        "/backup": str(folder),
        "TRANSACTION_ID": transaction,
        "curl ": "curl -f ",  # what is refused ends the block
    }
    more = {**at, "ID": transaction, "CLIENT_ID": other["client_id"]}
    for page in WALKED:
        for block in commands(page):
            if block.startswith("truename simulate"):
                continue  # takes minutes; tests/reviews/test_controls.py
            if page == "operators.md":
                block = block.replace("ana@", "eva@")  # the page before has made that one
            for words, there in real.items():
                block = block.replace(words, there)
            run(block, folder, **more, TOKEN=administrator if page == "clients.md" else pasted["TOKEN"])


def test_the_practice_cases_of_reviewers_wait_in_the_queue(service: Served, folder: Path) -> None:
    at = {"TRUENAME_DATA_DIR": str(service.data)}
    made = json.loads(run("truename account create practice --sandbox --json", folder, **at))
    run("truename account set practice manual_review=true", folder, **at)
    login = {"BASE": service.url, "CLIENT_ID": made["client_id"], "CLIENT_SECRET": made["client_secret"]}
    before = f"""import os
from truename_client import Truename
truename = Truename(os.environ["BASE"], os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
{recipe("train-reviewers.md", "py")}
print(len(list(truename.transactions.list(status="IN_REVIEW"))))
"""
    (folder / "practice.py").write_text(before, "utf-8")
    assert int(run("python practice.py", folder, **login)) > 20


def test_every_block_that_can_be_run_is_run() -> None:
    pages = [*HOW_TO.glob("*.md"), *(DOCS / "tutorials").glob("*.md")]
    runnable = {path.name for path in pages if re.search(r"^```(python|bash)$", path.read_text("utf-8"), re.MULTILINE)}
    assert runnable == RUN | ELSEWHERE
    typed = {path.name for path in pages if commands(path.name)}
    assert typed == {*WALKED, *NOT_HERE}


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
    settings = {
        "compilerOptions": {**options, "moduleResolution": "bundler", "skipDefaultLibCheck": True},
        "include": ["*.tsx", "*.d.ts"],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    tsc = ROOT / "node_modules" / ".bin" / "tsc"
    ran = subprocess.run([tsc, "-p", tmp_path], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
