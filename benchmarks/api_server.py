"""One server process of the API on a database of its own, with an account to call it."""

import asyncio
import multiprocessing
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import psutil
from tests.support.waiting import free_port

from truename.accounts.create import create_account
from truename.accounts.model import SCOPES
from truename.accounts.tokens import issue_access_token
from truename.plumbing.database.ids import new_id
from truename.plumbing.settings import Settings, load_settings
from truename.wiring import wired


def settings_for(folder: Path, port: int, database_url: str | None = None) -> Settings:
    """The real settings; only the rate limit is out of the way (it is still charged on every call)."""
    return load_settings(
        data_dir=folder,
        port=port,
        database_url=database_url,
        client_requests_per_minute=10**8,
        client_burst=10**7,
        database_connections=10,
    )


def serve(folder: str, port: int, database_url: str) -> None:
    """One server process, as `truename serve` runs it."""
    import uvicorn
    import uvloop

    from truename.capture.signals import origin_data
    from truename.cli.doors import application
    from truename.cli.running import keep_loggers, set_up_log
    from truename.device.origin import load_origins
    from truename.plumbing.http.server import give_memory_back, server_config, spare_what_stays

    settings = settings_for(Path(folder), port, database_url)
    set_up_log(settings)  # otherwise every request is printed
    keep_loggers()

    async def main() -> None:
        async with wired(settings, may_create=True) as plumbing:
            await asyncio.gather(plumbing.decoders.start(), asyncio.to_thread(load_origins, origin_data(settings)))
            config = server_config(application(plumbing), settings, host="127.0.0.1", port=port, log_level="warning")
            give_memory_back()
            with spare_what_stays():
                await uvicorn.Server(config).serve()

    uvloop.run(main())


@dataclass
class Tenant:
    account_id: str
    customer_id: str
    token: str


async def new_tenant(settings: Settings) -> Tenant:
    async with wired(settings, may_create=True) as plumbing:
        account = await create_account(plumbing, f"benchmark {secrets.token_hex(4)}")
        token = await issue_access_token(plumbing, account.account_id, account.client_id, SCOPES)
        customer_id = new_id()
        async with plumbing.database.account(account.account_id) as connection:
            await connection.execute(
                "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key) "
                "VALUES (%s, %s, %s, %s)",
                (
                    customer_id,
                    account.account_id,
                    "benchmark",
                    plumbing.vault.new_customer_key(account.account_id, customer_id),
                ),
            )
    return Tenant(str(account.account_id), str(customer_id), token)


class Served:
    """One server process on a database of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.port = free_port()
        self.url = url
        self.base = f"http://127.0.0.1:{self.port}"
        self.tenant = asyncio.run(new_tenant(settings_for(folder, self.port, url)))
        # `truename serve` counts in files, for all of its processes together.
        (folder / "metrics").mkdir(exist_ok=True)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder / "metrics")
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=serve, args=(str(folder), self.port, url), daemon=True)
        self.process.start()
        asyncio.run(self._ready())

    async def _ready(self) -> None:
        async with aiohttp.ClientSession(self.base) as session:
            for _ in range(1200):
                try:
                    async with session.get("/readyz") as answer:
                        ready = answer.status == 200
                    if ready:
                        # Written once in the life of a process, and needed by the log of requests: not measured here.
                        async with session.get("/openapi.json") as answer:
                            await answer.read()
                        return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.1)
        raise RuntimeError("The server did not start.")

    def cpu_seconds(self) -> float:
        """What the server process has used, without the database."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(15)
