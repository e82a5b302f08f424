"""Which browser on which system a User-Agent header names, in a few words; never the header itself."""

import re
from typing import Final

BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Version", "Safari"),
)
"""In the order in which they are looked for: Edge and Opera also call themselves Chrome."""
SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_words(header: str) -> str:
    """Such as "Firefox 141 on Linux"; "an unknown browser" for everything else."""
    for mark, name in BROWSERS:
        if found := re.search(rf"\b{mark}/(\d{{1,4}})", header[:500]):
            system = next((called for mark, called in SYSTEMS if mark in header[:500]), "")
            return f"{name} {found[1]}" + (f" on {system}" if system else "")
    return "an unknown browser"
