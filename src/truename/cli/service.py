"""`truename serve`, `truename worker`, `truename migrate`."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Annotated

import procrastinate
import psycopg
import psycopg_pool
import structlog
import typer
import uvicorn

from truename.cli import complain
from truename.cli.children import Child, live_no_longer_than_parent
from truename.cli.doors import application
from truename.cli.running import run, settings_of_command
from truename.cli.welcome import first_account, greeting
from truename.database.migrate import migrate
from truename.jobs.worker import run_worker
from truename.plumbing import Plumbing
from truename.settings import Settings
from truename.wiring import database_url, load_jobs, wired

log = structlog.get_logger(__name__)

SHARED_SOCKET = "_TRUENAME_SHARED_SOCKET"


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    app.command("serve")(serve)
    app.command("worker")(worker)
    app.command("migrate")(bring_up_to_date)


def serve(
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Only the API; workers run elsewhere.")] = False,
    processes: Annotated[int, typer.Option(min=1, max=64, help="API processes.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the addresses only, and create no account.")] = False,
) -> None:
    """Serve the API, with a worker and, unless told otherwise, an embedded PostgreSQL."""
    settings = settings_of_command(port=port, host=host)
    if SHARED_SOCKET in os.environ:
        live_no_longer_than_parent()
        run(_serve_beside(settings, socket.socket(fileno=int(os.environ.pop(SHARED_SOCKET)))))
        return
    listener = _listener(settings)
    settings = settings.model_copy(update={"port": listener.getsockname()[1]})
    run(_serve(settings, listener, worker=not no_worker, processes=processes, quiet=quiet))


def worker(concurrency: Annotated[int | None, typer.Option(min=1, max=64, help="Jobs at once.")] = None) -> None:
    """Work off jobs: analysis, webhooks, expiry."""
    settings = settings_of_command(worker_concurrency=concurrency)
    live_no_longer_than_parent()
    run(_work(settings))


def bring_up_to_date() -> None:
    """Bring the database up to date."""
    changed = run(_migrate(settings_of_command()))
    print("The database was brought up to date." if changed else "The database is up to date.")


async def _serve(settings: Settings, listener: socket.socket, *, worker: bool, processes: int, quiet: bool) -> None:
    async with wired(settings) as plumbing:
        made = None if quiet else await first_account(plumbing)
        environment = {"TRUENAME_PORT": str(settings.port), "TRUENAME_HOST": settings.host}
        children = [
            Child(
                ["serve"],
                {**environment, SHARED_SOCKET: str(listener.fileno())},
                pass_fds=(listener.fileno(),),
            )
            for _ in range(processes - 1)
        ]
        if worker:
            children.append(Child(["worker"], environment))
        for child in children:
            child.start()
        try:
            await _answer(plumbing, listener, lambda: print(*greeting(plumbing, made), sep="\n", flush=True))
        finally:
            # The API has stopped taking requests; now the rest may finish.
            await asyncio.gather(*(child.stop() for child in children))


async def _serve_beside(settings: Settings, listener: socket.socket) -> None:
    async with wired(settings) as plumbing:
        await _answer(plumbing, listener, lambda: None)


async def _answer(plumbing: Plumbing, listener: socket.socket, when_ready: Callable[[], None]) -> None:
    config = uvicorn.Config(
        application(plumbing),
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,  # whom to believe is decided by our own settings
        timeout_graceful_shutdown=20,
        timeout_keep_alive=30,
    )
    server = _Server(config, when_ready)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.leave)
    await server.serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Signals are ours to handle: after the requests, the children and the database must end in order."""

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.when_ready = when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.when_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def leave(self) -> None:
        self.should_exit = True


async def _work(settings: Settings) -> None:
    load_jobs()
    async with wired(settings) as plumbing:
        while True:
            try:
                await run_worker(plumbing, concurrency=settings.worker_concurrency)
                return
            except (psycopg.Error, psycopg_pool.PoolTimeout, procrastinate.exceptions.ConnectorException) as error:
                log.warning("the database is away, the worker waits", error=str(error))
                await asyncio.sleep(1)


async def _migrate(settings: Settings) -> bool:
    async with database_url(settings) as url:
        return await migrate(url)


def _listener(settings: Settings) -> socket.socket:
    """Take the port first: a busy one is said at once, before anything is started."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
    except socket.gaierror:
        raise complain(f"TRUENAME_HOST: {settings.host} is no address of this machine.") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise complain(
                f"Port {settings.port} is in use. Stop what uses it, or choose another: truename serve --port 8001"
            ) from None
        raise complain(f"Cannot listen on {settings.host}, port {settings.port}: {error.strerror}.") from None
    listener.listen(2048)
    listener.setblocking(False)
    return listener
