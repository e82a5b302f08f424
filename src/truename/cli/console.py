"""Where tables are printed."""

import rich.console


class Console(rich.console.Console):
    """The library's console, which ends the process itself, with code 1, when nobody reads its output any more."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command to end, as it does for every other output."""
        raise BrokenPipeError
