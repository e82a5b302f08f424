"""Is the memory of large bodies given back, without a page fault for each page of the pieces they come in?"""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc is told how to work")

PROGRAM = """
import gc, resource
from truename.plumbing.http.server import give_memory_back

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def read_bodies(count):
    bodies = [[b"x" * 256_000 for _ in range(50)] for _ in range(count)]
    whole = [b"".join(pieces) for pieces in bodies]

give_memory_back()
before = resident()
read_bodies(1)
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
pieces = [b"x" * 256_000 for _ in range(50)]
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
del pieces
read_bodies(4)
print(faults, resident() - before)
"""


def test_the_pieces_of_a_body_are_read_into_memory_that_is_there_and_large_blocks_go_back():
    """The program runs by itself, because how malloc works is set for a whole process."""
    told = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    faults, kept = map(int, told.stdout.split())
    assert faults < 300, "3,100 pages, each of which would take a fault"
    assert kept < 24 * 1024 * 1024, "of 102 MB"
