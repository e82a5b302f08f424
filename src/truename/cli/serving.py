"""What runs behind `serve`: a module of its own, because to import all this takes a while."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Final

import uvicorn

from truename.api.demo import trial_account
from truename.capture.signals import origin_data
from truename.cli.children import SHARED_SOCKET, Child
from truename.cli.doors import application
from truename.cli.exit_codes import ExitCode, complain
from truename.cli.pulse import Pulse, beside
from truename.cli.welcome import first_account, greeting, remember_address
from truename.device.origin import load_origins
from truename.plumbing.database.silence import LEAVING_SECONDS, REQUEST_SECONDS
from truename.plumbing.http.server import give_memory_back, server_config, spare_what_stays
from truename.plumbing.metrics import count_process
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.vision.rehearse import rehearse_looks
from truename.wiring import wired

WAITING_CALLERS: Final = 2048
"""Connections that the system keeps for us until they are taken."""


async def serve_all(settings: Settings, listener: socket.socket, *, worker: bool, processes: int, quiet: bool) -> None:
    """Everything that `truename serve` is, until it is told to stop."""
    async with wired(settings, may_create=True) as plumbing:
        made = None if quiet else await first_account(plumbing)
        on_trial = await trial_account(plumbing) is not None

        def when_ready() -> None:
            remember_address(settings)
            told = greeting(plumbing, made, on_trial=on_trial, on_terminal=sys.stdout.isatty())
            print(*told, sep="\n", flush=True)

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
            await _answer(plumbing, listener, when_ready)
        finally:
            # The API has stopped taking requests; now the rest may finish.
            await asyncio.gather(*(child.stop() for child in children))


async def serve_beside(settings: Settings, listener: socket.socket) -> None:
    """A further API process, on the socket of the first."""
    async with wired(settings) as plumbing:
        await _answer(plumbing, listener, lambda: None)


async def _answer(plumbing: Plumbing, listener: socket.socket, when_ready: Callable[[], None]) -> None:
    count_process("api")
    plumbing.wait_for_databases(REQUEST_SECONDS)
    give_memory_back()
    # What takes a second to load is loaded before the first request, not by it.
    await asyncio.gather(
        plumbing.decoders.start(),
        asyncio.to_thread(load_origins, origin_data(plumbing.settings)),
        asyncio.to_thread(rehearse_looks),
    )
    served = application(plumbing)
    config = server_config(served, plumbing.settings)

    def leave() -> None:
        plumbing.wait_for_databases(LEAVING_SECONDS)  # who waits for one that is frozen is answered before we end
        served.state.leaving.set()

    with spare_what_stays():
        server = _Server(config, when_ready, leave)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, server.leave)
        _listen(listener)
        async with beside(Pulse().beat()):  # of several processes on one socket the others answer for one that is stuck
            await server.serve(sockets=[listener])
    if served.state.requests is not None:
        await served.state.requests.all_written()


def _listen(listener: socket.socket) -> None:
    """Be there for callers; who shares the socket may be so already. Complains where another service came first."""
    try:
        listener.listen(WAITING_CALLERS)
    except OSError as error:
        port = listener.getsockname()[1]
        raise complain(f"Cannot listen on port {port}: {error.strerror}.", code=ExitCode.NOT_REACHABLE) from None


class _Server(uvicorn.Server):
    """Signals are ours to handle: after the requests, the children and the database must end in order."""

    def __init__(
        self, config: uvicorn.Config, when_ready: Callable[[], None], when_leaving: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.when_ready, self.when_leaving = when_ready, when_leaving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.when_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def leave(self) -> None:
        """Asked once: finish what was begun. Asked twice: do not wait for it."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self.when_leaving()
