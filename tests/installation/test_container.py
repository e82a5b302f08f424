"""No container engine is at hand, so: both files are read as an engine would, and their commands run here.

The commands run from the installed wheel, without a home, as another user where we may choose one, and with the whole
file system read-only but for /data's stand-in and /tmp where the kernel lets us arrange it.
"""

import base64
import json
import os
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from tests.support.containerfile import CONTAINERFILE, environment_of_image, instructions
from tests.support.installed import ROOT, Installed
from tests.support.waiting import free_port, listens, within

COMPOSE: dict[str, Any] = yaml.load((ROOT / "deploy" / "compose.yaml").read_bytes(), yaml.CSafeLoader)
OURS = {name: service for name, service in COMPOSE["services"].items() if name != "database"}


def test_the_containerfile_is_well_formed_and_by_good_habits():
    linter = Path(sys.executable).with_name("hadolint")
    told = subprocess.run([linter, CONTAINERFILE], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "")


def test_the_image_runs_as_a_plain_user_and_says_how_it_is():
    (user,) = instructions("USER")
    assert user == "10001:10001"
    assert json.loads(instructions("ENTRYPOINT")[0]) == ["truename"]
    assert instructions("EXPOSE") == [environment_of_image()["TRUENAME_PORT"]]
    assert json.loads(instructions("VOLUME")[0]) == [environment_of_image()["TRUENAME_DATA_DIR"]]
    assert 'CMD ["truename", "healthcheck"]' in instructions("HEALTHCHECK")[0]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [
        line.split()[1]
        for line in CONTAINERFILE.read_text().splitlines()
        if line.startswith("COPY ") and "--from" not in line
    ]
    assert {f"!{path}" for path in copied} <= set(ignored)


@pytest.mark.parametrize("name", OURS)
def test_each_of_our_services_can_write_to_its_volume_and_tmp_only(name: str):
    service = OURS[name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert [volume.split(":")[1] for volume in service["volumes"]] == [environment_of_image()["TRUENAME_DATA_DIR"]]
    assert (ROOT / "deploy" / service["build"]["context"] / service["build"]["dockerfile"]).resolve() == CONTAINERFILE


def test_the_services_fit_together():
    assert set(COMPOSE["services"]) == {"database", "migrate", "api", "worker"}
    assert COMPOSE["services"]["database"]["image"].endswith("postgres:17")
    url = urlsplit(
        OURS["api"]["environment"]["TRUENAME_DATABASE_URL"].replace("${DATABASE_PASSWORD:?", "").replace("}", "")
    )
    assert url.path.strip("/") == COMPOSE["services"]["database"]["environment"]["POSTGRES_DB"]
    assert OURS["api"]["ports"] == ["127.0.0.1:8000:8000"]
    assert all("ports" not in OURS[name] for name in ("worker", "migrate"))
    named = {volume.split(":")[0] for service in COMPOSE["services"].values() for volume in service["volumes"]}
    assert named == set(COMPOSE["volumes"])
    for name in ("api", "worker"):
        assert OURS[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}


# ── the commands, run here ─────────────────────────────────────────────────────────────────────────────────


class Contained:
    """Runs the commands of the two files as an engine would, as nearly as this machine allows."""

    def __init__(self, installed: Installed, database_url: str, data: Path) -> None:
        self.installed, self.data, self.port = installed, data, free_port()
        self.metrics_port = free_port()
        self.sockets = Path(parse_qs(urlsplit(database_url).query)["host"][0])
        self.user = self.sockets.stat().st_uid
        os.chown(data, self.user, -1)
        self.environment = {
            **environment_of_image(),
            "PATH": f"{installed.environment}/bin:/usr/bin:/bin",
            "TRUENAME_DATA_DIR": str(data),
            "TRUENAME_HOST": "127.0.0.1",
            "TRUENAME_PORT": str(self.port),
            "TRUENAME_DATABASE_URL": database_url,
            "TRUENAME_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
            "TRUENAME_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
        }

    def call(self, command: list[str]) -> list[str]:
        command = [word.replace("9100", str(self.metrics_port)) for word in command]
        if not can_contain():
            return [str(self.installed.program), *command]
        hold = self.installed.environment.parent / "sockets"
        hold.mkdir(exist_ok=True)
        script = f"""
            mount --make-rprivate /
            mount --bind {self.sockets} {hold}
            mount -t tmpfs tmpfs /tmp
            mkdir {self.sockets} && mount --bind {hold} {self.sockets}
            mount --bind {self.data} {self.data}
            mount --bind / / && mount -o remount,bind,ro /
            cd {self.data}
            exec setpriv --reuid={self.user} --regid=65534 --clear-groups --no-new-privs --bounding-set=-all "$@"
        """
        return ["unshare", "--mount", "sh", "-euc", script, "sh", str(self.installed.program), *command]

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.call(command), env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )

    @contextmanager
    def started(self, command: list[str]) -> Iterator[subprocess.Popen[str]]:
        """A service that runs until the block ends, and then stops when it is asked to."""
        process = subprocess.Popen(
            self.call(command), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            yield process
        finally:
            process.terminate()
            said, _ = process.communicate(timeout=60)
            print(said[-3000:])
        assert process.returncode == 0

    def until_healthy(self, check: list[str], port: int) -> None:
        """Until it says so; nobody asks before it listens, for every question is a program that must be started."""
        within(90, lambda: listens(port))
        until = time.monotonic() + 90
        while (told := self.run(check)).returncode:
            assert time.monotonic() < until, told.stderr


def can_contain() -> bool:
    """May we make a mount namespace of our own and become somebody else?"""
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    return os.geteuid() == 0 and tried.returncode == 0


@pytest.mark.slow
def test_the_commands_of_both_files_run_on_this_machine(installed: Installed, new_database: Callable[[str], str]):
    data = installed.environment.parent / "data"
    data.mkdir(mode=0o700)
    contained = Contained(installed, new_database("template0"), data)
    check = json.loads(instructions("HEALTHCHECK")[0].partition("CMD ")[2])[1:]
    worker_check = OURS["worker"]["healthcheck"]["test"][2:]

    early = contained.run(OURS["worker"]["command"])
    assert (early.returncode, "truename migrate" in early.stderr) == (3, True), early.stderr
    done = contained.run(OURS["migrate"]["command"])
    assert done.returncode == 0, done.stderr
    assert contained.run(check).returncode == 4
    with contained.started(OURS["api"]["command"]):
        contained.until_healthy(check, contained.port)
        with contained.started(OURS["worker"]["command"]):
            contained.until_healthy(worker_check, contained.metrics_port)
            made = json.loads(contained.run(["account", "create", "shop", "--json"]).stdout)
            form = f"grant_type=client_credentials&client_id={made['client_id']}&client_secret={made['client_secret']}"
            address = f"http://127.0.0.1:{contained.port}/oauth/token"
            with urllib.request.urlopen(address, form.encode(), timeout=10) as answer:
                assert json.load(answer)["token_type"] == "Bearer"
            healthy = contained.run(["doctor", "--json"])
            assert healthy.returncode == 0, healthy.stdout
    assert contained.run(check).returncode == 4
    if can_contain():
        refused = contained.run(["database", "dump", "/var/tmp/truename.dump"])
        assert "Read-only file system" in refused.stderr
