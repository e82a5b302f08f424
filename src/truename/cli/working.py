"""What runs behind `worker` and `migrate`, without the doors: a worker that is started again is soon at work."""

import asyncio
import os
import signal
from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from truename.cli.children import LONE_WORK, run_lone_worker
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.pulse import Pulse, beside
from truename.cli.worker_port import listen
from truename.plumbing.database.migrate import migrate
from truename.plumbing.database.silence import LEAVING_SECONDS
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.worker import run_alone, run_worker, whatever_breaks
from truename.plumbing.metrics import count_process
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.vision.memory import keep_freed_memory
from truename.wiring import database_url, load_jobs, wired

STOPS: Final = (signal.SIGTERM, signal.SIGINT)


async def work(settings: Settings, queues: Collection[Queue], metrics_port: int | None) -> None:
    """A worker that outlasts its database, and ends cleanly when it is asked to, even while it still starts.

    Asked once (SIGTERM or SIGINT), it finishes what it has begun; asked twice, it dies.
    """
    loop, asked = asyncio.get_running_loop(), asyncio.Event()
    worker = asyncio.create_task(_work(settings, queues, metrics_port, asked))

    def leave() -> None:
        for number in STOPS:
            loop.remove_signal_handler(number)
        asked.set()
        worker.cancel()

    for number in STOPS:
        loop.add_signal_handler(number, leave)
    try:
        await worker
    except asyncio.CancelledError:
        if not asked.is_set():
            raise


async def _work(settings: Settings, queues: Collection[Queue], metrics_port: int | None, asked: asyncio.Event) -> None:
    count_process("worker")
    pulse = Pulse()
    if metrics_port is not None:
        try:
            listen(settings.host, metrics_port, settings.metrics_token, pulse)
        except OSError as fault:
            sentence = f"Cannot listen on {settings.host}, port {metrics_port}: {fault.strerror}."
            raise complain(sentence, code=ExitCode.NOT_REACHABLE) from None
    load_jobs(queues)
    if Queue.ANALYSIS in queues:
        keep_freed_memory()
    # Watched from here on: to load the code above takes a busy machine a minute, during which no loop turns.
    async with beside(pulse.beat()), wired(settings) as plumbing, beside(hurry_when(asked, plumbing)):
        if Queue.ANALYSIS in queues:
            await asyncio.to_thread(_load_origins, settings)
        if os.environ.get(LONE_WORK):
            await whatever_breaks(lambda: run_alone(plumbing, queues), asked.is_set)
        else:
            alone = partial(run_lone_worker, queues)
            at_once = slots(settings, queues)
            await whatever_breaks(lambda: run_worker(plumbing, at_once, alone=alone), asked.is_set)


async def hurry_when(asked: asyncio.Event, plumbing: Plumbing) -> None:
    """Once asked to end, do not wait for a database that says nothing: whoever insists would come first."""
    await asked.wait()
    plumbing.wait_for_databases(LEAVING_SECONDS)


def _load_origins(settings: Settings) -> None:
    """Read the files of networks now, so that what is wrong with them is said at the start."""
    from truename.capture.signals import origin_data  # a third of the start of a worker that only delivers
    from truename.device.origin import load_origins

    load_origins(origin_data(settings))


def slots(settings: Settings, queues: Collection[Queue]) -> Mapping[Queue, int]:
    """How many jobs of each queue this process takes at once.

    Of analyses no more than it looks at, and one that waits its turn meanwhile: who waits here could be elsewhere.
    """
    most = {Queue.ANALYSIS: settings.analyses + 1}
    return {queue: min(settings.worker_concurrency, most.get(queue, 64)) for queue in queues}


async def bring_up_to_date(settings: Settings) -> bool:
    """Migrate; says whether there was anything to do."""
    async with database_url(settings, may_create=True) as url:
        return await migrate(url)
