"""In an empty folder: pip install truename-….whl && truename serve, and everything works."""

import asyncio
import json
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import aiohttp
import pytest

from tests.support import faces
from tests.support.installed import Installed
from tests.support.sdk import Phone, a_passport_photo
from tests.support.served import Served
from truename.vision.images import encode_jpeg

pytestmark = pytest.mark.slow


class InstalledService(Served):
    """`truename serve` of the installed wheel, in an empty folder, with nothing set."""

    def __init__(self, installed: Installed, folder: Path) -> None:
        self.program, self.folder = (str(installed.program),), folder
        super().__init__(folder / "data")

    def environment(self, _: dict[str, str]) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


@pytest.fixture(scope="module")
def service(installed: Installed, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("empty")
    running = InstalledService(installed, folder)
    try:
        yield running.wait_until_ready()
    finally:
        running.stop()


def run(installed: Installed, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [installed.program, *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_wheel_tells_its_version_and_whose_work_it_carries(installed: Installed, tmp_path: Path):
    version = installed.wheel.name.split("-")[1]
    assert run(installed, tmp_path, "--version").stdout == f"truename {version}\n"
    with zipfile.ZipFile(installed.wheel) as wheel:
        notice = wheel.read("truename/bundled/THIRD_PARTY.md").decode()
        assert "weights/sface.onnx" in notice
        assert f"truename-{version}.dist-info/licenses/LICENSE" in wheel.namelist()


async def test_pages_and_all_that_they_load_are_served(service: InstalledService):
    async with aiohttp.ClientSession(service.url) as http:
        for path in ("/readyz", "/docs", "/docs/guide/", "/demo", "/verify/", "/verify/model/face_landmarker.task"):
            assert (await http.get(path)).status == 200, path
        page = await (await http.get("/verify/")).text()
        (written,) = re.findall(r'<script type="importmap"[^>]*>(.*?)</script>', page, re.DOTALL)
        imports = json.loads(written)["imports"]
        assert "lit" in imports
        for address in imports.values():
            assert (await http.get(address)).status == 200, address


async def test_a_person_is_verified_from_the_demo_to_the_decision(service: InstalledService):
    async with aiohttp.ClientSession(service.url) as http:
        async with http.post("/demo/transactions", json={}) as answer:
            link = (await answer.json())["url"]
        ((token, key),) = re.findall(r"/verify/#t=(.+)&d=(.+)", link)
        phone = Phone(http, token)
        await phone.consent()
        await phone.device()
        _, front = await phone.document("front", a_passport_photo(), params={"country": "DE", "type": "PASSPORT"})
        assert front["usable"], front
        _, challenge = await phone.challenge()
        began = time.monotonic()
        frames = await asyncio.to_thread(faces.a_live_sequence, tuple(challenge["steps"]))
        await asyncio.sleep(max(0.0, began + frames[-1].at_ms / 1000 - time.monotonic()))
        status, shown = await phone.liveness(challenge["nonce"], frames)
        assert (status, shown["usable"]) == (200, True), shown
        assert (await phone.submit())[0] == 202
        result = await _decided(http, key)
    assert result["status"] == "APPROVED", result["issues"]
    assert result["document"]["fields"]["surnames"]["value"].upper() == "MUSTERMANN"
    assert {model["name"] for model in result["engine"]} >= {"sface", "mobilefacenet", "text_glance", "mrz_lines"}


async def _decided(http: aiohttp.ClientSession, key: str) -> dict:
    async with asyncio.timeout(180):
        while True:
            async with http.get("/demo/result", headers={"Authorization": f"Bearer {key}"}) as answer:
                result = (await answer.json())["transaction"]
            if result["completed_at"]:
                return result
            await asyncio.sleep(0.5)


def test_people_are_drawn_and_decided_beside_the_service(installed: Installed, service: InstalledService):
    """The drawing travels in the wheel: font, portrait and all."""
    done = run(installed, service.data.parent, "simulate", "--type", "DOCUMENT_ONLY", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "APPROVED"


def test_pictures_are_examined_without_a_server(installed: Installed, tmp_path: Path):
    (tmp_path / "passport.jpg").write_bytes(encode_jpeg(a_passport_photo()))
    given = ("--document-front", "passport.jpg", "--json", "--picture", "found.png")
    done = run(installed, tmp_path, "examine", *given)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["decision"] == "APPROVED"
    assert (tmp_path / "found.png").stat().st_size > 100_000
    assert not (tmp_path / "data").exists()


def test_the_client_is_installed_without_the_service(installed: Installed, tmp_path: Path):
    (wheel,) = installed.wheel.parent.glob("truename_client-*.whl")
    uv, environment = Path(sys.executable).with_name("uv"), tmp_path / "venv"
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, environment], check=True)
    pinned = Path(__file__).parents[2] / "requirements" / "dev.txt"
    python = environment / "bin" / "python"
    subprocess.run([uv, "pip", "install", "-q", "--python", python, wheel, "-c", pinned], check=True)
    told = (
        "import truename_client, importlib.util as u; print(truename_client.Truename.__name__, u.find_spec('truename'))"
    )
    shown = subprocess.run([python, "-c", told], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout == "Truename None\n"
