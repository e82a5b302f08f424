"""`truename` out of a process that has loaded it once, and forks: what is typed then takes a tenth of a start.

The command in the folder hands its arguments, place, environment and open files to that process, and ends as its fork
does. `python -m tests.support.loaded_command SOCKET` is the process.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.served import environment_of
from tests.support.waiting import within

COMMAND = """#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    order = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(asked, [len(order).to_bytes(4, "big")], [0, 1, 2])
    asked.sendall(order)
    status = asked.recv(1)
sys.exit(status[0] if status else "truename died")
"""


@contextlib.contextmanager
def loaded_command(folder: Path) -> Iterator[Path]:
    """A folder, to be first in PATH, whose `truename` is there at once."""
    address, command = folder / "socket", folder / "truename"
    command.write_text(COMMAND.format(python=sys.executable, address=str(address)), "utf-8")
    command.chmod(0o755)
    process = subprocess.Popen([sys.executable, "-m", __name__, address], env=environment_of(folder / "nowhere"))
    try:
        within(60, address.exists)
        yield folder
    finally:
        process.terminate()
        process.wait(10)


def main(address: str) -> None:
    """Fork for each caller, until ended."""
    from importlib import import_module

    from truename.cli import COMMANDS, app

    for module in {module for module, _ in COMMANDS.values()} - {"mcp"}:  # which takes as long as all others
        import_module(f"truename.cli.{module}")  # to be there in every fork
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"{address}.new")
        door.listen()
        Path(f"{address}.new").rename(address)
        while True:
            caller, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _live(caller, app)
            caller.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _live(caller: socket.socket, app: Callable[..., object]) -> None:
    """In the fork: be the command, and tell how it ended."""
    status = 70
    try:
        size, files, _, _ = socket.recv_fds(caller, 4, 3)
        with caller.makefile("rb") as sent:
            arguments, place, environment = json.loads(sent.read(int.from_bytes(size, "big")))
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.chdir(place)
        os.environ.clear()
        os.environ.update(environment)
        app(arguments, prog_name="truename")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        caller.sendall(bytes([status]))
        os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1])
