"""Films for Chromium's fake camera, and a lens that can be pointed at another film while the browser runs."""

import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.support import faces
from truename.sandbox.drawing.head_scene import HeadScene, Pose
from truename.sandbox.drawing.heads import aimed_pose
from truename.sandbox.drawing.photography import make_background
from truename.vision.captures import Picture, Step
from truename.vision.liveness.targets import AIMS

FPS = 15
SIZE = (1280, 960)
LOOP = 90
"""Six seconds: a busy machine writes them anew before they come round, and a camera never shows a picture twice."""
NOISES = 7
"""Pictures of noise that take turns; the hand has moved on before one comes again."""
PORTRAIT = (960, 1280)
"""How a phone that is held upright films."""


def write_y4m(path: Path, pictures: Iterable[Picture], fps: int = FPS) -> Path:
    """One raw film; the browser plays it in a loop, with its own colours and speed."""
    with path.open("wb") as film:
        for index, picture in enumerate(pictures):
            if index == 0:
                height, width = picture.shape[:2]
                film.write(f"YUV4MPEG2 W{width} H{height} F{fps}:1 Ip A1:1 C420mpeg2\n".encode())
            film.write(_y4m_frame(picture))
    return path


def _y4m_frame(picture: Picture) -> bytes:
    return b"FRAME\n" + cv2.cvtColor(picture, cv2.COLOR_RGB2YUV_I420).tobytes()


class Lens:
    """What the fake camera sees: a link that is pointed at a film before the page opens the camera."""

    def __init__(self, folder: Path) -> None:
        self.link = folder / "camera.y4m"

    def see(self, film: Path) -> None:
        fresh = self.link.with_suffix(".next")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(film)
        fresh.replace(self.link)

    def meet(self) -> "PersonFilm":
        """Point at a person who looks straight into the camera."""
        film = PersonFilm(self.link.with_name(f"person-{secrets.token_hex(4)}.y4m"))
        self.see(film.path)
        return film


def held_page(page: Picture, size: tuple[int, int] = SIZE, background: str = "dark", tilt: float = 0.6) -> Picture:
    """A page that a person holds well: in the middle of the guide frame of the capture page, seen from above."""
    # The guide as static/document/guide.js lays it, on a stage of 4:3 (landscape) or 2:3 (portrait).
    stage = (size[1] * 4 / 3, size[1]) if size[0] > size[1] else (size[1] * 2 / 3, size[1])
    wide = min(0.88 * stage[0], 0.74 * stage[1] * page.shape[1] / page.shape[0])
    scale = wide / page.shape[1]
    matrix = cv2.getRotationMatrix2D((page.shape[1] / 2, page.shape[0] / 2), tilt, scale)
    matrix[:, 2] = matrix[:, 2] + np.array(size) / 2 - np.array(page.shape[1::-1]) / 2
    soft = cv2.GaussianBlur(page, (0, 0), max(0.3, 0.4 / scale))
    scene = make_background(background, size, np.random.default_rng(1)).astype(np.float32)
    laid = cv2.warpAffine(soft, matrix, size, flags=cv2.INTER_AREA).astype(np.float32)
    there = cv2.warpAffine(np.full(page.shape[:2], 255, np.uint8), matrix, size).astype(np.float32)[..., None] / 255
    return np.clip(scene * (1 - there) + laid * there, 0, 255).astype(np.uint8)


def steady_film(path: Path, picture: Picture, frames: int = 4, fps: int = FPS, seed: int = 0) -> Path:
    """A still scene with a sensor's noise."""
    random = np.random.default_rng(seed)

    def noisy() -> Iterable[Picture]:
        for _ in range(frames):
            yield np.clip(picture.astype(np.float32) + random.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)

    return write_y4m(path, noisy(), fps)


def black_film(path: Path) -> Path:
    return write_y4m(path, [np.zeros((480, 640, 3), np.uint8)] * 4)


def dead_film(path: Path) -> Path:
    """A camera that can be opened and gives no picture, as one does that another program holds."""
    path.write_bytes(b"YUV4MPEG2 W640 H480 F15:1 Ip A1:1 C420mpeg2\nFRAME\n")
    return path


def tiny_film(path: Path) -> Path:
    return write_y4m(path, [np.full((120, 160, 3), 128, np.uint8)] * 4)


def empty_desk_film(path: Path) -> Path:
    desk = make_background("wood", SIZE, np.random.default_rng(5)).clip(0, 255).astype(np.uint8)
    return steady_film(path, desk)


class PersonFilm:
    """A film of a person that can be gone on with while it is played: Chromium reads it frame by frame, in a loop.

    The few frames of the loop are overwritten: by the same pose with other noise, or by another pose.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.pose, self.shown, self.came_round = path, Pose(), 0, False
        self.written, self.writes = time.monotonic(), threading.RLock()
        self.pictures = [person_at(self.pose), person_at(Pose(yaw=0.8, pitch=0.6))]
        write_y4m(path, self._filmed())

    def hold(self, pictures: Sequence[Picture] | None = None) -> None:
        """Show these from now on, or go on with what is shown."""
        with self.writes:
            self.pictures = list(pictures or self.pictures)
            size = self.path.stat().st_size
            frames = b"".join(_y4m_frame(picture) for picture in self._filmed())
            with self.path.open("r+b", buffering=0) as film:
                film.seek(size - len(frames))
                film.write(frames)
            now = time.monotonic()
            self.came_round = self.came_round or now - self.written > LOOP / FPS
            self.written = now

    def go_on(self) -> None:
        """Hold on with what is shown, where half of the loop has been played: to write it takes a tenth of a second."""
        with self.writes:
            if time.monotonic() - self.written > LOOP / FPS / 2:
                self.hold()

    def _filmed(self) -> Iterator[Picture]:
        for index in range(self.shown, self.shown + LOOP):
            moved = _in_a_hand(self.pictures[index % len(self.pictures)], index)
            noise = _noise(moved.shape, index % NOISES)
            yield np.asarray(cv2.add(moved, noise, dtype=cv2.CV_8U), np.uint8)
        self.shown += LOOP


@cache
def _noise(shape: tuple[int, ...], seed: int) -> NDArray[np.int8]:
    """A sensor's noise, made once: to make it for each frame took half a core."""
    return np.random.default_rng(seed).integers(-3, 4, shape, np.int8)


def person_at(pose: Pose) -> Picture:
    """The person of these films in this pose."""
    return _person().render(pose)


@cache
def _person() -> HeadScene:
    return faces.head_scene(faces.framed_still(None, (640, 480), 0.31))


def way_between(first: Pose, last: Pose, part: float) -> Pose:
    """The pose at this share of the way."""

    def at(one: float, other: float) -> float:
        return one + (other - one) * part

    return Pose(yaw=at(first.yaw, last.yaw), pitch=at(first.pitch, last.pitch), closer=at(first.closer, last.closer))


@cache
def goal_of(step: Step, closer: float) -> Pose:
    """The pose that a step asks for of one who stands at this distance."""
    return aimed_pose(_person(), step, closer) if step in AIMS else faces.TARGETS[step]


def _in_a_hand(picture: Picture, index: int) -> Picture:
    """No hand holds a camera still: without this, two frames of a pause would be one picture sent twice."""
    shift = hand_at(index)
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
    moved = cv2.warpAffine(picture, matrix, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def hand_at(index: int) -> tuple[float, float]:
    """Where the hand is in a frame of the film, in pixels: slowly round in a spiral, nowhere twice for two minutes.

    No lost frame makes it leap, nor a film that is written anew, since that is hardly more than once round. A circle
    brought it back while colours were shown to busy cores, and the service took the two for one picture.
    """
    angle, radius = 2 * np.pi * index / (LOOP - 5), 3 + 9 * abs(index / 1800 % 2 - 1)
    return radius * float(np.cos(angle)), radius * float(np.sin(angle))
