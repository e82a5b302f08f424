"""`truename serve`, `worker` and `migrate`: a bad setting or a busy port is said before the rest is loaded."""

import asyncio
import errno
import os
import socket
from typing import Annotated

import structlog
import typer

from truename.cli.children import SHARED_SOCKET, live_no_longer_than_parent
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import keep_loggers, run, say_what_is_made, set_up_vision, settings_of_command
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.metrics_folder import make_folder
from truename.plumbing.settings import Settings

log = structlog.get_logger(__name__)


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    app.command("serve")(serve)
    app.command("worker")(worker)
    app.command("migrate")(migrate)


def serve(
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Only the API; workers run elsewhere.")] = False,
    processes: Annotated[int, typer.Option(min=1, max=64, help="API processes.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the addresses only, and create no account.")] = False,
) -> None:
    """Serve the API, with a worker and, unless told otherwise, an embedded PostgreSQL."""
    settings = settings_of_command(port=port, host=host)
    keep_loggers()
    if SHARED_SOCKET in os.environ:
        live_no_longer_than_parent()
        from truename.cli.serving import serve_beside

        run(serve_beside(settings, socket.socket(fileno=int(os.environ.pop(SHARED_SOCKET)))))
        return
    listener = _listener(settings)
    settings = settings.model_copy(update={"port": listener.getsockname()[1]})
    _refuse_if_incomplete(settings)
    _count_together()
    say_what_is_made(settings)
    from truename.cli.serving import serve_all

    run(serve_all(settings, listener, worker=not no_worker, processes=processes, quiet=quiet))


def worker(
    queues: Annotated[
        str,
        typer.Option(
            help="Which work to do, separated by commas: analysis (of pictures), delivery (of webhooks), upkeep "
            "(expiry, deletion, retention and all the rest). Each must be done somewhere."
        ),
    ] = ",".join(Queue),
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Jobs at once, of each queue; of analyses at most TRUENAME_ANALYSES and one."),
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="Port at TRUENAME_HOST for /healthz and, with TRUENAME_METRICS_TOKEN set, /metrics. Left out: none.",
        ),
    ] = None,
) -> None:
    """Work off jobs: analysis, webhooks, expiry. Asked to stop (SIGTERM), it finishes what it has begun."""
    chosen = _queues(queues)
    settings = settings_of_command(worker_concurrency=concurrency)
    keep_loggers()
    live_no_longer_than_parent()
    if set(chosen) != {Queue.DELIVERY}:
        _refuse_if_incomplete(settings)
    if metrics_port is not None:
        _count_together()  # with the processes in which it runs jobs alone
    from truename.cli.working import work

    # Who posts webhooks connects to strangers, and uvloop ends the process (SIGABRT) where a connection that fails is
    # closed between two of its turns.
    run(work(settings, chosen, metrics_port), asyncio.new_event_loop)


def _queues(text: str) -> list[Queue]:
    names = dict.fromkeys(name.strip() for name in text.split(",") if name.strip())
    if unknown := [name for name in names if name not in set(Queue)]:
        raise complain(f"--queues: there is no queue {unknown[0]}. The queues are {', '.join(Queue)}.")
    if not names:
        raise complain(f"--queues: name one at least. The queues are {', '.join(Queue)}.")
    return [Queue(name) for name in names]


def migrate() -> None:
    """Bring the database up to date."""
    settings = settings_of_command()
    from truename.cli.working import bring_up_to_date

    say_what_is_made(settings)
    changed = run(bring_up_to_date(settings))
    print("The database was brought up to date." if changed else "The database is up to date.")


def _count_together() -> None:
    """Name the folder in which all processes of this service count, before any of them counts."""
    try:
        make_folder()
    except OSError as error:
        log.warning("each process counts for itself: no room for a folder", error=error.strerror)


def _refuse_if_incomplete(settings: Settings) -> None:
    """Weights and page assets are checked by their hashes before anything is started."""
    from truename.vision.models import ModelUnavailable
    from truename.wiring import damaged_files

    set_up_vision(settings)
    try:
        faults = damaged_files()
    except ModelUnavailable as fault:  # the operator's own table cannot be read
        faults = [str(fault)]
    if faults:
        raise complain(*faults, "Truename does not start without all of its files.", code=ExitCode.CONFIGURATION)


def _listener(settings: Settings) -> socket.socket:
    """Take the port first: a busy one is said at once, before anything is started.

    Nobody listens yet: who calls meanwhile is refused, and asks another process, instead of waiting for all the start.
    """
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
    except socket.gaierror:
        raise complain(
            f"TRUENAME_HOST: {settings.host} is no address of this machine.", code=ExitCode.CONFIGURATION
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise complain(
                f"Port {settings.port} is in use. Stop what uses it, or choose another: truename serve --port 8001",
                code=ExitCode.NOT_REACHABLE,
            ) from None
        raise complain(
            f"Cannot listen on {settings.host}, port {settings.port}: {error.strerror}.", code=ExitCode.NOT_REACHABLE
        ) from None
    listener.setblocking(False)
    return listener
