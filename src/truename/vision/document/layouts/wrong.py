"""The fault of a layout file; by itself, so that whoever only reports it need not load what reads layouts."""


class WrongLayout(Exception):
    """A layout file that cannot be used; each problem is a sentence."""

    def __init__(self, file: str, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(f"{file}: {problem}" for problem in problems))
        self.file = file
        self.problems = problems
