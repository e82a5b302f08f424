"""Films for Chromium's fake camera, and a lens that can be pointed at another film while the browser runs."""

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.support import faces
from truename.sandbox.drawing.head_scene import Pose
from truename.sandbox.drawing.photography import make_background
from truename.vision.captures import Picture

FPS = 15
SIZE = (1280, 960)
PORTRAIT = (960, 1280)
"""How a phone that is held upright films."""


def write_y4m(path: Path, pictures: Iterable[Picture], fps: int = FPS) -> Path:
    """One raw film; the browser plays it in a loop, with its own colours and speed."""
    with path.open("wb") as film:
        for index, picture in enumerate(pictures):
            if index == 0:
                height, width = picture.shape[:2]
                film.write(f"YUV4MPEG2 W{width} H{height} F{fps}:1 Ip A1:1 C420mpeg2\n".encode())
            film.write(b"FRAME\n")
            film.write(cv2.cvtColor(picture, cv2.COLOR_RGB2YUV_I420).tobytes())
    return path


class Lens:
    """What the fake camera sees: a link that is pointed at a film before the page opens the camera."""

    def __init__(self, folder: Path) -> None:
        self.link = folder / "camera.y4m"

    def see(self, film: Path) -> None:
        fresh = self.link.with_suffix(".next")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(film)
        fresh.replace(self.link)


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


def obliging_person_film(path: Path, still: Picture | None = None, fps: int = FPS) -> Path:
    """A person who looks straight, turns to both sides, comes closer and moves away, over and over: fits any challenge.

    Rendering a head is slow, so each movement is rendered once and played back in reverse.
    """
    scene = faces.head_scene(faces.framed_still(still, (640, 480), 0.42))
    rest = [scene.render(Pose(yaw=yaw, pitch=pitch)) for yaw, pitch in ((0, 0), (0.8, 0.6), (-0.6, 1.0))]
    turn = faces.TURN + 5
    pictures: list[Picture] = []
    for goal in (Pose(yaw=turn), Pose(yaw=-turn), Pose(closer=1.5), Pose(closer=0.64)):
        way = [scene.render(_between(goal, part)) for part in (0.1, 0.25, 0.45, 0.65, 0.85, 1.0)]
        held = [way[-1], scene.render(_between(goal, 1.02)), scene.render(_between(goal, 0.985))]
        pictures += [rest[index % 3] for index in range(fps)]
        pictures += [*way, *(held[index % 3] for index in range(round(fps * 1.2))), *reversed(way)]
    # A film that repeats itself soon would show the page the very same picture twice, which is what a replay does.
    pictures *= 3
    random = np.random.default_rng(3)
    grain = [random.normal(0, 2, pictures[0].shape).astype(np.float32) for _ in range(7)]
    noisy = (
        np.clip(_in_a_hand(picture, index) + np.roll(grain[index % 7], index * 13, axis=1), 0, 255).astype(np.uint8)
        for index, picture in enumerate(pictures)
    )
    return write_y4m(path, noisy, fps)


def _in_a_hand(picture: Picture, index: int) -> NDArray[np.float32]:
    """No hand holds a camera still: without this, two frames of a pause would be one picture sent twice."""
    shift = 6 * np.sin(index * np.array([0.37, 0.29])) + 3 * np.sin(index * np.array([1.13, 0.91]))
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
    moved = cv2.warpAffine(picture, matrix, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


def _between(goal: Pose, part: float) -> Pose:
    return Pose(yaw=goal.yaw * part, closer=1 + (goal.closer - 1) * part)
