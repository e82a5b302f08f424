"""Packs the few photographs that the recipe may use into one file: squares, sharp and free of noise, as JPEG bytes.

    python -m training.recapture.photographs FOLDER build/recapture/photographs.npz

FOLDER holds the unpacked Debian packages `libjxl-testdata` and `lomiri-wallpapers-16.04`; scikit-image brings the rest.
Each file is named here with its licence: nothing else is read. No face but the astronaut's (NASA, public domain) is
among them.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import skimage.data

SIDE = 512
SQUARES = 14
"""Squares cut of each photograph, at random places and scales."""

SKIMAGE = ("astronaut", "coffee", "chelsea", "rocket", "brick", "grass", "gravel")
"""scikit-image: astronaut and rocket NASA, public domain; the others CC0."""
WALLPAPERS = (
    "aitzgorri_by_Aitzol_Berasategi",
    "friends_by_Aitzol_Berasategi",
    "life_by_Aitzol_Berasategi",
    "picosdeeuropa_by_Aitzol_Berasategi",
    "Picture_0B_by_freespace",
    "Picture_1A_by_freespace",
    "seeding_by_Clements_Engelhardt",
    "sunset_by_Aitzol_Berasategi",
    "umang_by_Abhishek_Mudgal",
    "Wine_by_Jakkub_Mede",
)
"""lomiri-wallpapers: CC BY 4.0, `seeding` CC0; those under share-alike terms are left out."""
RAW_PIXLS = ("DJI-FC6310-16bit_srgb8_v4_krita", "Google-Pixel2XL-16bit_srgb8_v4_krita", "HUAWEI-EVA-L09-16bit_srgb8_dt")
RAW_PIXLS_MORE = ("Nikon-D300-12bit_srgb8_dt", "Sony-DSC-RX1RM2-14bit_srgb8_v4_krita")
WESATURATE = ("tmshre_riaphotographs_srgb8", "cvo9xd_keong_macan_srgb8", "u76c0g_bliznaca_srgb8")
"""libjxl-testdata, from raw.pixls.us and wesaturate.com: CC0."""


def photographs(folder: Path) -> Iterator[np.ndarray]:
    """The photographs, as BGR."""
    for name in SKIMAGE:
        picture = getattr(skimage.data, name)()
        yield cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR if picture.ndim == 2 else cv2.COLOR_RGB2BGR)
    wanted = [f"{name}.jpg" for name in WALLPAPERS]
    wanted += [f"raw.pixls/{name}.png" for name in RAW_PIXLS + RAW_PIXLS_MORE]
    wanted += [f"500px/{name}.png" for name in WESATURATE]
    for name in wanted:
        found = next(folder.rglob(name), None)
        if found is None:
            raise SystemExit(f"{name} is not under {folder}: unpack libjxl-testdata and lomiri-wallpapers-16.04 there.")
        read = cv2.imread(str(found), cv2.IMREAD_COLOR)
        if read is None:
            raise SystemExit(f"{found} is no picture.")
        yield read


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    random = np.random.default_rng(20261116)
    packed = []
    for picture in photographs(args.folder):
        height, width = picture.shape[:2]
        for _ in range(SQUARES):
            # Half the sensor's resolution or less, where the photograph has so much: no noise and no JPEG blocks left.
            widest = min(height, width)
            side = int(random.uniform(min(widest, 2 * SIDE) * 0.75, widest))
            top, left = random.integers(0, height - side + 1), random.integers(0, width - side + 1)
            cut = picture[top : top + side, left : left + side]
            how = cv2.INTER_AREA if side > SIDE else cv2.INTER_CUBIC
            square = cv2.resize(cut, (SIDE, SIDE), interpolation=how)
            packed.append(cv2.imencode(".jpg", square, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].ravel())
    lengths = np.array([len(one) for one in packed])
    args.target.parent.mkdir(parents=True, exist_ok=True)
    np.savez(args.target, pixels=np.concatenate(packed), lengths=lengths)
    print(f"{len(packed)} squares, {lengths.sum():,} bytes")


if __name__ == "__main__":
    main()
