"""An integrator's receiver of webhooks, as a process of its own: fails one in ten, half of those after it processed.

    python -m benchmarks.faults.receiver FOLDER PORT SEED SECRET

What it has processed is a line in FOLDER/journal, written before the answer: the receiver's word, which no kill takes
back.
"""

import asyncio
import json
import os
import random
import ssl
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import trustme
from aiohttp import web
from standardwebhooks import Webhook

FAILS: Final = 0.1
BEFORE: Final = 0.5
"""Of the failures, how many happen before anything was processed."""


@dataclass(frozen=True)
class Processed:
    """One event that the receiver took in, as it was told."""

    event_id: str
    transaction_id: str
    sequence: int
    status: str
    previous_status: str
    timestamp: str


def make_certificate(folder: Path) -> None:
    """A certificate for loopback and its authority, once for all starts of the receiver."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    own = authority.issue_cert("localhost", "127.0.0.1")
    own.private_key_and_cert_chain_pem.write_to_path(str(folder / "receiver.pem"))


def processed(folder: Path) -> list[Processed]:
    """Everything that the receiver has processed; a line that a kill cut off was never answered."""
    lines = (folder / "journal").read_text().split("\n") if (folder / "journal").exists() else []
    return [Processed(**json.loads(line)) for line in lines[:-1] if line]


class Receiver:
    """Verifies, fails now and then, and writes down."""

    def __init__(self, folder: Path, seed: int, secret: str) -> None:
        self.chance, self.webhook = random.Random(seed), Webhook(secret)
        self.journal = os.open(folder / "journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    async def take(self, request: web.Request) -> web.StreamResponse:
        body = await request.text()
        fails, before = self.chance.random() < FAILS, self.chance.random() < BEFORE
        if fails and before:
            return web.Response(status=500)
        self.webhook.verify(body, dict(request.headers))
        data = json.loads(body)["data"]
        event = Processed(
            request.headers["webhook-id"],
            data["transaction_id"],
            data["sequence"],
            data["status"],
            data["previous_status"],
            json.loads(body)["timestamp"],
        )
        os.write(self.journal, b"%s\n" % json.dumps(asdict(event)).encode())
        if fails and request.transport is not None:
            request.transport.abort()  # processed, and nobody hears of it
        return web.Response(status=204)


async def receive(folder: Path, port: int, seed: int, secret: str) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "receiver.pem")
    app = web.Application()
    app.router.add_post("/{path:.*}", Receiver(folder, seed, secret).take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, ssl_context=tls, reuse_port=True).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(receive(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
