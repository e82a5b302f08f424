"""A process that looks at pictures keeps what it freed, so that the system need not map it anew for each picture."""

import os
import subprocess
import sys
from functools import cache

SCRIPT = """
import os, resource, threading
import truename
import numpy as np
threads = len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1
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
print(threads, *found)
"""


@cache
def told() -> list[int]:
    """How many threads a process has that has loaded numpy, and the new pages of two pictures."""
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", f"import sys\n{SCRIPT}"]
    run = subprocess.run(command, capture_output=True, text=True, env=plain)
    assert run.returncode == 0, run.stderr
    return [int(number) for number in run.stdout.split()]


def test_a_second_picture_of_the_same_size_takes_no_new_memory_in_any_thread():
    if sys.platform == "linux":
        assert max(told()[1:]) < 500, told()  # 24 MB are 5,900 pages


def test_linear_algebra_starts_no_threads_of_its_own():
    assert told()[0] == 1
