"""Draws every token of every script in every typeface once: the ink from which lines are set on the GPU.

    python -m training.letters.atlas build/letters_atlas.npz [FOLDER …]

Typefaces are Debian packages (see README.md). Of each family up to two upright styles are taken; one family in nine is
never learnt from, but measured on.
"""

import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from training.letters.alphabets import SCRIPTS, letters_of
from training.letters.texts import tokens_of

HEIGHT: Final = 80
BASELINE: Final = 53
CAPITAL: Final = 26
"""Rows of a token, where the baseline lies, and how tall a capital stands."""
TALL: Final = {
    "georgian": "ბ",
    "hebrew": "א",
    "thai": "ก",
    "armenian": "Հ",
    "greek": "Η",
    "cyrillic": "Н",
    "latin": "H",
}
STYLES: Final = ("Regular", "Book", "Roman", "Medium", "SemiBold", "Demi", "Bold", "Condensed", "Condensed Bold")
MOST_STYLES: Final = 2
LEFT_OUT: Final = (
    "Symbol",
    "Math",
    "Emoji",
    "Music",
    "Dingbat",
    "Unifont",
    "Purisa",
    "Script",
    "Ornament",
    "Braille",
    "Looped Thai UI",
)
LEAST: Final = {"latin": 0.55, "cyrillic": 0.85}
ELSE: Final = 0.95
"""The share of a script's letters that a typeface must have to be used for it; many lack those of Vietnamese."""
MOST_OF_A_SCRIPT: Final = 130


def main(target: Path, folders: list[str]) -> None:
    """Writes `columns` (all ink, column by column), and for each script where each token of each typeface stands."""
    columns, at = [np.zeros((1, HEIGHT), np.uint8)], 1
    written: dict[str, np.ndarray] = {}
    for script in SCRIPTS:
        tokens = tokens_of(script)
        starts, widths, held_out = [], [], []
        names: list[str] = []
        for path, family in typefaces(folders):
            cells = _drawn(path, tokens, script)
            if cells is None or len(names) == MOST_OF_A_SCRIPT:
                continue
            wide = np.array([len(cell) for cell in cells], np.int32)
            starts.append(at + np.cumsum(wide) - wide)
            widths.append(wide)
            columns += cells
            at += int(wide.sum())
            names.append(path.stem)
            held_out.append(is_held_out(family))
        written |= {
            f"{script}_starts": np.stack(starts).astype(np.int32),
            f"{script}_widths": np.stack(widths),
            f"{script}_held_out": np.array(held_out),
        }
        print(f"{script}: {len(names)} typefaces, {sum(held_out)} of them held out, {len(tokens)} tokens", flush=True)
        print("  " + " ".join(names), flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    written["columns"] = np.concatenate(columns) & 0xF0
    np.savez_compressed(target, allow_pickle=False, **written)


def is_held_out(family: str) -> bool:
    """Is this family one that nothing is learnt from?"""
    return zlib.crc32(family.split(" ")[0].encode()) % 9 == 0 and not family.startswith("Noto")


def typefaces(folders: list[str]) -> list[tuple[Path, str]]:
    """The files of the chosen typefaces, with their families, in an order that has nothing to do with their names."""
    taken: Counter[str] = Counter()
    chosen = []
    files = sorted(path for folder in folders for path in Path(folder).rglob("*") if path.suffix in (".ttf", ".otf"))
    for path in sorted(files, key=lambda path: zlib.crc32(path.name.encode())):
        try:
            family, style = ImageFont.truetype(str(path), 20).getname()
        except OSError:
            continue
        family, style = str(family), str(style)
        if style not in STYLES or any(word in family for word in LEFT_OUT) or taken[family] == MOST_STYLES:
            continue
        taken[family] += 1
        chosen.append((path, family))
    return chosen


def _drawn(path: Path, tokens: list[str], script: str) -> list[np.ndarray] | None:
    """Each token's ink as columns; an empty one where the typeface lacks it, None where it lacks many."""
    trial, tall = ImageFont.truetype(str(path), 100), TALL[script]
    missing = _mask(trial, "\U0010fffe")
    if _mask(trial, tall) == missing or not trial.getbbox(tall, anchor="ls")[1]:
        return None
    letters = {letter for token in tokens for letter in token if not _is_upon(letter)}
    lacking = {letter for letter in letters if _mask(trial, letter) == missing}
    own = letters & set(letters_of(script))
    if len(lacking & own) > (1 - LEAST.get(script, ELSE)) * len(own):
        return None
    font = ImageFont.truetype(str(path), 100 * CAPITAL / -trial.getbbox(tall, anchor="ls")[1])
    return [np.zeros((0, HEIGHT), np.uint8) if lacking & set(token) else _cell(font, token) for token in tokens]


def _is_upon(letter: str) -> bool:
    return "\u0e31" <= letter <= "\u0e4e" and letter not in "าำเแโใไะ\u0e3f\u0e46"


def lacks(path: Path, text: str) -> bool:
    """Is there a letter in the text that the typeface does not have?"""
    font = ImageFont.truetype(str(path), 40)
    missing = _mask(font, "\U0010fffe")
    return any(_mask(font, letter) == missing for letter in text)


def _mask(font: ImageFont.FreeTypeFont, text: str) -> bytes:
    mask = font.getmask(text)
    return bytes(mask) + str(mask.size).encode()


def _cell(font: ImageFont.FreeTypeFont, token: str) -> np.ndarray:
    left, _, right, _ = font.getbbox(token, anchor="ls")
    before = max(0, -int(np.floor(left)))
    width = before + int(np.ceil(max(font.getlength(token), right)))
    cell = Image.new("L", (max(width, 1), HEIGHT), 0)
    ImageDraw.Draw(cell).text((before, BASELINE), token, fill=255, font=font, anchor="ls")
    return np.ascontiguousarray(np.asarray(cell).T)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["/usr/share/fonts"])
