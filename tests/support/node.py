"""Node, for the parts of the capture page that need no browser."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def node(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run Node to its end: the machine's own, or the one that `make install` put beside Python."""
    beside = Path(sys.prefix) / "bin"
    found = shutil.which("node", path=f"{os.environ.get('PATH', '')}{os.pathsep}{beside}")
    if found is None:
        raise RuntimeError("Node is missing: `make install` brings one.")
    return subprocess.run([found, *arguments], cwd=ROOT, input=text, capture_output=True, text=True, timeout=60)


def run(body: str, given: Any = None) -> Any:
    """The value that a function's body returns, with `load` for the page's modules and `given` as its argument."""
    static = (ROOT / "src" / "truename" / "capture_page" / "static").as_uri()
    code = (
        f"const load = (name) => import(`{static}/${{name}}`);\n"
        f"const told = await (async (given) => {{ {body} }})({json.dumps(given)});\n"
        "console.log(JSON.stringify(told ?? null));"
    )
    ran = node("--input-type=module", "-", text=code)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
