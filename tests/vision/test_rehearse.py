"""What a service looks at before the first person's picture comes."""

import subprocess
import sys

import pytest

SCRIPT = """
from tests.support.faces import framed_still
from truename.sandbox.drawing.documents import id_card
from truename.sandbox.drawing.photography import photograph
from truename.vision import runtime
from truename.vision.captures import Side
from truename.vision.document.preview import preview_document
from truename.vision.liveness.frame_quality import measure_frame
from truename.vision.rehearse import rehearse_looks

rehearse_looks()
loaded = set(runtime._loaded)
card = id_card(country="ES", seed=7)
for side, page in ((Side.FRONT, card.front), (Side.BACK, card.back)):
    taken, _ = photograph(page, seed=3, rotation=4, perspective=0.25, background="wood", size=(1600, 1200))
    assert preview_document(taken, side).usable
assert measure_frame(framed_still()).usable
assert loaded, "nothing was loaded"
print(sorted(name for name, _ in set(runtime._loaded) - loaded))
"""


@pytest.mark.slow
def test_after_the_rehearsal_an_upload_loads_no_further_network():
    """In a process of its own: here, other tests have loaded them all."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]", "looks began to use a network that rehearse_looks does not load"
