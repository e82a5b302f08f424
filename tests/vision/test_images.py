"""Strangers' pictures are decoded safely or refused with a reason, and nothing else ever happens."""

import io
import struct
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.support import bombs
from truename.vision.decoding.header import MAX_PIXELS, ImageRefused, inspect
from truename.vision.decoding.jpeg import structure_of
from truename.vision.decoding.pixels import decode
from truename.vision.decoding.png import without_side_chunks
from truename.vision.images import clean, encode_jpeg, encode_jpeg_in_place, fitted, halve, shrink

WIDTH, HEIGHT = 48, 32


def a_picture() -> np.ndarray:
    """Red at the top left, green at the top right, blue below: its orientation can be told."""
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    picture[: HEIGHT // 2, : WIDTH // 2] = (220, 30, 30)
    picture[: HEIGHT // 2, WIDTH // 2 :] = (30, 220, 30)
    picture[HEIGHT // 2 :] = (30, 30, 220)
    return picture


def encoded(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def a_jpeg(**options: object) -> bytes:
    return encoded(Image.fromarray(a_picture()), "JPEG", quality=95, subsampling=0, **options)


def a_png(**options: object) -> bytes:
    return encoded(Image.fromarray(a_picture()), "PNG", **options)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body), kind) + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of_size(width: int, height: int, depth: int = 8, colour: int = 0) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def jpeg_of_size(width: int, height: int) -> bytes:
    jpeg = bytearray(a_jpeg())
    frame = jpeg.index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    return bytes(jpeg)


def with_chunk(png: bytes, kind: bytes, body: bytes) -> bytes:
    return png[:33] + chunk(kind, body) + png[33:]


def refusal(data: bytes) -> str:
    with pytest.raises(ImageRefused) as caught:
        decode(data)
    assert caught.value.sentence.endswith(".")
    return caught.value.reason_code


# ── what is accepted ───────────────────────────────────────────────────────────────────────────────────────


def test_the_header_tells_format_and_size_before_anything_is_decoded():
    assert inspect(a_jpeg()) == inspect(a_jpeg())
    assert (inspect(a_jpeg()).format, inspect(a_jpeg()).width, inspect(a_jpeg()).height) == ("JPEG", WIDTH, HEIGHT)
    assert (inspect(a_png()).format, inspect(a_png()).width, inspect(a_png()).height) == ("PNG", WIDTH, HEIGHT)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_exif_orientation_is_applied_exactly_once(orientation: int, kind: str):
    upright = Image.fromarray(a_picture())
    stored = {
        2: [Image.Transpose.FLIP_LEFT_RIGHT],
        3: [Image.Transpose.ROTATE_180],
        4: [Image.Transpose.FLIP_TOP_BOTTOM],
        5: [Image.Transpose.TRANSPOSE],
        6: [Image.Transpose.ROTATE_90],
        7: [Image.Transpose.TRANSVERSE],
        8: [Image.Transpose.ROTATE_270],
    }.get(orientation, [])
    for turn in stored:
        upright = upright.transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(upright, kind, exif=exif)
    assert np.abs(decode(data).astype(int) - a_picture()).mean() < 6
    copy = clean(decode(data))
    assert (copy.width, copy.height) == (WIDTH, HEIGHT)
    assert np.abs(decode(copy.data).astype(int) - a_picture()).mean() < 9


@pytest.mark.parametrize("mode", ["L", "P", "1", "RGBA", "LA", "CMYK", "I;16"])
def test_every_colour_model_becomes_eight_bit_rgb(mode: str):
    if mode == "I;16":
        image = Image.fromarray((a_picture()[:, :, 0].astype(np.uint16)) << 8)
    else:
        image = Image.fromarray(a_picture()).convert(mode)
    picture = decode(encoded(image, "JPEG" if mode == "CMYK" else "PNG"))
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert picture.dtype == np.uint8
    assert picture[: HEIGHT // 2, : WIDTH // 2, 0].mean() > picture[HEIGHT // 2 :, :, 0].mean()


def test_sixteen_bits_are_scaled_and_not_cut_off():
    ramp = np.repeat(np.linspace(0, 65535, 256).astype(np.uint16)[None], 16, 0)
    assert np.abs(decode(encoded(Image.fromarray(ramp), "PNG"))[0, :, 0].astype(int) - np.arange(256)).max() <= 1


def test_what_is_transparent_lies_over_white():
    image = Image.fromarray(a_picture()).convert("RGBA")
    image.putalpha(0)
    assert decode(encoded(image, "PNG")).min() == 255


def test_an_animated_png_gives_its_first_frame():
    frames = [Image.fromarray(np.full((8, 8, 3), level, np.uint8)) for level in (10, 200)]
    data = encoded(frames[0], "PNG", save_all=True, append_images=frames[1:])
    assert b"acTL" in data
    assert decode(data).max() == 10


@pytest.mark.parametrize("progressive", [False, True])
def test_a_missing_end_mark_is_forgiven_but_a_truncated_half_is_not(progressive: bool):
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    jpeg = encoded(Image.fromarray(noise), "JPEG", quality=80, progressive=progressive)
    assert np.array_equal(decode(jpeg[:-2]), decode(jpeg))
    assert refusal(jpeg[: len(jpeg) // 2]) == "damaged"


@pytest.mark.parametrize("trailer", [b"<html><script>alert(1)</script>", b"PK\x03\x04" + bytes(200)])
def test_trailing_data_is_ignored_and_never_kept(trailer: bytes):
    for data in (a_jpeg() + trailer, a_png() + trailer):
        assert decode(data).shape == (HEIGHT, WIDTH, 3)
        assert trailer not in clean(decode(data)).data


def test_the_kept_copy_bears_no_metadata():
    exif = Image.Exif()
    exif[0x010F] = "A camera with a name"
    exif.get_ifd(0x8825)[1] = "N"
    data = a_jpeg(exif=exif, comment=b"<script>alert(1)</script>")
    assert b"script" in data
    copy = clean(decode(data)).data
    assert b"script" not in copy
    assert b"camera" not in copy
    assert b"Exif" not in copy


def test_one_pixel_is_a_picture():
    assert decode(encoded(Image.new("RGB", (1, 1)), "PNG")).shape == (1, 1, 3)


def test_pictures_are_scaled_down_but_never_up():
    assert shrink(a_picture(), 24).shape == (16, 24, 3)
    assert shrink(a_picture(), 4000).shape == (HEIGHT, WIDTH, 3)


def test_halving_averages_whole_pixels_and_leaves_an_odd_last_one_out():
    picture = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    four = picture[:4, :6].astype(float).reshape(2, 2, 3, 2, 3)
    assert np.abs(halve(picture) - four.mean((1, 3))).max() <= 0.5


@pytest.mark.parametrize("size", [(300, 200), (299, 201), (160, 107), (37, 25), (24, 400), (900, 600)])
def test_fitted_pictures_have_the_size_asked_for_and_look_the_same(size: tuple[int, int]):
    rows, columns = np.mgrid[:400, :600]
    slope = np.dstack([columns * 255 // 600, rows * 255 // 400, (rows + columns) * 255 // 1000]).astype(np.uint8)
    found = fitted(slope, size)
    assert found.shape == (size[1], size[0], 3)
    averaged = cv2.resize(slope, size, interpolation=cv2.INTER_AREA)
    assert np.abs(found.astype(int) - averaged).mean() < 2


# ── what is refused ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "BMP", "TIFF", "ICO", "PDF"])
def test_other_formats_are_refused_whatever_their_name(kind: str):
    assert refusal(encoded(Image.fromarray(a_picture()), kind)) == "format_not_supported"


@pytest.mark.parametrize("data", [b"", b"<svg/>", b"\x89PNG", b"\xff\xd8", b"not an image at all"])
def test_what_is_no_image_is_refused(data: bytes):
    assert refusal(data) == "format_not_supported"


@pytest.mark.parametrize(
    "data",
    [
        png_of_size(60_000, 60_000),
        png_of_size(16_384, 10_880, depth=1),
        png_of_size(8_000, 5_001),
        png_of_size(1, 65_501),
        jpeg_of_size(65_535, 65_535),
        jpeg_of_size(10_000, 4_001),
    ],
)
def test_a_picture_of_too_many_pixels_is_refused_from_its_header(data: bytes):
    with pytest.raises(ImageRefused) as caught:
        inspect(data)
    assert caught.value.reason_code == "too_many_pixels"


def test_exactly_the_most_pixels_are_let_through():
    assert inspect(png_of_size(8_000, 5_000)).width * 5_000 == MAX_PIXELS


@pytest.mark.parametrize("data", [png_of_size(0, 0), png_of_size(0, 5), jpeg_of_size(0, 0), jpeg_of_size(5, 0)])
def test_a_picture_without_pixels_is_refused(data: bytes):
    assert refusal(data) == "no_pixels"


def test_the_megabytes_of_zeros_that_follow_are_what_anybody_unpacks():
    assert zlib.decompress(bombs.packed_zeros(3)) == bytes(3 * bombs.MEGABYTE)


@pytest.mark.parametrize(
    ("kind", "prefix"), [(b"zTXt", b"note\0\0"), (b"iCCP", b"profile\0\0"), (b"iTXt", b"note\0\1\0en\0note\0")]
)
def test_a_png_whose_side_chunk_unfolds_to_200_megabytes_is_refused(kind: bytes, prefix: bytes):
    bomb = with_chunk(a_png(), kind, prefix + bombs.packed_zeros(200))
    assert refusal(bomb) == "metadata_too_large"


def test_a_bad_checksum_is_refused():
    data = bytearray(a_png())
    data[data.index(b"IDAT") + 12] ^= 0xFF
    assert refusal(bytes(data)) == "damaged"


@pytest.mark.parametrize(
    "data",
    [
        a_png()[: len(a_png()) // 2],
        a_jpeg()[: len(a_jpeg()) // 2],
        b"\xff\xd8\xff" + b"junk" * 100,
        b"\xff\xd8\xff\xe0" + bytes(500),
        a_png()[:33],
        png_of_size(64, 64),
    ],
)
def test_damage_is_refused(data: bytes):
    assert refusal(data) == "damaged"


@given(st.binary(max_size=400), st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", a_png()[:41]]))
def test_random_bytes_never_raise_anything_else(junk: bytes, magic: bytes):
    with pytest.raises(ImageRefused):
        decode(magic + junk)


@given(
    st.sampled_from(["jpeg", "progressive", "png"]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=12),
    st.integers(0, 10_000),
)
def test_a_mangled_picture_is_decoded_or_refused(kind: str, changes: list[tuple[int, int]], cut: int):
    data = bytearray(a_png() if kind == "png" else a_jpeg(progressive=kind == "progressive"))
    for where, value in changes:
        data[where % len(data)] = value
    try:
        picture = decode(bytes(data[: max(cut % len(data), 1)] if cut % 3 == 0 else data))
    except ImageRefused:
        return
    assert picture.ndim == 3
    assert picture.dtype == np.uint8


def test_an_encoded_picture_decodes_to_itself():
    assert np.abs(decode(encode_jpeg(a_picture(), quality=100)).astype(int) - a_picture()).mean() < 8


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_rows": 1}])
def test_only_a_jpeg_whose_end_was_seen_takes_the_quick_way_and_gives_the_same_pixels(options: dict[str, int]) -> None:
    whole = a_jpeg(**options)
    assert structure_of(whole).whole
    assert np.array_equal(decode(whole), np.asarray(Image.open(io.BytesIO(whole))))
    assert not structure_of(whole[:-2]).whole
    assert not structure_of(whole[: len(whole) // 2]).whole
    assert not structure_of(whole[: whole.index(b"\xff\xda")] + b"\xff\xd9").whole


@pytest.mark.parametrize("quality", [92, 95])
def test_a_copy_that_uses_its_picture_up_is_the_same_to_the_byte(quality: int):
    picture = np.random.default_rng(1).integers(0, 256, (300, 200, 3), dtype=np.uint8)
    assert encode_jpeg_in_place(picture.copy(), quality) == encode_jpeg(picture, quality)


@pytest.mark.parametrize(("times", "is_refused"), [(4, False), (5, True), (1000, True)])
def test_all_texts_of_a_png_together_unfold_to_no_more_than_one_may(times, is_refused):
    """Each was let through by itself: a thousand of four megabytes held a decoder for all the time that it may take."""
    png = bombs.unfolding_png(b"zTXt", b"note\0\0", 1, times)
    if is_refused:
        with pytest.raises(ImageRefused) as caught:
            without_side_chunks(png)
        assert caught.value.reason_code == "metadata_too_large"
    else:
        assert b"zTXt" not in without_side_chunks(png)
