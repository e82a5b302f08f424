"""The picture that the page records is the one that it has measured, however long that took."""

import cv2
import pytest

from tests.support import camera
from tests.support.visits import NewLink, Open
from tests.support.waiting import until
from truename.sandbox.drawing.head_scene import Pose

pytestmark = pytest.mark.browser

LEVELS, STEP = 60, 3
"""Frames of the film are numbered by the grey of a patch."""
SLOW_PHONE = f"""
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, rest) {{
    setTimeout(() => post.call(this, message, rest), message.type === 'frame' ? 500 : 0);
  }};
  const read = document.createElement('canvas').getContext('2d', {{ willReadFrequently: true }});
  const numberOf = (picture, left, top) => {{
    read.drawImage(picture, left, top, 8, 8, 0, 0, 8, 8);
    return Math.round((read.getImageData(4, 4, 1, 1).data[0] - 40) / {STEP});
  }};
  window.recorded = [];
  let looked = null;
  const bitmap = window.createImageBitmap;
  window.createImageBitmap = async (video, how) => {{
    const picture = await bitmap(video, how);
    looked = numberOf(picture, 142, 22);  // at three quarters of the film's size
    return picture;
  }};
  const blob = HTMLCanvasElement.prototype.toBlob;
  HTMLCanvasElement.prototype.toBlob = function (...rest) {{
    window.recorded.push([looked, numberOf(this, 31, 31)]);  // its middle, upright
    return blob.apply(this, rest);
  }};
"""


def numbered_film(lens: camera.Lens) -> None:
    """A person who looks straight, with the number of each frame in the corner."""
    straight = [camera.person_at(Pose(yaw=0.6 * (index % 2))) for index in range(2)]
    frames = []
    for index in range(LEVELS):
        frame = straight[index % 2].copy()
        cv2.rectangle(frame, (165, 5), (225, 65), [40 + STEP * index] * 3, -1)
        frames.append(frame)
    lens.see(camera.write_y4m(lens.link.with_name("numbered.y4m"), frames))


async def test_the_picture_that_is_recorded_is_the_one_that_was_measured(
    visit: Open, new_link: NewLink, lens: camera.Lens
) -> None:
    """A phone that measures for half a second had recorded the picture after that: a head on its way was there."""
    numbered_film(lens)
    one = await visit()
    await one.page.add_init_script(SLOW_PHONE)
    await one.open(await new_link("BIOMETRIC_ONLY"))
    await one.press("Agree and continue")
    await one.page.get_by_role("button", name="I’m ready").click(timeout=30_000)
    pairs: list[tuple[int, int]] = []

    async def three() -> bool:
        pairs[:] = await one.page.evaluate("recorded")
        return len(pairs) >= 3

    await until(three, 60)
    assert len({kept for _, kept in pairs}) == len(pairs)
    apart = [min((kept - measured) % LEVELS, (measured - kept) % LEVELS) for measured, kept in pairs]
    assert max(apart) <= 1, pairs
