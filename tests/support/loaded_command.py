"""`truename` that is there at once: what is typed takes a tenth of a start (tests/support/forks.py).

The command in the folder hands its arguments, place, environment and open files to the process that forks, and ends as
its fork does.
"""

import sys
from pathlib import Path

from tests.support.forks import SIZE, forks

COMMAND = """#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    order = dict(module="truename.cli", arguments=sys.argv[1:], environment=dict(os.environ), folder=os.getcwd())
    sent = json.dumps(order).encode()
    socket.send_fds(asked, [len(sent).to_bytes({size}, "big")], [0, 1, 2])
    asked.sendall(sent)
    told = asked.makefile().read().split()
sys.exit(int(told[1]) if len(told) == 2 and int(told[1]) >= 0 else "truename died")
"""


def loaded_command(folder: Path) -> None:
    """Put it into a folder, which is to be first in PATH."""
    command = folder / "truename"
    command.write_text(COMMAND.format(python=sys.executable, address=str(forks().address), size=SIZE), "utf-8")
    command.chmod(0o755)
