"""Pictures that cost far more than they weigh. Drawn here, sent only to loopback."""

import io
import struct
import zlib
from functools import cache
from typing import Final

import numpy as np
from PIL import Image

SCAN: Final = b"\xff\xda"
MEGABYTE: Final = 1024 * 1024


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


@cache
def scan_bomb(scans: int, width: int = 8000, height: int = 5000) -> bytes:
    """A grey progressive JPEG whose last scan, of a few dozen bytes, is repeated: each is a walk over every pixel."""
    jpeg = saved(Image.new("L", (width, height)), "JPEG", progressive=True)
    last = jpeg.rindex(SCAN)
    return jpeg[:last] + jpeg[last:-2] * scans + b"\xff\xd9"


@cache
def wide_png(width: int = 8000, height: int = 5000, mode: str = "RGBA") -> bytes:
    """As many pixels as are allowed, of one colour: some 150 kB that unfold to 160 MB."""
    return saved(Image.new(mode, (width, height)), "PNG")


def packed_zeros(megabytes: int) -> bytes:
    """So many megabytes of zeros as zlib packs them: one is packed, and stands there so many times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    one = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    # Zeros leave the lower half of an Adler-32 at one, and each of them adds that to the upper half.
    checksum = (megabytes * MEGABYTE % 65521) << 16 | 1
    return b"\x78\xda" + one * megabytes + b"\x03\x00" + checksum.to_bytes(4, "big")


@cache
def unfolding_png(kind: bytes, prefix: bytes, megabytes: int = 100, times: int = 1) -> bytes:
    """A small PNG with a text or a colour profile, or several, each of which unfolds to many megabytes."""
    png = saved(Image.new("RGB", (16, 16)), "PNG")
    body = prefix + packed_zeros(megabytes)
    chunk = struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))
    return png[:33] + chunk * times + png[33:]


def ribbon(width: int, height: int, kind: str = "PNG") -> bytes:
    """One pixel wide."""
    return saved(Image.new("RGB", (width, height)), kind)


@cache
def photo(width: int = 1600, height: int = 1200, seed: int = 1) -> bytes:
    """An honest JPEG: soft shapes with a little noise."""
    chance = np.random.default_rng(seed)
    coarse = Image.fromarray(chance.integers(0, 255, (12, 16, 3), dtype=np.uint8))
    return saved(coarse.resize((width, height), Image.Resampling.BICUBIC), "JPEG", quality=88)
