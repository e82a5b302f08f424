"""A picture is judged by the processor time it takes: a machine that is busy with others is not held against it."""

import math
import os
import signal
import threading

import pytest

from tests.support import bombs
from truename.vision.decoding.decoder import PATIENCE, Decoder, DecoderStarved, DecodingLimits
from truename.vision.decoding.fork_server import ForkServer
from truename.vision.decoding.pool import QUICK_NICENESS, SLOW_NICENESS
from truename.vision.decoding.protocol import Wanted

SECONDS = 0.5


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch):
    """A decoder whose process gets no processor time, as on a machine that others keep busy; not taken for frozen."""
    monkeypatch.setattr("truename.vision.decoding.decoder.FROZEN_SECONDS", math.inf)
    server = ForkServer()
    decoder = Decoder(server, DecodingLimits())
    decoder.start()
    assert decoder.process_id
    os.kill(decoder.process_id, signal.SIGSTOP)
    yield decoder
    decoder.close()
    server.close()


@pytest.mark.slow
def test_a_picture_whose_decoder_waits_for_a_core_is_not_refused(stopped: Decoder):
    threading.Timer(8 * SECONDS, os.kill, (stopped.process_id, signal.SIGCONT)).start()
    assert stopped.decode(bombs.photo(640, 480), Wanted(), SECONDS).pixels.shape == (480, 640, 3)


@pytest.mark.slow
def test_a_decoder_that_never_answers_is_given_up(stopped: Decoder):
    with pytest.raises(DecoderStarved):
        stopped.decode(bombs.photo(640, 480), Wanted(), SECONDS)


WEIGHTS = (1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15)
"""Of the niceness 0 to 19 (`sched_prio_to_weight` of Linux): what is ready to run shares a core by these."""


@pytest.mark.parametrize("niceness", [QUICK_NICENESS, SLOW_NICENESS])
def test_the_patience_with_a_decoder_covers_what_its_niceness_takes_from_it(niceness: int):
    """Beside one process that is not nice and never rests, a picture still gets all of its processor time."""
    share = WEIGHTS[niceness] / (WEIGHTS[niceness] + WEIGHTS[0])
    assert share * PATIENCE > 1
