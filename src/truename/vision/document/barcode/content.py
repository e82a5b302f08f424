"""The content of a code, part by part: character sets that it declares, and symbols that continue one another."""

import re
from collections.abc import Sequence
from typing import Final

CHARSETS: Final = {
    0: "cp437", 1: "latin-1", 2: "cp437", 3: "latin-1", 20: "shift_jis", 21: "cp1250", 22: "cp1251", 23: "cp1252",
    24: "cp1256", 25: "utf-16-be", 26: "utf-8", 27: "ascii", 28: "big5", 29: "gb18030", 30: "euc_kr",
} | {part + 2: f"iso8859-{part}" for part in range(2, 17) if part != 12}  # fmt: skip
"""Character sets by their number in the ECI register (AIM ITS/04-023)."""
DEFAULT: Final = 3


def join(parts: Sequence[str]) -> bytes:
    """Bytes of symbols given in the hexadecimal ECI protocol (`]L1\\000029…`), in the order they continue each other.

    Without declared character sets these are the very bytes that were printed; declared ones come out as UTF-8.
    """
    charset = DEFAULT
    declared = False
    pieces: list[tuple[int, bytes]] = []
    for index, part in enumerate(parts):
        raw = bytes.fromhex(part)
        protocol, content = raw[:3], raw[3:]
        if protocol not in (b"]L1", b"]Q2", b"]Q4", b"]Q6"):
            pieces.append((charset, content))
            continue
        segments = re.split(rb"(?<!\\)\\(\d{6})", content)
        for number, text in zip(segments[1::2], segments[2::2], strict=True):
            # A later symbol restates the default at its start, though the set of the one before goes on.
            restated = index > 0 and int(number) == DEFAULT and content.startswith(b"\\" + number)
            if not restated or charset == DEFAULT:
                charset = int(number)
                declared |= charset != DEFAULT
            pieces.append((charset, text.replace(b"\\\\", b"\\")))
    if not declared:
        return b"".join(text for _, text in pieces)
    return b"".join(text.decode(CHARSETS.get(number, "latin-1"), "replace").encode() for number, text in pieces)
