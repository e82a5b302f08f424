"""Can an integrator make a client from the description, without a warning, and work with it?"""

import asyncio
import subprocess
from pathlib import Path

import aiohttp
import pytest

from truename.accounts.model import NewAccount

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
CLIENTS = ROOT / "build" / "clients" / "bin"
"""An environment of its own, made by `make install-dev`."""


@pytest.fixture
async def description(live_server: str, tmp_path: Path) -> Path:
    async with aiohttp.ClientSession(live_server) as session, session.get("/openapi.json") as answer:
        path = tmp_path / "openapi.json"
        path.write_bytes(await answer.read())
        return path


async def ran(*command: str | Path, cwd: Path) -> str:
    done = await asyncio.to_thread(
        lambda: subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


async def test_a_python_client_is_made_without_a_warning_and_works(
    live_server: str, description: Path, tmp_path: Path, an_account: NewAccount
) -> None:
    config = SUPPORT / "openapi_client.yml"
    generate = ("generate", "--path", description, "--config", config, "--fail-on-warning", "--meta", "none")
    told = await ran(
        CLIENTS / "openapi-python-client", *generate, "--output-path", tmp_path / "generated_client", cwd=tmp_path
    )
    assert "WARNING" not in told
    story = tmp_path / "story.py"
    story.write_text((SUPPORT / "generated_client_story.py").read_text(encoding="utf-8"), encoding="utf-8")
    told = await ran(
        CLIENTS / "python", story, live_server, an_account.client_id, an_account.client_secret, cwd=tmp_path
    )
    assert len(set(told.split())) == 2


async def test_a_typescript_client_is_made_without_a_warning(description: Path, tmp_path: Path) -> None:
    made = tmp_path / "truename.d.ts"
    told = await ran(ROOT / "node_modules" / ".bin" / "openapi-typescript", description, "-o", made, cwd=tmp_path)
    assert "warn" not in told.lower()
    text = made.read_text(encoding="utf-8")
    for name in ("createCustomer:", "sendDocument:", "onTransactionStatusChanged:", "LIVENESS_LOW_CONFIDENCE"):
        assert name in text, name
