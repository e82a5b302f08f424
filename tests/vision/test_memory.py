"""A process that looks at pictures keeps what it freed, so that the system need not map it anew for each picture."""

import subprocess
import sys

SCRIPT = """
import resource, threading
import numpy as np
from truename.vision.memory import keep_freed_memory
assert keep_freed_memory() or sys.platform != "linux"

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(24_000_000, np.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

found = []
faults()
found.append(faults())
thread = threading.Thread(target=lambda: found.append(faults()))
thread.start()
thread.join()
print(*found)
"""


def test_a_second_picture_of_the_same_size_takes_no_new_memory_in_any_thread():
    run = subprocess.run([sys.executable, "-c", f"import sys\n{SCRIPT}"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    if sys.platform == "linux":
        assert all(int(number) < 500 for number in run.stdout.split()), run.stdout  # 24 MB are 5,900 pages
