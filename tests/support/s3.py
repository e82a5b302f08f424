"""A real S3 server on loopback (SeaweedFS, from a wheel), with one key that is known to it."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import free_port, within

PROGRAM = Path(sys.executable).with_name("weed")
KEYS = {"AWS_ACCESS_KEY_ID": "key-of-tests", "AWS_SECRET_ACCESS_KEY": "secret-of-tests", "AWS_REGION": "us-east-1"}
"""What a process must have in its environment to be let in."""


@dataclass
class S3Server:
    """The server's processes, which may be killed and started again on the same folder and ports."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, bucket: str = "pictures", prefix: str = "of/tests", endpoint: str | None = None) -> str:
        """What TRUENAME_STORAGE_URL says; the bucket is made with its first object."""
        return f"s3://{bucket}/{prefix}?endpoint={endpoint or self.endpoint}"

    def start(self) -> None:
        """Start, without waiting: each part has a port and a socket of its own, nothing is told to anybody outside."""
        config = self.folder / "s3.json"
        secret = {"accessKey": KEYS["AWS_ACCESS_KEY_ID"], "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}
        identity = {"name": "tests", "credentials": [secret], "actions": ["Admin"]}
        config.write_text(json.dumps({"identities": [identity]}))
        ports = self.folder / "ports.json"
        if not ports.exists():
            ports.write_text(json.dumps([free_port() for _ in range(7)]))
        own = json.loads(ports.read_text())
        named = ("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc")
        options = {
            **dict(zip(named, own, strict=False)),
            "s3.port.grpc": own[-1],
            "s3.port": self.port,
            "s3.port.iceberg": 0,
            "s3.port.lance": 0,
            "s3.config": config,
            "s3.localSocket": self.folder / "s3.sock",
            "filer.localSocket": self.folder / "filer.sock",
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "dir": self.folder,
            "master.telemetry": "false",
            "master.volumeSizeLimitMB": 64,
            "volume.max": 200,  # each bucket takes seven
        }
        command = [str(PROGRAM), "-logtostderr=true", "server", "-filer", "-s3"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *(f"-{name}={value}" for name, value in options.items())],
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "GOMAXPROCS": "2"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.endpoint}/healthz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(30)


@contextlib.contextmanager
def an_s3_server(folder: Path) -> Iterator[S3Server]:
    """A server that answers, and is gone at the end with all that it stored."""
    folder.mkdir(parents=True, exist_ok=True)
    server = S3Server(folder, free_port())
    server.start()
    try:
        within(60, server.answers)
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
