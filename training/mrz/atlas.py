"""Draws every character of the MRZ alphabet in every font once: the ink from which lines are set on the GPU.

Fonts are Debian packages (see README.md); the folder or folders that hold them are searched by file name.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"
PITCH, HEIGHT, BASELINE = 40, 72, 54
"""Cell of one character: width (its advance), height, and where the baseline lies."""

OCR_B = ("OCRB.otf", "OCRBS.otf", "OCRBL.otf")
OTHERS = [
    "LiberationMono-Regular.ttf",
    "LiberationMono-Bold.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf",
    "Inconsolata.otf",
    "FreeMonoBold.ttf",
    "FreeMono.ttf",
    "Hack-Regular.ttf",
    "NotoSansMono-Regular.ttf",
    "Cousine-Regular.ttf",
    "Cousine-Bold.ttf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Medium.ttf",
]
SPACED = ("Courier Prime.otf", "Courier Prime Sans.otf", "Anonymous Pro.ttf", "LiberationSansNarrow-Regular.ttf")
SEARCHED = ["/usr/share/fonts", "/usr/local/share/fonts"]


def main(target: Path) -> None:
    """Writes `glyphs` (font × character × height × pitch, 255 is ink) and which fonts are OCR-B."""
    tiles, names = [], []
    for name in (*OCR_B, *OTHERS, *SPACED):
        path = _find(name)
        if path is None:
            print(f"font not found, left out: {name}", file=sys.stderr)
            continue
        names.append(name)
        tiles.append(_draw(path))
    if not any(name in OCR_B for name in names):
        raise SystemExit("the OCR-B font is missing: install Debian's fonts-ocr-b")
    target.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(target, glyphs=np.stack(tiles), is_ocr_b=np.array([name in OCR_B for name in names]))
    print(f"{len(names)} fonts, {len(ALPHABET)} characters -> {target}")


def _find(name: str) -> Path | None:
    return next((path for folder in SEARCHED for path in sorted(Path(folder).rglob(name))), None)


def _draw(path: Path) -> np.ndarray:
    """Every character centred in its cell, at the size where the font's advance is the pitch."""
    trial = ImageFont.truetype(str(path), 100)
    size = 100 * PITCH / max(trial.getlength("M"), trial.getlength("0"))
    size = min(size, 100 * 46 / -trial.getbbox("H", anchor="ls")[1])
    font = ImageFont.truetype(str(path), size)
    cells = []
    for character in ALPHABET:
        cell = Image.new("L", (PITCH, HEIGHT), 0)
        ImageDraw.Draw(cell).text((PITCH / 2, BASELINE), character, fill=255, font=font, anchor="ms")
        cells.append(np.asarray(cell))
    return np.stack(cells)


if __name__ == "__main__":
    SEARCHED += sys.argv[2:]
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/mrz_atlas.npz"))
