"""Sample captures that the project makes itself: an invented identity card, photographed, and a head that turns.

python -m benchmarks.samples FOLDER                          # writes front.jpg, back.jpg, frames/, reference.jpg
python -m benchmarks.samples FOLDER --documents              # front.jpg and back.jpg only
python -m benchmarks.samples FOLDER --steps LOOK_STRAIGHT AIM_FAR_LEFT AIM_FAR_UP_RIGHT MOVE_AWAY_A_LOT
python -m benchmarks.samples FOLDER --challenge "$CHALLENGE"   # frames/ and liveness.json, as the service asked for
python -m benchmarks.samples FOLDER --challenge "$CHALLENGE" --steps LOOK_STRAIGHT TURN_LEFT  # of other steps
truename examine --document-front FOLDER/front.jpg --document-back FOLDER/back.jpg --frames FOLDER/frames
"""

import argparse
import base64
import json
import secrets
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tests.support.faces import CHALLENGE, turning_head_frames

from truename.sandbox.drawing.documents import id_card
from truename.sandbox.drawing.heads import head_recording
from truename.sandbox.drawing.photography import photograph
from truename.vision.captures import Captures, Frame, Step
from truename.vision.images import encode_jpeg

TWELVE_MEGAPIXELS = (4000, 3000)


def captures(
    size: tuple[int, int] = (2000, 1500), steps: Sequence[Step] = CHALLENGE, take: int | None = None
) -> Captures:
    """A whole DOCUMENT_AND_BIOMETRIC transaction of somebody who does not exist (the face is NASA's astronaut).

    The head follows any challenge. `take` numbers the recording: the same number draws the same frames, another draws
    others of the same person, who sits a little nearer or farther and moves a little differently.
    """
    front, back = documents(size)
    frames = tuple(head_recording(steps, take or 0, _share(take)))
    return Captures(document_front=front, document_back=back, frames=frames, challenge=tuple(steps))


def documents(size: tuple[int, int] = (2000, 1500)) -> tuple[bytes, bytes]:
    """Photographs of both sides of an invented card."""
    card = id_card(country="ES", seed=7)
    assert card.back is not None
    front, _ = photograph(card.front, seed=3, rotation=4, perspective=0.25, background="wood", size=size)
    back, _ = photograph(card.back, seed=5, rotation=-3, perspective=0.2, background="wood", size=size)
    return encode_jpeg(front), encode_jpeg(back)


def head_frames(steps: Sequence[Step], take: int | None = None) -> list[Frame]:
    """A whole film of a head that follows the steps."""
    return turning_head_frames(steps=steps, fps=4, seed=take or 0, share=_share(take))


def _share(take: int | None) -> float:
    """How much of the picture's width the face takes."""
    return 0.38 if take is None else float(np.random.default_rng(take).uniform(0.33, 0.41))


def write(folder: Path, made: Captures) -> None:
    """Write the captures, as far as they were made, as the files that `truename examine` reads."""
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    for name, data in (("front.jpg", made.document_front), ("back.jpg", made.document_back)):
        if data is not None:
            (folder / name).write_bytes(data)
    if not made.frames:
        return
    for old in (folder / "frames").glob("*.jpg"):
        old.unlink()
    for number, frame in enumerate(made.frames):
        (folder / "frames" / f"{number:02}_{frame.step.value}_{frame.at_ms}.jpg").write_bytes(frame.image)
    (folder / "reference.jpg").write_bytes(made.frames[0].image)


def liveness_body(nonce: str, frames: Sequence[Frame]) -> str:
    """The body of `POST /api/sdk/liveness`."""
    sent = [
        {"step": frame.step.value, "at_ms": frame.at_ms, "image": base64.b64encode(frame.image).decode()}
        for frame in frames
    ]
    return json.dumps({"nonce": nonce, "frames": sent})


def main() -> None:
    began = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=Step, nargs="+", metavar="STEP", help=", ".join(Step))
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--challenge", type=json.loads, metavar="JSON", help="a challenge as the service answered it")
    asked.add_argument("--documents", action="store_true", help="draw the card only")
    parser.add_argument("--take", type=int, help="number of the recording; a fresh one each time unless given")
    given = parser.parse_args()
    take = secrets.randbelow(2**31) if given.take is None else given.take
    if given.challenge:
        steps = tuple(given.steps or (Step(step) for step in given.challenge["steps"]))
        made = Captures(frames=tuple(head_recording(steps, take, _share(take))), challenge=steps)
        write(given.folder, made)
        (given.folder / "liveness.json").write_text(liveness_body(given.challenge["nonce"], made.frames))
        # A recording cannot be sent before it was made: the service knows when it gave the challenge.
        time.sleep(max(0.0, made.frames[-1].at_ms / 1000 - (time.monotonic() - began)))
        print(f"Written to {given.folder}. Send {given.folder}/liveness.json to POST /api/sdk/liveness.")
        return
    if given.documents:
        front, back = documents()
        write(given.folder, Captures(document_front=front, document_back=back))
        print(f"Written to {given.folder}: front.jpg and back.jpg.")
        return
    write(given.folder, captures(steps=given.steps or CHALLENGE, take=take))
    print(f"Written to {given.folder}. Now try:")
    print(
        f"  truename examine --document-front {given.folder}/front.jpg --document-back {given.folder}/back.jpg "
        f"--frames {given.folder}/frames --picture {given.folder}/found.png"
    )


if __name__ == "__main__":
    main()
