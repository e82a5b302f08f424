"""The version before on the new version's database: both create, decide and tell, and neither harms the other."""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import aiohttp
import psycopg
import pytest

import truename
from tests.support.api import KYC
from tests.support.hooks import a_hook
from tests.support.integrator import Integrator
from tests.support.sdk import Phone, a_passport_photo
from tests.support.served import Served, forked, truename_here
from tests.support.waiting import until, within
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.migrate import FOLDER, current, newest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[2]
STEPS = str((FOLDER / "versions").relative_to(ROOT))
HOW_MANY = 3


def git(*words: str) -> bytes:
    found = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, timeout=60)
    if found.returncode:
        pytest.skip(f"the code of the version before is not at hand: {found.stderr.decode().strip()[:200]}")
    return found.stdout


def goes_up_to_an_earlier_step(commit: str) -> bool:
    """Is this the source of a version before? Where two branches had taken one number, it could not start."""
    steps = re.findall(r"/(\d{4})_\w+\.py$", git("ls-tree", "--name-only", commit, f"{STEPS}/").decode(), re.MULTILINE)
    return len(steps) == len(set(steps)) and max(steps, default=newest()) < newest()


@pytest.fixture(scope="module")
def version_before(tmp_path_factory) -> Path:
    """The newest source that knows an earlier step of the database, with the files that git does not hold."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    before = next(filter(goes_up_to_an_earlier_step, git("log", "--format=%H", "--", STEPS).decode().split()), None)
    if before is None:
        pytest.skip("the newest step of the database is not committed yet, or there is no history")
    folder = tmp_path_factory.mktemp("version-before")
    with tarfile.open(fileobj=io.BytesIO(git("archive", before, "src"))) as archive:
        archive.extractall(folder, filter="data")
    bundled = Path(truename.__file__).parent / "bundled"
    for one in bundled.iterdir():
        there = folder / "src/truename/bundled" / one.name
        if not there.exists() and one.name != "__pycache__":
            there.symlink_to(one)
    return folder / "src"


class ServedBefore(Served):
    """`truename serve` of the version before."""

    def __init__(self, source: Path, data: Path) -> None:
        self.program = (sys.executable, "-c", STARTED_FROM.format(source=str(source)))
        super().__init__(data)


STARTED_FROM = """
import os, runpy, sys
sys.path.insert(0, {source!r})
os.environ["PYTHONPATH"] = {source!r}  # for the worker, which it starts
import truename
assert truename.__file__.startswith({source!r}), truename.__file__
sys.argv[0] = "truename"
runpy.run_module("truename.cli", run_name="__main__", alter_sys=False)
"""


def created(integrator: Integrator, hook: str) -> str:
    customer = integrator.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
    wanted = {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY", "config": {"webhook": {"url": hook}}}
    return str(integrator.post("/transaction", wanted)["transaction_id"])


def decided(integrator: Integrator, transaction_id: str) -> str:
    return str(integrator.post(f"/test/transaction/{transaction_id}/simulate", {})["status"])


def step_of(data: Path) -> str | None:
    """The step at which the database is."""
    embedded = Embedded(data)
    embedded.attach()
    try:
        with psycopg.connect(embedded.url) as connection:
            return current(connection)
    finally:
        embedded.close()


async def captured(begun_at: Integrator, ended_at: Integrator, http: aiohttp.ClientSession) -> str:
    """A passport, photographed at one version and submitted at the other; answers the transaction."""
    customer = begun_at.post("/customer", {"external_customer_id": os.urandom(8).hex()})["customer_id"]
    made = begun_at.post("/transaction", {"customer_id": customer, "transaction_type": "DOCUMENT_ONLY"})
    before, after = (Phone(http, made["sdk_token"], each.url) for each in (begun_at, ended_at))
    assert (await before.consent())[0] == 200
    assert (await before.device())[0] == 204
    told, answered = await before.document("front", a_passport_photo())
    assert (told, answered["usable"]) == (200, True), answered
    assert (await after.submit())[0] == 202
    return str(made["transaction_id"])


async def erased(integrator: Integrator, customer: str, http: aiohttp.ClientSession) -> None:
    headers = {"Authorization": f"Bearer {integrator.token}"}
    async with http.delete(f"{integrator.url}{KYC}/customer/{customer}", headers=headers) as answer:
        assert answer.status == 200, await answer.text()


async def story_of_captures(old: Integrator, new: Integrator) -> None:
    """Real pictures from one version to the other, analysed by whichever worker is quicker, and erased by the other."""
    async with aiohttp.ClientSession() as http:
        captures = [await captured(old, new, http), await captured(new, old, http)]

        async def decided_all() -> bool:
            return all(new.get(f"/transaction/{one}")["decision"] is not None for one in captures)

        await until(decided_all, 240, every=1)
        shown = [[each.get(f"/transaction/{one}") for each in (old, new)] for one in captures]
        assert {one["status"] for pair in shown for one in pair} == {"APPROVED"}, shown
        for eraser, (one, _) in zip((new, old), shown, strict=True):
            await erased(eraser, one["customer_id"], http)
        left = [each.get(f"/transaction/{one}") for one in captures for each in (old, new)]
        assert {one["document"] for one in left} == {None}


async def test_the_version_before_works_on_beside_the_new_one_after_the_database_was_migrated(version_before, tmp_path):
    data = tmp_path / "data"
    with a_hook() as (hook, told):
        old_service = ServedBefore(version_before, data)
        try:
            old = Integrator(old_service.wait_until_ready())
            earlier = created(old, hook)
            before = step_of(data)
            assert before is not None
            assert before < newest(), "nothing would be migrated"
            with forked(data) as new_service:  # migrates, while the version before is at work
                assert step_of(data) == newest()
                new = Integrator(new_service)
                by_old = [earlier, *(created(old, hook) for _ in range(HOW_MANY))]
                by_new = [created(new, hook) for _ in range(HOW_MANY)]
                assert {decided(new, one) for one in by_old} == {"APPROVED"}
                assert {decided(old, one) for one in by_new} == {"APPROVED"}
                own = [created(one, hook) for one in (old, new)]
                assert [decided(old, own[0]), decided(new, own[1])] == ["APPROVED", "APPROVED"]
                everything = {*by_old, *by_new, *own}
                for reader in (old, new):
                    read = {one: reader.get(f"/transaction/{one}") for one in everything}
                    assert {one["decision"]["outcome"] for one in read.values()} == {"APPROVED"}
                changes = {(one, number) for one in everything for number in (1, 2, 3)}
                within(90, lambda: {(one.transaction_id, one.sequence) for one in told} >= changes)
                assert {one.status for one in told if one.sequence == 3} == {"APPROVED"}
                await story_of_captures(old, new)
            whole = truename_here(data, "audit", "verify")
            assert whole.returncode == 0, whole.stdout
        finally:
            old_service.stop()
