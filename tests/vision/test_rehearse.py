"""What a service looks at before the first person's picture comes."""

import os
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.slow
def test_no_library_writes_down_what_it_was_used_for(tmp_path: Path):
    """onnxruntime kept a number of the machine and its uses in the user's folder, to send them to its maker."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    looked = "from truename.vision.rehearse import rehearse_looks; rehearse_looks()"
    done = subprocess.run(
        [sys.executable, "-c", looked],
        env={**kept, "HOME": str(tmp_path)},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
