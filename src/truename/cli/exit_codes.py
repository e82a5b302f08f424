"""How a command ends: one table for all of them; docs/reference/exit-codes.md is made from here."""

import errno
import sys
from enum import IntEnum
from pathlib import Path
from typing import Final

import typer

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a system says that takes no more bytes: not our defect, and no wrong call."""


NOT_TO_BE_USED: Final = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
)
"""What a system says of a name that it does not let us use: somebody chose it, or the rights to it."""


class ExitCode(IntEnum):
    """The exit status of `truename`."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> "ExitCode":
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    OK = 0, "Done; where the command answers a question, the answer is yes."
    NEGATIVE = (
        1,
        "Done, and the answer is no: `examine` rejects, `replay` differs, `doctor` found something wrong, "
        "`audit verify` found an alteration, `receipt verify` a receipt that does not "
        "hold, `keys status` something under an earlier key; `backup` missed a picture in the store, "
        "`simulate` was left with a transaction that was not decided.",
    )
    USAGE = (
        2,
        "The call is wrong: an unknown option, a value that cannot be, a file that is missing or cannot be read, "
        "an account or transaction that does not exist.",
    )
    CONFIGURATION = (
        3,
        "The installation is wrong: a setting, the master key, a weight or page asset, a data folder that is not "
        "there, a database that needs `truename migrate`, is newer than this Truename, or is unfit for it.",
    )
    NOT_REACHABLE = (
        4,
        "Something does not answer or cannot be had: the database, the store of objects, the port, room for the "
        "output.",
    )
    DEFECT = 70, "A defect of Truename itself, with a traceback: please report it."
    INTERRUPTED = 130, "Stopped by Ctrl-C; `backup`, `restore` and `database` also by SIGTERM."
    OUTPUT_CLOSED = 141, "Nobody reads the output any more, as behind `| head`."


def complain(*sentences: str, code: ExitCode = ExitCode.USAGE) -> typer.Exit:
    """Say what is wrong, on stderr; the caller raises what this returns. Without a code, the call was wrong."""
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return typer.Exit(code)


def not_written(path: Path | str, fault: OSError) -> typer.Exit:
    """Say that a file cannot be written, as `complain` does: a full disk is not the caller's mistake."""
    code = ExitCode.NOT_REACHABLE if fault.errno in NO_ROOM else ExitCode.USAGE
    return complain(f"{path} cannot be written: {fault.strerror or fault}.", code=code)
