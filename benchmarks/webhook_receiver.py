"""The receiver of the benchmark of webhooks, as a process of its own, and the bare posts that are its floor.

python -m benchmarks.webhook_receiver receive FOLDER PORT
python -m benchmarks.webhook_receiver post URL CA_FILE POSTS
"""

import asyncio
import json
import resource
import ssl
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import aiohttp
import trustme
import uvloop
from aiohttp import web

LANES: Final = 16
"""Connections of the bare posts."""
BODY: Final = b'{"type":"transaction.approved","timestamp":"2026-11-16T00:00:00Z","data":{"transaction_id":"0"}}' * 4


@dataclass(frozen=True)
class Told:
    """What the receiver has got since it was last asked to forget."""

    posts: int
    events: int
    out_of_order: int
    """Events that came after a later one of their transaction."""
    seconds: float
    """From the first to the last."""


@dataclass
class Journal:
    """What came."""

    posts: int = 0
    seen: set[str] = field(default_factory=set)
    last: dict[str, int] = field(default_factory=dict)
    out_of_order: int = 0
    first_at: float = 0.0
    last_at: float = 0.0

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.last_at = time.monotonic()
        self.first_at = self.first_at or self.last_at
        self.posts += 1
        if (event := request.headers.get("webhook-id")) and event not in self.seen:
            self.seen.add(event)
            data = json.loads(body)["data"]
            transaction, sequence = data["transaction_id"], data["sequence"]
            self.out_of_order += self.last.get(transaction, 0) > sequence
            self.last[transaction] = sequence
        return web.Response(status=204)

    async def report(self, request: web.Request) -> web.Response:
        told = Told(self.posts, len(self.seen), self.out_of_order, self.last_at - self.first_at)
        if request.query.get("forget") == "yes":
            self.__init__()  # type: ignore[misc]
        return web.json_response(asdict(told))


def serve_receiver(folder: str, port: int) -> None:
    """Answer 204 to every post, for ever; FOLDER gets the certificate's authority."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost", "127.0.0.1").configure_cert(tls)
    authority.cert_pem.write_to_path(f"{folder}/ca.pem")

    async def main() -> None:
        journal, app = Journal(), web.Application()
        app.router.add_post("/hook", journal.take)
        app.router.add_get("/hook", journal.report)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port, ssl_context=tls).start()
        Path(folder, "ready").touch()
        await asyncio.Event().wait()

    uvloop.run(main())


async def report_of(url: str, ca_file: Path, *, forget: bool) -> Told:
    """What has come so far; `forget`: and count from nothing again."""
    tls = ssl.create_default_context(cafile=str(ca_file))
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, params={"forget": "yes" if forget else "no"}, ssl=tls) as answer,
    ):
        return Told(**await answer.json())


def bare_posts(url: str, ca_file: str, posts: int) -> tuple[float, float]:
    """Post as fast as the library can, over connections that are kept; posts a second, and CPU seconds in all."""
    tls = ssl.create_default_context(cafile=ca_file)
    headers = {"content-type": "application/json"}

    async def main() -> tuple[float, float]:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=LANES, ssl=tls)) as session:
            left = iter(range(posts))

            async def lane() -> None:
                for _ in left:
                    async with session.post(url, data=BODY, headers=headers) as answer:
                        if answer.status != 204:
                            raise RuntimeError(str(answer.status))

            used = resource.getrusage(resource.RUSAGE_SELF)
            began = time.monotonic()
            await asyncio.gather(*(lane() for _ in range(LANES)))
            after = resource.getrusage(resource.RUSAGE_SELF)
            cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
            return posts / (time.monotonic() - began), cpu

    return uvloop.run(main())


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "receive":
        serve_receiver(words[0], int(words[1]))
    else:
        print(json.dumps(bare_posts(words[0], words[1], int(words[2]))))
