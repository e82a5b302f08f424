"""What does a look cost? One whole transaction against the bare inference of its models, and against the peers.

    python -m benchmarks.vision [--peers] [--repeats 3] [--json out.json]

Everything is CPU time on one thread, and what matters are the ratios, which hold on any machine.
"""

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

for setting in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_THREAD_LIMIT"):
    os.environ.setdefault(setting, "1")

from benchmarks import samples  # noqa: E402  (after the thread settings)
from truename.vision import runtime  # noqa: E402
from truename.vision.captures import Captures  # noqa: E402
from truename.vision.memory import keep_freed_memory  # noqa: E402

TODAY = date(2026, 11, 15)
PEERS_PYTHON = "TRUENAME_PEERS_PYTHON"
MOST_OVERHEAD = 1.25
MOST_MEMORY = 1.2e9

PEERS_SCRIPT = """
import json, sys, time, os
import numpy as np
from PIL import Image
import face_recognition
from passporteye import read_mrz
front, back, frames = sys.argv[1], sys.argv[2], sys.argv[3:]
def cost(what):
    before = os.times(); what(); after = os.times()
    return sum(after[:4]) - sum(before[:4])
def faces():
    for path in [front, *frames]:
        image = np.array(Image.open(path).convert("RGB"))
        face_recognition.face_encodings(image)
read_mrz(back)
print(json.dumps({"passporteye": cost(lambda: [read_mrz(front), read_mrz(back)]), "face_recognition": cost(faces)}))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help=f"PassportEye and face_recognition, in ${PEERS_PYTHON}")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    captures = samples.captures(samples.TWELVE_MEGAPIXELS)
    keep_freed_memory()  # as a worker does
    found: dict[str, Any] = measure(captures, given.repeats)
    show_cost(found)
    if given.peers:
        found["peers"] = _peers(captures)
        show_peers(found)
    found["peak_memory_bytes"] = _in_own_process(_memory, captures)
    show_memory(found)
    found["throughput"] = _throughput(captures)
    show_throughput(found)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


# ── the cost of one transaction ────────────────────────────────────────────────────────────────────────────


def measure(captures: Captures, repeats: int) -> dict[str, Any]:
    """The best of several runs, and in that run the time that was spent inside the models."""
    from truename.vision.examine import examine

    started = time.process_time()
    examine(captures, today=TODAY)
    first = time.process_time() - started
    best: dict[str, Any] = {"whole": float("inf")}
    for _ in range(repeats):
        with _timed_models() as inside:
            started = time.process_time()
            examine(captures, today=TODAY)
            whole = time.process_time() - started
        if whole < best["whole"]:
            best = {"whole": whole, "inside": dict(inside)}
    bare = sum(cost for cost, _ in best["inside"].values())
    return {**best, "first": first, "bare": bare, "ratio": best["whole"] / bare}


class _timed_models:
    """Count the CPU time spent inside every model while the block runs."""

    def __enter__(self) -> dict[str, tuple[float, int]]:
        self.spent: dict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
        self.kept: list[tuple[Any, str, Any]] = []
        names = {id(loaded): name.split(":")[0] for (name, _), loaded in runtime._loaded.items()}
        for kind in (runtime.OnnxModel, runtime.TfliteModel):
            self._wrap(kind, "run", lambda model: names.get(id(model), "other"))
        return self.spent

    def _wrap(self, kind: Any, method: str, name_of: Callable[[Any], str]) -> None:
        plain = getattr(kind, method)
        spent = self.spent

        def timed(model: Any, *arguments: Any, **named: Any) -> Any:
            started = time.process_time()
            try:
                return plain(model, *arguments, **named)
            finally:
                cost, calls = spent[name_of(model)]
                spent[name_of(model)] = (cost + time.process_time() - started, calls + 1)

        setattr(kind, method, timed)
        self.kept.append((kind, method, plain))

    def __exit__(self, *_: object) -> None:
        for kind, method, plain in self.kept:
            setattr(kind, method, plain)


# ── memory and throughput ──────────────────────────────────────────────────────────────────────────────────


def _memory(captures: Captures) -> int:
    from truename.vision.examine import examine

    for _ in range(3):
        examine(captures, today=TODAY)
    return _peak()


def _peak() -> int:
    """The most memory this process ever held, in bytes.

    Not ru_maxrss where it can be helped: that one is inherited from the parent, which drew the samples.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _in_own_process(work: Callable[[Captures], int], captures: Captures) -> int:
    with multiprocessing.get_context("spawn").Pool(1, keep_freed_memory) as pool:
        return pool.apply(work, (captures,))


def _repeat(captures: Captures, seconds: float) -> int:
    from truename.vision.examine import examine

    done, until = 0, time.monotonic() + seconds
    while done == 0 or time.monotonic() < until:
        examine(captures, today=TODAY)
        done += 1
    return done


def _throughput(captures: Captures, seconds: float = 20.0) -> dict[int, float]:
    """Transactions per second with 1, 2, … worker processes, up to the cores."""
    rates = {}
    for workers in range(1, (os.cpu_count() or 1) + 1):
        with multiprocessing.get_context("spawn").Pool(workers, keep_freed_memory) as pool:
            pool.starmap(_repeat, [(captures, 0.0)] * workers, chunksize=1)  # load and warm
            started = time.monotonic()
            done = sum(pool.starmap(_repeat, [(captures, seconds)] * workers, chunksize=1))
            rates[workers] = done / (time.monotonic() - started)
    return rates


# ── peers ──────────────────────────────────────────────────────────────────────────────────────────────────


def _peers(captures: Captures) -> dict[str, Any]:
    python = os.environ.get(PEERS_PYTHON, sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        samples.write(Path(folder), captures)
        frames = sorted(str(file) for file in (Path(folder) / "frames").iterdir())
        command = [python, "-c", PEERS_SCRIPT, f"{folder}/front.jpg", f"{folder}/back.jpg", *frames]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return {"missing": f"{python}: {run.stderr.strip().splitlines()[-1]}"}
    found: dict[str, Any] = json.loads(run.stdout.strip().splitlines()[-1])
    return found


def say(words: str) -> None:
    print(words, flush=True)


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def show_cost(found: dict[str, Any]) -> None:
    say(
        f"one transaction: {found['whole']:.2f} s CPU; inside its models {found['bare']:.2f} s; "
        f"first one in a process {found['first']:.2f} s"
    )
    for name, (cost, calls) in sorted(found["inside"].items(), key=lambda item: -item[1][0]):
        say(f"  {name:<20} {cost * 1000:7.0f} ms in {calls} calls")
    ratio = found["ratio"]
    say(f"whole / bare inference: {ratio:.2f} (at most {MOST_OVERHEAD}: {_verdict(ratio <= MOST_OVERHEAD)})")


def show_peers(found: dict[str, Any]) -> None:
    peers = found["peers"]
    if "missing" in peers:
        say(f"peers could not be run: {peers['missing']}")
        return
    total = peers["passporteye"] + peers["face_recognition"]
    say(
        f"PassportEye {peers['passporteye']:.2f} s + face_recognition {peers['face_recognition']:.2f} s: "
        f"ours is {found['whole'] / total:.2f} of it (less than 1: {_verdict(found['whole'] < total)})"
    )


def show_memory(found: dict[str, Any]) -> None:
    memory = found["peak_memory_bytes"]
    say(
        f"peak memory of a worker: {memory / 1e6:.0f} MB "
        f"(at most {MOST_MEMORY / 1e6:.0f}: {_verdict(memory <= MOST_MEMORY)})"
    )


def show_throughput(found: dict[str, Any]) -> None:
    rates = found["throughput"]
    for workers, rate in rates.items():
        say(f"{workers} workers: {rate:.2f} transactions/s ({rate / rates[1] / workers:.2f} of linear)")


if __name__ == "__main__":
    sys.exit(main())
