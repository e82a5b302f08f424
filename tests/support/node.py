"""Node, for the parts of the capture page that need no browser."""

import functools
import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 60

RUNNER = """
const { createInterface } = require('node:readline');
const { Worker } = require('node:worker_threads');
const run = (code) => new Promise((done) => {
  const told = {};
  new Worker(code, { eval: true, stdout: true, stderr: true })
    .on('message', (value) => { told.value = value; })
    .on('error', (error) => { told.error = String(error?.stack ?? error); })
    .on('exit', (status) => { done({ status, ...told }); });
});
(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await run(JSON.parse(line))));
  }
})();
"""
"""Runs each line in a thread with modules and globals of its own: that takes a fraction of what Node's start does."""


def _program() -> str:
    """The machine's own, or the one that `make install` put beside Python."""
    beside = Path(sys.prefix) / "bin"
    found = shutil.which("node", path=f"{os.environ.get('PATH', '')}{os.pathsep}{beside}")
    if found is None:
        raise RuntimeError("Node is missing: `make install` brings one.")
    return found


def node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Node to its end."""
    return subprocess.run([_program(), *arguments], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)


@functools.cache
def _runner() -> subprocess.Popen[str]:
    """The process of these tests; it ends when they do, because nobody writes to it any more."""
    return subprocess.Popen(
        [_program(), "-e", RUNNER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


def run(body: str, given: Any = None) -> Any:
    """The value that a function's body returns, with `load` for the page's modules and `given` as its argument."""
    static = (ROOT / "src" / "truename" / "capture_page" / "static").as_uri()
    code = (
        "'use strict';\n"
        f"const load = (name) => import(`{static}/${{name}}`);\n"
        f"(async (given) => {{ {body} }})({json.dumps(given)}).then((told) =>\n"
        "  require('node:worker_threads').parentPort.postMessage(told ?? null));"
    )
    runner = _runner()
    assert runner.stdin is not None
    assert runner.stdout is not None
    runner.stdin.write(json.dumps(code) + "\n")
    if not select.select([runner.stdout], [], [], SECONDS)[0]:
        runner.kill()  # what it says later would be taken for the answer to the next one
        _runner.cache_clear()
        raise TimeoutError(f"Node said nothing for {SECONDS} s.")
    told = json.loads(runner.stdout.readline())
    assert told.keys() == {"status", "value"}, told  # also where it has waited for something that never came
    assert told["status"] == 0, told
    return told["value"]
