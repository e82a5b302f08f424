"""Sample captures that the project makes itself: an invented identity card, photographed, and a head that turns.

python -m benchmarks.samples FOLDER    # writes front.jpg, back.jpg, frames/, reference.jpg
truename examine --document-front FOLDER/front.jpg --document-back FOLDER/back.jpg --frames FOLDER/frames
"""

import argparse
from pathlib import Path

import numpy as np
from tests.support.documents import id_card
from tests.support.faces import CHALLENGE, turning_head_frames
from tests.support.photography import photograph

from truename.vision.captures import Captures, Frame
from truename.vision.images import encode_jpeg

TWELVE_MEGAPIXELS = (4000, 3000)


def captures(size: tuple[int, int] = (2000, 1500), frames: int = 10) -> Captures:
    """A whole DOCUMENT_AND_BIOMETRIC transaction of somebody who does not exist (the face is NASA's astronaut)."""
    card = id_card(country="ES", seed=7)
    assert card.back is not None
    front, _ = photograph(card.front, seed=3, rotation=4, perspective=0.25, background="wood", size=size)
    back, _ = photograph(card.back, seed=5, rotation=-3, perspective=0.2, background="wood", size=size)
    return Captures(
        document_front=encode_jpeg(front),
        document_back=encode_jpeg(back),
        frames=_spread(turning_head_frames(fps=6), frames),
        challenge=CHALLENGE,
    )


def _spread(frames: list[Frame], number: int) -> tuple[Frame, ...]:
    """So many frames, evenly over the whole challenge."""
    return tuple(frames[round(at)] for at in np.linspace(0, len(frames) - 1, number))


def write(folder: Path, made: Captures) -> None:
    """Write the captures as the files that `truename examine` reads."""
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    for name, data in (("front.jpg", made.document_front), ("back.jpg", made.document_back)):
        if data is not None:
            (folder / name).write_bytes(data)
    for number, frame in enumerate(made.frames):
        (folder / "frames" / f"{number:02}_{frame.step.value}_{frame.at_ms}.jpg").write_bytes(frame.image)
    (folder / "reference.jpg").write_bytes(made.frames[0].image)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    write(given.folder, captures())
    print(f"Written to {given.folder}. Now try:")
    print(
        f"  truename examine --document-front {given.folder}/front.jpg --document-back {given.folder}/back.jpg "
        f"--frames {given.folder}/frames --picture {given.folder}/found.png"
    )
