"""What is raised for an operator's file; apart, for every command knows it and few load the libraries."""

from pathlib import Path


class OriginFileUnusable(Exception):
    """A file of addresses or networks that the operator named cannot be used; the sentence says which and why."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"The file of networks {file} cannot be used: {why}.")
