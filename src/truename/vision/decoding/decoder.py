"""One decoder process as its service sees it: a picture in, pixels out, and killed when it takes too long."""

from __future__ import annotations

import contextlib
import json
import math
import select
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.header import MAX_PIXELS, MAX_SIDE, ImageRefused, expected_seconds, inspect
from truename.vision.decoding.protocol import (
    ANSWER,
    DECODED,
    JOB,
    REFUSED,
    Decoded,
    Hung,
    Wanted,
    receive,
    receive_into,
)

if TYPE_CHECKING:
    from truename.vision.captures import Picture

PATIENCE: Final = 12
"""How many times its processor time a picture may take by the clock.

Many, because decoders give way to everything else on the machine: a full second of theirs may take ten while others
keep every core busy, which is no fault of the picture. Processor time is what a picture is refused by."""

FROZEN_SECONDS: Final = 3.0
"""A process that has work and used no processor time at all for so long is frozen; one that is starved has some."""

END_SECONDS: Final = 2.0
"""How long a killed process is waited for: it gives way to others even while it ends."""


@dataclass(frozen=True)
class DecodingLimits:
    """What one picture may cost, and how many may be decoded at once."""

    decoders: int = 2
    """Processes for ordinary pictures; one more is for those that take long."""
    memory_mb: int = 512
    seconds: float = 5.0
    """Of processor time, for the costliest picture."""
    polite_seconds: float = 5.0
    """How long at most a look at a slow picture waits for quick ones that are being decoded or looked at."""

    @property
    def memory(self) -> int:
        return self.memory_mb * 1024 * 1024


class DecoderStarved(Exception):
    """The machine gave a decoder so little processor time that the picture is not to blame: try again later."""

    def __init__(self) -> None:
        super().__init__("The machine is too busy to decode the picture.")


def too_costly() -> ImageRefused:
    """The refusal of a picture that took too much time or memory."""
    return ImageRefused("too_costly", "The image takes too much time or memory to decode.")


class Frozen(Exception):
    """The process does not go on: whoever stopped it, the picture did not."""


class Decoder:
    """One process, made when it is first needed and again after it was killed. Not for two threads at once."""

    def __init__(self, fork_server: ForkServer, limits: DecodingLimits, *, niceness: int = 0) -> None:
        self._fork_server, self._limits, self._niceness = fork_server, limits, niceness
        self._connection: socket.socket | None = None
        self._process = 0
        self.cancelled = False

    @property
    def process_id(self) -> int | None:
        return self._process or None

    def decode(self, data: bytes, wanted: Wanted, seconds: float, *, once: bool = False) -> Decoded:
        """Decode within so many seconds of processor time; whatever goes wrong with the picture is ImageRefused.

        Raises DecoderStarved where the process got less than half of them in all the time that it may take, or where
        the machine makes no process at all. One that is frozen is replaced, once.

        With `once` the process has ended with the picture, and what it left behind in memory is gone, before this does.
        """
        began = time.monotonic()
        try:
            try:
                return self._ask(data, wanted, seconds)
            except Hung:
                # Before a limit can have struck, somebody else killed the process: the picture is not to blame.
                if self.cancelled or time.monotonic() - began >= seconds:
                    raise too_costly() from None
            except Frozen:
                pass
            try:
                return self._ask(data, wanted, seconds)
            except Hung:
                raise too_costly() from None
            except Frozen:
                raise DecoderStarved from None
        finally:
            if once:
                self._end()

    def start(self) -> None:
        """Make the process before the first picture."""
        if self._connection is None:
            self._process, self._connection = self._fork_server.make(
                memory=self._limits.memory, niceness=self._niceness
            )

    def cancel(self) -> None:
        """From another thread: nobody wants the answer any more. The thread that waits for it gets ImageRefused."""
        self.cancelled = True
        if self._process:
            self._fork_server.kill(self._process)

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._connection is not None:
            self._connection.close()
            self._fork_server.kill(self._process)
        self._connection, self._process = None, 0

    def _end(self) -> None:
        """End the process and wait until it is gone, a moment: else the next one is large before this one is small."""
        connection = self._connection
        if connection is None:
            return
        self._fork_server.kill(self._process)
        # The system takes back the memory of a process first and closes its files then.
        with contextlib.suppress(OSError):
            connection.settimeout(END_SECONDS)
            while connection.recv(4096):
                pass
        connection.close()
        self._connection, self._process = None, 0

    def _ask(self, data: bytes, wanted: Wanted, seconds: float) -> Decoded:
        try:
            self.start()
        except OSError:
            raise DecoderStarved from None
        connection = self._connection
        if connection is None or self.cancelled:
            raise Hung
        connection.settimeout(seconds * PATIENCE)
        began = _processor_seconds(self._process)
        try:
            job = JOB.pack(len(data), wanted.copy_quality or 0, wanted.largest_side or 0, seconds)
            connection.sendall(job)
            self._send(connection, memoryview(data))
            self._wait(connection, select.POLLIN)
            return self._answer(connection, wanted)
        except Frozen:
            self.close()
            raise
        except TimeoutError:
            starved = _processor_seconds(self._process) - began < seconds / 2
            self.close()
            raise (DecoderStarved() if starved else too_costly()) from None
        except (Hung, OSError):
            self.close()
            raise Hung from None
        except ImageRefused:
            raise
        except BaseException:
            self.close()  # half an answer may be under way
            raise

    def _send(self, connection: socket.socket, left: memoryview) -> None:
        """Send all of it, as fast as it is taken."""
        while left:
            self._wait(connection, select.POLLOUT)
            left = left[connection.send(left) :]

    def _wait(self, connection: socket.socket, event: int) -> None:
        """Wait as long as the connection may. Raises Frozen where the process stands still, TimeoutError at last."""
        ready = select.poll()
        ready.register(connection, event)
        until = time.monotonic() + (connection.gettimeout() or 0.0)
        used = _processor_seconds(self._process)
        while not ready.poll(1000 * max(0.0, min(FROZEN_SECONDS, until - time.monotonic()))):
            before, used = used, _processor_seconds(self._process)
            if time.monotonic() >= until:
                raise TimeoutError
            if before == used != math.inf:
                raise Frozen

    def _answer(self, connection: socket.socket, wanted: Wanted) -> Decoded:
        """Read the answer, and believe nothing of it that would cost us memory."""
        kind, width, height, across, down, size = ANSWER.unpack(receive(connection, ANSWER.size))
        side = wanted.largest_side or MAX_SIDE
        if max(across, down) > side or across * down > MAX_PIXELS or size > 4 * MAX_PIXELS:
            raise Hung
        if kind == REFUSED:
            reason, sentence = json.loads(receive(connection, size))
            raise ImageRefused(reason, sentence)
        if kind != DECODED:
            self.close()
            raise too_costly()
        copy = receive(connection, size)
        import numpy as np  # a quarter of what a command that decodes nothing would take to start

        pixels: Picture = np.empty((down, across, 3), np.uint8)
        receive_into(connection, pixels.data.cast("B"))
        return Decoded(width, height, pixels, copy)


def _processor_seconds(process: int) -> float:
    """What a process has consumed so far, by its own clock; infinite where the system does not say or it has ended."""
    try:
        return time.clock_gettime((~process << 3) | 2)  # as clock_getcpuclockid() of Linux names it
    except OSError:
        return math.inf


class OneDecoder:
    """A decoder for a command that looks at pictures one after another: `with OneDecoder() as decoder:`."""

    def __init__(self, limits: DecodingLimits | None = None) -> None:
        self._limits = limits or DecodingLimits()
        self._fork_server = ForkServer()
        self._decoder = Decoder(self._fork_server, self._limits)

    def __enter__(self) -> OneDecoder:
        return self

    def __exit__(self, *_: object) -> None:
        self._decoder.close()
        self._fork_server.close()

    def decode(self, data: bytes) -> Picture:
        """The upright pixels; raises ImageRefused."""
        expected_seconds(data, inspect(data))
        try:
            return self._decoder.decode(data, Wanted(), self._limits.seconds).pixels
        except DecoderStarved:
            raise too_costly() from None
