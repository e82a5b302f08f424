"""What deploy/Containerfile says of the image."""

import shlex

from tests.support.installed import ROOT

CONTAINERFILE = ROOT / "deploy" / "Containerfile"


def instructions(word: str) -> list[str]:
    """What follows an instruction, each time it stands in the last stage."""
    text = CONTAINERFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    last = text[text.rindex("\nFROM") :]
    return [line.partition(" ")[2].strip() for line in last.splitlines() if line.startswith(f"{word} ")]


def environment_of_image() -> dict[str, str]:
    """The variables that the image sets."""
    return dict(part.split("=", 1) for line in instructions("ENV") for part in shlex.split(line))
